"""Ask a patent database in process, with canned answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from citewell import providers
from citewell.domains.patents.patent_records import PatentHits, PatentQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.routing.ports import Offer
from tests.contract.recordings import Canned, encode, kit_over, recording
from tests.providers.asking import keys

WORDS = PatentQuery(text="tide gauge", count=2)


TOKEN = {"access_token": "t1", "expires_in": "1199"}


def reply(body: Any, status: int = 200, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status=status, url="https://x.example", headers=named, body=encode(body))


def ask(
    name: str, query: PatentQuery, answer: Callable[[HttpRequest], HttpResponse], memory: Any = None
) -> tuple[PatentHits, list[HttpRequest]]:
    sender = Canned(answer)
    kit = replace(kit_over(name, sender, keys(name)), memory=memory or Memory())
    provider: Any = providers.load(name).Provider(kit)
    return asyncio.run(provider.search_patents(query)), sender.sent


def ops(*answers: HttpResponse) -> Callable[[HttpRequest], HttpResponse]:
    """The EPO's service: a token whenever asked, else the answers in turn."""
    waiting = list(answers)

    def answer(request: HttpRequest) -> HttpResponse:
        if request.url.endswith("/accesstoken"):
            return reply(TOKEN)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return answer


def recorded(name: str) -> HttpResponse:
    record = recording(name, Offer.PATENTS)
    return HttpResponse(
        status=200, url="https://x.example", headers=record.headers, body=record.answer
    )


class Memory:
    """Facts of a provider, kept in this process."""

    def __init__(self) -> None:
        self.facts: dict[str, bytes] = {}

    async def recall_fact(self, key: str) -> bytes | None:
        return self.facts.get(key)

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        assert ttl > 86400
        self.facts[key] = value
