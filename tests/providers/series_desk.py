"""Ask a provider of statistics in process, with canned answers by a part of the address."""

from __future__ import annotations

import asyncio
from typing import Any

from citewell import providers
from citewell.domains.series import ObservationList, ObservationQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from tests.contract.recordings import Canned, encode, kit_over
from tests.internet.statistics import message

Replies = dict[str, tuple[int, Any]]  # status and body by a part of the address


def sender(replies: Replies) -> Canned:
    def answer(request: HttpRequest) -> HttpResponse:
        status, body = next(
            reply for part, reply in replies.items() if part in f"{request.url}?{request.params}"
        )
        return HttpResponse(status=status, url=request.url, headers={}, body=encode(body))

    return Canned(answer)


def provider(name: str, canned: Canned, **options: str) -> Any:
    return providers.load(name).Provider(kit_over(name, canned, options))


def look(
    name: str,
    replies: Replies,
    series_id: str,
    *,
    options: dict[str, str] | None = None,
    **more: Any,
) -> tuple[ObservationList, list[HttpRequest]]:
    canned = sender(replies)
    asked = ObservationQuery(series_id=series_id, **more)
    found = asyncio.run(provider(name, canned, **(options or {})).list_observations(asked))
    return found, canned.sent


def data(years: tuple[str, ...] = ("2023", "2024")) -> dict[str, Any]:
    return message("x", {"REF_AREA": {"DEU": "Germany"}}, {"0": dict.fromkeys(years, 1)}, years)
