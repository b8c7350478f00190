"""EDGAR over canned answers by host and path, and what it is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from citewell.domains.filings import FactHits, FilingHits, FilingLookup
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.providers.edgar import Provider
from tests.contract.recordings import Canned, kit_over
from tests.internet.apis.edgar import columns
from tests.internet.companies import ticker_list

CONTACT = {"EDGAR_CONTACT_EMAIL": "someone@example.org"}


DAY = 86_400.0


TICKERS = "www.sec.gov/files/company_tickers.json"


APPLE = "data.sec.gov/submissions/CIK0000320193.json"


Answer = bytes | dict[str, Any] | tuple[int, bytes]


def submissions(rows: list[tuple[str, ...]], **more: Any) -> dict[str, Any]:
    filings = {"recent": columns(rows), "files": more.pop("files", [])}
    return {
        "cik": "0000320193",
        "name": "Apple Inc.",
        "tickers": ["AAPL"],
        "filings": filings,
    } | more


def row(number: int, form: str = "10-K", day: str = "2025-10-31") -> tuple[str, ...]:
    return (f"0000320193-25-{number:06}", form, day, day, f"doc{number}.htm", form, "")


@dataclass
class Memory:
    facts: dict[str, bytes] = field(default_factory=dict)

    async def recall_fact(self, key: str) -> bytes | None:
        return self.facts.get(key)

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        assert ttl == DAY
        self.facts[key] = value


class Bench:
    """The provider over canned answers by host and path, with a clock that the test moves."""

    def __init__(
        self, answers: Mapping[str, Answer], *, options: Mapping[str, str] = CONTACT
    ) -> None:
        self.answers: dict[str, Answer] = {TICKERS: dict(ticker_list())} | dict(answers)
        self.now = 1_800_000_000.0
        self.memory = Memory()
        self.sender = Canned(self._answer)
        self.kit = replace(kit_over("edgar", self.sender, options), memory=self.memory)
        self.provider = Provider(replace(self.kit, clock=lambda: self.now))

    def _answer(self, request: HttpRequest) -> HttpResponse:
        parts = urlsplit(request.url)
        answer = self.answers.get(f"{parts.hostname}{parts.path}", (404, b"no such file"))
        status, content = answer if isinstance(answer, tuple) else (200, answer)
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return HttpResponse(status=status, url=request.url, headers={}, body=body)

    @property
    def asked(self) -> list[str]:
        return [
            f"{urlsplit(request.url).hostname}{urlsplit(request.url).path}"
            for request in self.sender.sent
        ]

    def search(self, **query: Any) -> FilingHits:
        return asyncio.run(self.provider.search_filings(FilingLookup(**query)))

    def facts(self, **query: Any) -> FactHits:
        return asyncio.run(self.provider.list_company_facts(FilingLookup(**query)))


def entry(value: str, end: str = "2024-12-31", **more: str) -> dict[str, Any]:
    fact = {"end": end, "val": f"#{value}#", "accn": "0000320193-25-000001", "fy": 2024, "fp": "FY"}
    return fact | {"form": "10-K", "filed": "2025-02-01"} | more


def year(value: str, number: int, **more: str) -> dict[str, Any]:
    return entry(value, start=f"{number}-01-01", end=f"{number}-12-31", **more)


def full_text(*names: str, buckets: tuple[str, ...] = ()) -> dict[str, Any]:
    hits = [
        {
            "_id": f"0000000001-25-{place:06}:doc.htm",
            "_source": {
                "adsh": f"0000000001-25-{place:06}",
                "form": "8-K",
                "display_names": [name],
            },
        }
        for place, name in enumerate(names)
    ]
    answer = {"hits": {"total": {"value": len(hits)}, "hits": hits}}
    return answer | {
        "aggregations": {"entity_filter": {"buckets": [{"key": bucket} for bucket in buckets]}}
    }


EFTS = "efts.sec.gov/LATEST/search-index"
