"""Looks up works by identifier or reference, with a cache and limits on concurrency."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from functools import cache
from typing import Any, Self, TypeVar

from pydantic import TypeAdapter

from citewell.core.service_kit import ServiceKit
from citewell.core.values.paper import BibliographicQuery, PaperId
from citewell.routing.provider_panel import FAILED, FOUND, ProviderOutcome, ProviderPanel
from citewell.scholar import record_merging
from citewell.scholar.identifier_lookup import (
    NOT_REGISTERED,
    UNCHECKED,
    IdentifierLookup,
    LookupBatcher,
    WorkRecord,
)
from citewell.scholar.reference_matching import GENERAL_INDEXES, ReferenceMatcher, ReferenceMatches
from citewell.store.cache.answer_sharing import SHARED_WITH_EVERYBODY, AnswerSharing
from citewell.store.cache.single_flight import CachedLoader, FreshValue

__all__ = [
    "FOUND",
    "NOT_REGISTERED",
    "UNCHECKED",
    "ProviderOutcome",
    "ReferenceMatches",
    "WorkRecord",
    "WorkRecords",
]

T = TypeVar("T")
A = TypeVar("A", WorkRecord, ReferenceMatches)

FULL_ANSWER_TTL_SECONDS = 3600.0  # seconds that a complete answer is cached
PARTIAL_ANSWER_TTL_SECONDS = 300.0  # seconds for an answer in which a provider failed
_CACHE_VERSION = 2  # raise it if the fields of Paper or of the cached results change
_MAX_CONCURRENT_FINDS = 256  # lookups at the same time; they share requests
_MAX_CONCURRENT_MATCHES = 48  # references at the same time; each needs a request of its own
_LOOKUP_GRACE_SECONDS = 8.0  # seconds; long enough for Crossref's lists, because of its notices
_MATCH_GRACE_SECONDS = 1.5  # seconds; more candidates are useful but not needed
_MAX_PAUSE_SECONDS = 8.0  # seconds; a registry that asks for a longer pause is skipped
_MAX_WAITED_SECONDS = 15.0  # seconds of all pauses for one answer
_MAX_REPEATS = 3  # times that one question is asked again
_NEAR_CLOSENESS = 0.6  # closeness of a match from which no pause is worth while


class WorkRecords:
    """All lookups of works; identical questions at the same time share one lookup."""

    def __init__(
        self,
        panel: ProviderPanel,
        *,
        loader: CachedLoader | None = None,
        sharing: AnswerSharing = SHARED_WITH_EVERYBODY,
        at_once: int | None = None,
        bundles: LookupBatcher | None = None,
        grace: float | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`grace` is how long others are waited for, in seconds, once one provider has answered."""
        self._lookup = IdentifierLookup(
            panel,
            bundles or LookupBatcher(),
            grace=_LOOKUP_GRACE_SECONDS if grace is None else grace,
        )
        self._matching = ReferenceMatcher(
            panel, self._lookup, grace=_MATCH_GRACE_SECONDS if grace is None else grace
        )
        self._loader = loader
        self._sharing = sharing
        self._find_slots = asyncio.Semaphore(at_once or _MAX_CONCURRENT_FINDS)
        self._match_slots = asyncio.Semaphore(at_once or _MAX_CONCURRENT_MATCHES)
        self._pause = pause

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_service(ProviderPanel), loader=kit.store.loader, sharing=kit.sharing)

    async def find_record(self, paper_id: PaperId, *, tenant: str | None = None) -> WorkRecord:
        """The work with this identifier; a failing registry does not raise."""
        key = _build_record_key("find", {"scheme": paper_id.scheme.value, "value": paper_id.value})
        return await self._load_cached(
            key,
            _build_record_adapter(),
            lambda: self._look_up_patiently(paper_id),
            _choose_record_ttl,
            tenant,
        )

    async def match_records(
        self, query: BibliographicQuery, *, tenant: str | None = None
    ) -> ReferenceMatches:
        """The works this reference may mean; a failing registry does not raise."""
        key = _build_record_key("match", asdict(query))
        return await self._load_cached(
            key,
            _build_matches_adapter(),
            lambda: self._match_patiently(query),
            _choose_matches_ttl,
            tenant,
        )

    async def _look_up_patiently(self, paper_id: PaperId) -> WorkRecord:
        """Look up the work, and again after short pauses while registries ask for them."""

        async def look_up() -> WorkRecord:
            async with self._find_slots:
                return await self._lookup.find_work_record(paper_id)

        return await self._repeat_after_pauses(look_up, lambda record: record.state == UNCHECKED)

    async def _match_patiently(self, query: BibliographicQuery) -> ReferenceMatches:
        async def match() -> ReferenceMatches:
            async with self._match_slots:
                return await self._matching.find_matches(query)

        return await self._repeat_after_pauses(match, lambda found: _is_match_open(found, query))

    async def _repeat_after_pauses(
        self, fetch: Callable[[], Awaitable[A]], is_open: Callable[[A], bool]
    ) -> A:
        """The answer, asked for again while it is open and a provider wants only a short pause."""
        answer, left = await fetch(), _MAX_WAITED_SECONDS
        for _ in range(_MAX_REPEATS):
            waits = [reply.retry_after for reply in answer.asked if reply.retry_after is not None]
            shortest = min(waits, default=_MAX_PAUSE_SECONDS + 1)
            wait = shortest if shortest <= _MAX_PAUSE_SECONDS else None
            if wait is None or wait > left or not is_open(answer):
                break
            await self._pause(wait)
            left -= wait
            answer = await fetch()
        return answer

    async def _load_cached(
        self,
        key: str,
        shape: TypeAdapter[T],
        make: Callable[[], Awaitable[T]],
        ttl: Callable[[T], float],
        tenant: str | None,
    ) -> T:
        owner = self._sharing.find_cache_owner(tenant, is_public=True)
        if self._loader is None or owner is None:
            return await make()

        async def fresh() -> FreshValue:
            made = await make()
            data = shape.dump_python(made, mode="json")
            text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
            # Lone surrogates, which an API may send, are replaced.
            return FreshValue(value=text.encode("utf-8", "replace"), ttl=ttl(made))

        loaded = await self._loader.load_or_make(owner, key, fresh)
        return shape.validate_json(loaded.entry.value)


