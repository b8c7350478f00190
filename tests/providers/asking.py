"""Ask a provider in process, at a fixed time, with canned answers in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from citewell import providers
from citewell.core.values.search_queries import FoundImage, ImageQuery, SearchHits, SearchQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from tests.contract.recordings import KEY, Canned, encode, kit_over, spec

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    body: Any
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    found: SearchHits
    sent: tuple[HttpRequest, ...]

    @property
    def params(self) -> dict[str, str]:
        return dict(self.sent[0].params)


def keys(name: str) -> dict[str, str]:
    required = (option for option in spec(name).options if option.required)
    return {option.env: KEY if option.secret else "engine-1" for option in required}


def ask(
    name: str,
    query: SearchQuery,
    *replies: Any,
    offer: str = "web",
    options: Mapping[str, str] | None = None,
) -> Asked:
    """Each reply is a body or a Reply; the last one is repeated."""
    found, sent = _run(name, query, replies, offer, keys(name) | dict(options or {}))
    return Asked(found=found, sent=sent)


def ask_images(
    name: str, query: ImageQuery, *replies: Any
) -> tuple[tuple[FoundImage, ...], tuple[HttpRequest, ...]]:
    return _run(name, query, replies, "images", keys(name))


def _run(
    name: str, query: object, replies: tuple[Any, ...], offer: str, options: Mapping[str, str]
) -> tuple[Any, tuple[HttpRequest, ...]]:
    waiting = list(replies)

    def answer(request: HttpRequest) -> HttpResponse:
        reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        reply = reply if isinstance(reply, Reply) else Reply(body=reply)
        body = encode(reply.body)
        return HttpResponse(status=reply.status, url=request.url, headers={}, body=body)

    sender = Canned(answer)
    make: Any = providers.load(name).Provider
    kit = replace(kit_over(name, sender, options), clock=NOW.timestamp)
    found = asyncio.run(getattr(make(kit), f"search_{offer}")(query))
    return found, tuple(sender.sent)
