"""Works by their identifiers and by references: what the registries have, and who could not be asked."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from citewell.model.paper import BibliographicQuery, PaperId
from citewell.services.scholar.bundles import Bundles
from citewell.services.scholar.lookup import NOT_REGISTERED, UNCHECKED, Lookup, Record
from citewell.services.scholar.matching import Matches, Matching
from citewell.services.scholar.panel import FAILED, FOUND, Asked, Panel
from citewell.store.flight import Fresh, Loader

__all__ = ["FOUND", "NOT_REGISTERED", "UNCHECKED", "Asked", "Matches", "Record", "Records"]

T = TypeVar("T")

FRESH = 3600.0  # seconds a whole answer holds
PARTIAL = 300.0  # one that lacks somebody who could not be asked
SHARED = "shared"
_VERSION = 1  # raised when Paper, Record or Matches change their shape
_AT_ONCE = 256  # lookups at the same time: they share requests
_MATCHES = 48  # references at the same time: each is a request of its own, and its line must move
_GRACE = 8.0  # seconds: Crossref takes one list after another, and its notices are worth a wait
_HASTE = 1.5  # seconds, where more candidates are merely nice to have
_PATIENT = 5.0  # seconds; a registry that wants a longer pause is not waited for


class Records:
    """Every lookup of a work goes through here: once per question, however many ask it."""

    def __init__(
        self,
        panel: Panel,
        *,
        loader: Loader | None = None,
        isolated: bool = False,
        at_once: int | None = None,
        bundles: Bundles | None = None,
        grace: float | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """With `isolated` tenants share nothing, and a call without a tenant keeps nothing.

        `grace` is how long others are waited for once somebody has answered.
        """
        self._lookup = Lookup(panel, bundles or Bundles(), grace=_GRACE if grace is None else grace)
        self._matching = Matching(panel, self._lookup, grace=_HASTE if grace is None else grace)
        self._loader = loader
        self._isolated = isolated
        self._finding = asyncio.Semaphore(at_once or _AT_ONCE)
        self._matched = asyncio.Semaphore(at_once or _MATCHES)
        self._pause = pause

    async def find(self, paper_id: PaperId, *, tenant: str | None = None) -> Record:
        """The work with this identifier; never raises for a registry that fails."""
        key = _key("find", {"scheme": paper_id.scheme.value, "value": paper_id.value})
        return await self._kept(key, _records(), lambda: self._find(paper_id), _record_ttl, tenant)

    async def match(self, query: BibliographicQuery, *, tenant: str | None = None) -> Matches:
        """The works this reference may mean; never raises for a registry that fails."""
        key = _key("match", asdict(query))
        return await self._kept(key, _matches(), lambda: self._match(query), _matches_ttl, tenant)

    async def _find(self, paper_id: PaperId) -> Record:
        """A short pause that a registry asked for is worth taking before giving up."""
        async with self._finding:
            record = await self._lookup.find(paper_id)
        if record.state == UNCHECKED and (wait := _short_rest(record.asked)):
            await self._pause(wait)
            async with self._finding:
                return await self._lookup.find(paper_id)
        return record

    async def _match(self, query: BibliographicQuery) -> Matches:
        async with self._matched:
            matches = await self._matching.match(query)
        if not matches.answered and (wait := _short_rest(matches.asked)):
            await self._pause(wait)
            async with self._matched:
                return await self._matching.match(query)
        return matches

    async def _kept(
        self,
        key: str,
        shape: TypeAdapter[T],
        make: Callable[[], Awaitable[T]],
        ttl: Callable[[T], float],
        tenant: str | None,
    ) -> T:
        owner = tenant if self._isolated else SHARED
        if self._loader is None or owner is None:
            return await make()

        async def fresh() -> Fresh:
            made = await make()
            return Fresh(value=_packed(shape, made), ttl=ttl(made))

        loaded = await self._loader.load(owner, key, fresh)
        return shape.validate_json(loaded.entry.value)


def _record_ttl(record: Record) -> float:
    """A failure is never kept as an absence."""
    if record.state == UNCHECKED:
        return 0.0
    return PARTIAL if _lacking(record.asked) or record.paper is None else FRESH


def _matches_ttl(matches: Matches) -> float:
    if not matches.papers:
        return 0.0 if _lacking(matches.asked) or not matches.answered else PARTIAL
    return PARTIAL if _lacking(matches.asked) else FRESH


def _lacking(asked: Iterable[Asked]) -> bool:
    return any(one.outcome == FAILED for one in asked)


def _short_rest(asked: Iterable[Asked]) -> float | None:
    """The shortest pause that anybody asked for, unless it is a long one."""
    waits = [one.retry_after for one in asked if one.retry_after is not None]
    shortest = min(waits, default=_PATIENT + 1)
    return shortest if shortest <= _PATIENT else None


def _key(what: str, question: dict[str, Any]) -> str:
    text = json.dumps(["scholar", what, _VERSION, question], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _packed(shape: TypeAdapter[T], made: T) -> bytes:
    """Half a character pair, which an API may send, is nothing that can be kept."""
    data = shape.dump_python(made, mode="json")
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


@cache
def _records() -> TypeAdapter[Record]:
    return TypeAdapter(Record)


@cache
def _matches() -> TypeAdapter[Matches]:
    return TypeAdapter(Matches)