def _choose_record_ttl(record: WorkRecord) -> float:
    """How long to cache a record; 0 for an unchecked one, which must not pass as absent."""
    if record.state == UNCHECKED:
        return 0.0
    is_partial = record.paper is None or _has_failed_provider(record.asked)
    return PARTIAL_ANSWER_TTL_SECONDS if is_partial else FULL_ANSWER_TTL_SECONDS


def _choose_matches_ttl(matches: ReferenceMatches) -> float:
    is_partial = _has_failed_provider(matches.asked)
    if matches.papers:
        return PARTIAL_ANSWER_TTL_SECONDS if is_partial else FULL_ANSWER_TTL_SECONDS
    return 0.0 if is_partial or not matches.is_answered else PARTIAL_ANSWER_TTL_SECONDS


def _has_failed_provider(asked: Iterable[ProviderOutcome]) -> bool:
    return any(reply.outcome == FAILED for reply in asked)


def _is_match_open(found: ReferenceMatches, query: BibliographicQuery) -> bool:
    """Whether an index of every field was refused, and nothing near was found without it."""
    refused = any(
        reply.outcome == FAILED
        and reply.provider in GENERAL_INDEXES
        and reply.retry_after is not None
        for reply in found.asked
    )
    if found.is_answered and (query.glance or not refused):
        return False
    best = max(
        (record_merging.score_closeness(paper, query) for paper in found.papers), default=0.0
    )
    return best < _NEAR_CLOSENESS


def _build_record_key(what: str, question: dict[str, Any]) -> str:
    text = json.dumps(
        ["scholar", what, _CACHE_VERSION, question], sort_keys=True, ensure_ascii=False
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _build_record_adapter() -> TypeAdapter[WorkRecord]:
    return TypeAdapter(WorkRecord)


@cache
def _build_matches_adapter() -> TypeAdapter[ReferenceMatches]:
    return TypeAdapter(ReferenceMatches)
