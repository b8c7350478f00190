"""Saved searches: run again on request or by schedule, they report only what is new."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field

from citewell.core.errors import CitewellError, InvalidInput, NotFound
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner, ProgressCallback
from citewell.core.values.argument_types import (
    BLANK_IS_ABSENT,
    OptionalName,
    QueryText,
    check_declared_bounds,
)
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import SearchAnswer, SearchResult
from citewell.core.values.wire_values import UNTRUSTED_LABEL, WireValue
from citewell.people.usage_analytics import ConsentGate
from citewell.search.search_request import SearchRequest, clean_query_text
from citewell.text.addresses import build_page_key
from citewell.text.calendar_dates import format_utc_time
from citewell.watching.settings import WatchingSettings
from citewell.watching.watch_store import SqlWatchStore, WatchNewsItem, WatchRecord

if TYPE_CHECKING:
    from citewell.search.search_service import WebSearchService

MonitorStatus = Literal["ok", "no_consent", "unavailable", "limit"]

MAX_MONITORS = 100  # saved searches of one user
MAX_NEW_RESULTS = 30  # of one answer; searches beyond that wait for the next call
MAX_SEEN_RESULTS = 500  # addresses that are remembered of one saved search
MIN_TTL_DAYS, MAX_TTL_DAYS = 1, 90
_DAY_SECONDS = 86_400.0
_RESULT_COUNT = 20  # results of each run


@dataclass(frozen=True, kw_only=True)
class MonitorRequest:
    """A search to save; the arguments of monitor_query_save."""

    query: QueryText
    provider: Annotated[OptionalName, Field(description="Use this provider and no other.")] = None
    ttl_days: Annotated[
        int | None,
        Field(ge=MIN_TTL_DAYS, le=MAX_TTL_DAYS, description="Days it is kept; default 30."),
        BLANK_IS_ABSENT,
    ] = None


class QueryMonitor:
    """Keeps saved searches only for named users who consent to monitoring, unless told otherwise."""

    def __init__(
        self,
        store: SqlWatchStore,
        gate: ConsentGate,
        search: WebSearchService,
        *,
        ttl_seconds: float,
        interval_seconds: float,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
    ) -> None:
        self._store = store
        self._gate = gate
        self._search = search
        self._ttl_seconds = ttl_seconds
        self._interval_seconds = interval_seconds
        self._clock = clock
        self._new_id = new_id

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        from citewell.people.consent_service import ConsentService
        from citewell.search.search_service import WebSearchService

        watching_settings = kit.settings[WatchingSettings]
        return cls(
            kit.open_state().watches,
            ConsentGate(kit.require_service(ConsentService), "monitoring"),
            kit.require_service(WebSearchService),
            ttl_seconds=watching_settings.monitoring_ttl,
            interval_seconds=watching_settings.watch_interval,
        )

    async def save_query(
        self, owner: Owner, asked: MonitorRequest, *, is_own: bool = False
    ) -> MonitorSaved:
        """Save a search, with what it finds now as known.

        A caller of the server must have consented; the person at the command line, `is_own`, need not.
        """
        check_declared_bounds(asked)
        refusal = None if is_own else await self._gate.find_refusal(owner)
        if refusal:
            return MonitorSaved(status=refusal.status, reason=refusal.reason)
        now = self._clock()
        days = asked.ttl_days
        definition = {"query": clean_query_text(asked.query), "provider": asked.provider}
        try:
            answer = await self._run_search(definition, None)
            seen, note = _remember_results([], answer.results), None
        except InvalidInput:
            raise
        except CitewellError as error:
            seen = []
            note = f"The search failed just now, so the first check reports everything. {error.message}"
        record = WatchRecord(
            id=self._new_id(),
            owner=str(owner),
            kind="query",
            definition=definition,
            state={"seen": seen},
            expires=now + (days * _DAY_SECONDS if days else self._ttl_seconds),
            due=now + self._interval_seconds,
        )
        stored = await self._store.add_watch(
            str(owner), record, most=MAX_MONITORS, purpose=None if is_own else "monitoring"
        )
        if not stored:
            return MonitorSaved(
                status="limit",
                reason=f"{MAX_MONITORS} searches are saved already; one that is past its time makes room.",
            )
        return MonitorSaved(
            status="ok",
            id=record.id,
            query=definition["query"],
            known_results=len(seen),
            expires_at=format_utc_time(record.expires or now),
            note=note,
        )

    async def check_queries(
        self, owner: Owner, monitor_id: str | None, *, progress: ProgressCallback | None = None
    ) -> MonitorAnswer:
        """Run the caller's saved searches, or one of them, and return only what is new.

        Those that were not checked for longest come first.
        """
        if refusal := await self._gate.find_refusal(owner):
            return MonitorAnswer(status=refusal.status, reason=refusal.reason)
        found = [
            watch
            for watch in await self._store.list_watches(str(owner))
            if watch.kind == "query" and monitor_id in {None, watch.id}
        ]
        if monitor_id is not None and not found:
            raise NotFound("There is no saved search of this id; without id all are checked.")
        checked: list[MonitoredQuery] = []
        for number, record in enumerate(sorted(found, key=lambda match: match.due)):
            if sum(len(item.new_results) for item in checked) >= MAX_NEW_RESULTS:
                break
            if progress is not None:
                await progress(number, len(found), f"searching: {record.definition['query']}")
            checked.append(await self._check_for_caller(record))
        left = len(found) - len(checked)
        return MonitorAnswer(
            status="ok", count=len(checked), monitors=tuple(checked), unchecked=left or None
        )

    async def check_watch(
        self, record: WatchRecord, *, progress: ProgressCallback | None = None
    ) -> tuple[WatchNewsItem, ...]:
        """Run a saved search, store what is known now, and return the news; raises if it failed."""
        answer = await self._run_search(record.definition, progress)
        seen = list(record.state.get("seen", ()))
        known = set(seen)
        fresh = [result for result in answer.results if build_page_key(result.url) not in known]
        news = tuple(self._build_news(record, item) for item in fresh)
        kept = await self._store.save_check(
            record.owner,
            record,
            state={"seen": _remember_results(seen, answer.results)},
            due=self._clock() + self._interval_seconds,
            news=news,
        )
        return news if kept else ()

    async def _check_for_caller(self, record: WatchRecord) -> MonitoredQuery:
        fields = {"id": record.id, "query": record.definition["query"]}
        try:
            news = await self.check_watch(record)
        except CitewellError as error:
            return MonitoredQuery(**fields, error=error.message)
        results = tuple(SearchResult.model_validate(item.content["result"]) for item in news)
        return MonitoredQuery(
            **fields, checked_at=format_utc_time(self._clock()), new_results=results
        )

    async def _run_search(
        self, definition: dict[str, Any], progress: ProgressCallback | None
    ) -> SearchAnswer:
        request = SearchRequest(
            query=definition["query"], provider=definition.get("provider"), count=_RESULT_COUNT
        )
        return await self._search.search_web_pages(request, trace=RoutingTrace(), progress=progress)

    def _build_news(self, record: WatchRecord, result: SearchResult) -> WatchNewsItem:
        content = {
            "kind": "new_result",
            "text": f"New for “{record.definition['query']}”: {result.title}",
            "query": record.definition["query"],
            "title": result.title,
            "url": result.url,
            "result": result.to_wire(),
        }
        return WatchNewsItem(
            id=self._new_id(), watch=record.id, content=content, found=self._clock()
        )


def _remember_results(seen: Sequence[str], results: Sequence[SearchResult]) -> list[str]:
    """The keys of all known addresses, the newest last; beyond the limit the oldest are forgotten."""
    fresh = [build_page_key(result.url) for result in results]
    return list(dict.fromkeys([*(key for key in seen if key not in fresh), *fresh]))[
        -MAX_SEEN_RESULTS:
    ]


# The answers of the tools for saved searches.


class MonitorSaved(WireValue):
    """What monitor_query_save returns."""

    status: MonitorStatus
    reason: str | None = None
    id: str | None = None
    query: str | None = None
    known_results: int | None = None  # found now, and not reported later
    expires_at: str | None = None
    note: str | None = None


class MonitoredQuery(WireValue):
    """One saved search and what it found that it had not found before."""

    id: str
    query: str
    checked_at: str | None = None
    new_results: tuple[SearchResult, ...] = ()
    error: str | None = None  # why it could not be checked; nothing is lost by it


class MonitorAnswer(WireValue):
    """What monitor_query_check returns."""

    status: MonitorStatus
    reason: str | None = None
    count: int = 0
    monitors: tuple[MonitoredQuery, ...] = ()
    unchecked: int | None = None  # searches left for the next call, since there is so much news
    trust: str = Field(default=UNTRUSTED_LABEL)
