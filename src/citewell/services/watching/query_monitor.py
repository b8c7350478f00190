"""Saved searches: run again on request or by schedule, they report only what is new."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import Field

from citewell.errors import CitewellError, InvalidInput, NotFound
from citewell.model.answers.monitor_answers import (
    MonitorAnswer,
    MonitoredQuery,
    MonitorSaved,
)
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import BLANK_IS_ABSENT, OptionalName, QueryText
from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_results import SearchAnswer, SearchResult
from citewell.services.people.consent_gate import ConsentGate
from citewell.services.web.search_request import SearchRequest, clean_query_text
from citewell.store.people.record_times import format_utc_time
from citewell.store.watching.watch_store import SqlWatchStore, WatchNewsItem, WatchRecord
from citewell.text.web.addresses import build_page_key
from citewell.tooling import Owner, ProgressCallback

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


class PageSearch(Protocol):
    """The part of the web search that a saved search needs."""

    async def search_web_pages(
        self, ask: SearchRequest, *, trace: RoutingTrace, progress: ProgressCallback | None = None
    ) -> SearchAnswer: ...


class QueryMonitor:
    """Keeps saved searches only for named users who consent to monitoring, unless told otherwise."""

    def __init__(
        self,
        store: SqlWatchStore,
        gate: ConsentGate,
        search: PageSearch,
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

    async def save_query(self, owner: Owner, asked: MonitorRequest) -> MonitorSaved:
        """Save a search for a caller of the server, with what it finds now as known."""
        check_declared_bounds(asked)
        if refusal := await self._gate.find_refusal(owner):
            return MonitorSaved(status=refusal.status, reason=refusal.reason)
        return await self._store_query(owner, asked, consented=True)

    async def save_own_query(self, owner: Owner, asked: MonitorRequest) -> MonitorSaved:
        """Save a search for the person at the command line, who needs no recorded consent."""
        check_declared_bounds(asked)
        return await self._store_query(owner, asked, consented=False)

    async def check_queries(
        self, owner: Owner, monitor_id: str | None, *, progress: ProgressCallback | None = None
    ) -> MonitorAnswer:
        """Run the caller's saved searches, or one of them, and return only what is new.

        Those that were not checked for longest come first.
        """
        if refusal := await self._gate.find_refusal(owner):
            return MonitorAnswer(status=refusal.status, reason=refusal.reason)
        found = [
            one
            for one in await self._store.list_watches(str(owner))
            if one.kind == "query" and monitor_id in {None, one.id}
        ]
        if monitor_id is not None and not found:
            raise NotFound("There is no saved search of this id; without id all are checked.")
        checked: list[MonitoredQuery] = []
        for number, record in enumerate(sorted(found, key=lambda one: one.due)):
            if sum(len(one.new_results) for one in checked) >= MAX_NEW_RESULTS:
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
        fresh = [one for one in answer.results if build_page_key(one.url) not in known]
        news = tuple(self._build_news(record, one) for one in fresh)
        kept = await self._store.save_check(
            record.owner,
            record,
            state={"seen": _remember_results(seen, answer.results)},
            due=self._clock() + self._interval_seconds,
            news=news,
        )
        return news if kept else ()

    async def _store_query(
        self, owner: Owner, asked: MonitorRequest, *, consented: bool
    ) -> MonitorSaved:
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
            str(owner), record, most=MAX_MONITORS, purpose="monitoring" if consented else None
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

    async def _check_for_caller(self, record: WatchRecord) -> MonitoredQuery:
        told = {"id": record.id, "query": record.definition["query"]}
        try:
            news = await self.check_watch(record)
        except CitewellError as error:
            return MonitoredQuery(**told, error=error.message)
        results = tuple(SearchResult.model_validate(one.content["result"]) for one in news)
        return MonitoredQuery(
            **told, checked_at=format_utc_time(self._clock()), new_results=results
        )

    async def _run_search(
        self, definition: dict[str, Any], progress: ProgressCallback | None
    ) -> SearchAnswer:
        ask = SearchRequest(
            query=definition["query"], provider=definition.get("provider"), count=_RESULT_COUNT
        )
        return await self._search.search_web_pages(ask, trace=RoutingTrace(), progress=progress)

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
    fresh = [build_page_key(one.url) for one in results]
    return list(dict.fromkeys([*(key for key in seen if key not in fresh), *fresh]))[
        -MAX_SEEN_RESULTS:
    ]
