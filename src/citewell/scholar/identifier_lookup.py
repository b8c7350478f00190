"""Looks up a work by its identifier: whom to ask, in which order, and which registry decides.

Where a registry accepts lists, many lookups share one request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from citewell.core import errors
from citewell.core.values.paper import IdentifierScheme, Paper, PaperId
from citewell.routing.ports import Offer, PaperLookup, PaperLookupMany
from citewell.routing.provider_panel import (
    ABSENT,
    FOUND,
    ProviderAnswer,
    ProviderOutcome,
    ProviderPanel,
)
from citewell.scholar import record_merging
from citewell.text.data_tables import load_table

if TYPE_CHECKING:
    from citewell.providers.doi import Provider as DoiRegistry

_BATCH_WINDOW_SECONDS = 0.005  # seconds; lookups within this time share a request
_BUSY_HOLD_SECONDS = 0.5  # seconds that an incomplete batch waits while others are in flight
_MAX_CONCURRENT_BATCHES = 3  # requests of one queue at the same time
_MAX_CONSECUTIVE_FAULTS = 8  # refusals in a row after which the batch is given up
# Errors in which one identifier, or their number, may be at fault.
_LIST_ERRORS = (errors.RejectedRequest, errors.MalformedResponse, errors.TooLarge)


class LookupBatcher:
    """One queue for each registry and scheme; a cancelled caller does not affect the others."""

    def __init__(
        self, *, moment: float = _BATCH_WINDOW_SECONDS, hold: float = _BUSY_HOLD_SECONDS
    ) -> None:
        self._moment = moment
        self._hold = hold
        self._lines: dict[tuple[int, IdentifierScheme], _LookupQueue] = {}

    async def look_up_in_batch(self, provider: PaperLookup, paper_id: PaperId) -> Paper | None:
        """What `provider.look_up_paper` would return, batched with other lookups if possible."""
        line = self._lines.get((id(provider), paper_id.scheme))
        if line is not None:
            return await line.await_lookup(paper_id)
        if not isinstance(provider, PaperLookupMany) or paper_id.scheme not in provider.max_batch:
            return await provider.look_up_paper(paper_id)
        line = _LookupQueue(
            provider, paper_id.scheme, window_seconds=self._moment, hold_seconds=self._hold
        )
        self._lines[id(provider), paper_id.scheme] = line
        return await line.await_lookup(paper_id)


@dataclass(slots=True, kw_only=True, eq=False)
class _PendingLookup:
    """One identifier, and the future that its callers wait for."""

    paper_id: PaperId
    answer: asyncio.Future[Paper | None]
    callers: int = 0
    batch: _LookupBatch | None = None  # once it is sent

    def settle_lookup(self, paper: Paper | None) -> None:
        if not self.answer.done():
            self.answer.set_result(paper)

    def fail_lookup(self, error: BaseException) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass(slots=True, kw_only=True, eq=False)
class _LookupBatch:
    """The lookups of one request."""

    lookups: Sequence[_PendingLookup]
    task: asyncio.Task[None] | None = None
    faults: int = 0  # in a row


@dataclass(slots=True, eq=False)
class _LookupQueue:
    provider: PaperLookupMany
    scheme: IdentifierScheme
    window_seconds: float = field(kw_only=True)
    hold_seconds: float = field(kw_only=True)
    waiting: dict[PaperId, _PendingLookup] = field(default_factory=dict)
    in_flight: dict[PaperId, _PendingLookup] = field(default_factory=dict)
    batches: list[_LookupBatch] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None

    async def await_lookup(self, paper_id: PaperId) -> Paper | None:
        lookup = (
            self.in_flight.get(paper_id) or self.waiting.get(paper_id) or self._add_lookup(paper_id)
        )
        lookup.callers += 1
        try:
            return await asyncio.shield(lookup.answer)
        finally:
            lookup.callers -= 1
            if not lookup.callers and not lookup.answer.done():
                self._remove_lookup(lookup)

    def _add_lookup(self, paper_id: PaperId) -> _PendingLookup:
        future = asyncio.get_running_loop().create_future()
        lookup = self.waiting[paper_id] = _PendingLookup(paper_id=paper_id, answer=future)
        self._schedule_batches()
        return lookup

    def _remove_lookup(self, lookup: _PendingLookup) -> None:
        """Drop a lookup that no caller waits for; cancel its request if nobody needs that either."""
        lookup.answer.cancel()
        for known in (self.waiting, self.in_flight):
            if known.get(lookup.paper_id) is lookup:
                del known[lookup.paper_id]
        batch = lookup.batch
        if batch and batch.task and not any(other.callers for other in batch.lookups):
            batch.task.cancel()
        if self.timer is not None and not self.waiting:
            self.timer.cancel()
            self.timer = None

    def _schedule_batches(self) -> None:
        """Send full batches now, and set a timer for the rest."""
        while (
            len(self.waiting) >= self._batch_limit and len(self.batches) < _MAX_CONCURRENT_BATCHES
        ):
            self._send_batch()
        if self.waiting and self.timer is None:
            delay = self.hold_seconds if self.batches else self.window_seconds
            self.timer = asyncio.get_running_loop().call_later(delay, self._send_waiting)

    def _send_waiting(self) -> None:
        self.timer = None
        while self.waiting and len(self.batches) < _MAX_CONCURRENT_BATCHES:
            self._send_batch()

    def _send_batch(self) -> None:
        lookups = [self.waiting.pop(key) for key in list(self.waiting)[: self._batch_limit]]
        trip = _LookupBatch(lookups=lookups)
        for lookup in lookups:
            lookup.batch = trip
            self.in_flight[lookup.paper_id] = lookup
        self.batches.append(trip)
        trip.task = asyncio.create_task(self._look_up_batch(trip, lookups))
        trip.task.add_done_callback(partial(self._finish_batch, trip))

    def _finish_batch(self, trip: _LookupBatch, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        for lookup in trip.lookups:
            lookup.fail_lookup(
                error or errors.InternalError("The lookup was cancelled internally.")
            )
            if self.in_flight.get(lookup.paper_id) is lookup:
                del self.in_flight[lookup.paper_id]
        self.batches.remove(trip)
        if not self.batches:
            if self.timer is not None:
                self.timer.cancel()
            self._send_waiting()
        else:
            self._schedule_batches()

    @property
    def _batch_limit(self) -> int:
        return max(1, self.provider.max_batch[self.scheme])

    async def _look_up_batch(self, trip: _LookupBatch, lookups: Sequence[_PendingLookup]) -> None:
        """One request for all; if the list may be at fault, again for each half of it."""
        if len(lookups) == 1:
            await self._look_up_single(trip, lookups[0])
            return
        try:
            papers = await self.provider.look_up_papers([lookup.paper_id for lookup in lookups])
        except _LIST_ERRORS as error:
            _count_fault(trip, error)
            half = len(lookups) // 2
            await self._look_up_batch(trip, lookups[:half])
            await self._look_up_batch(trip, lookups[half:])
            return
        trip.faults = 0
        open_ = [lookup for lookup in lookups if lookup.paper_id not in papers]
        for lookup in lookups:
            if lookup.paper_id in papers:
                lookup.settle_lookup(papers[lookup.paper_id])
        for start in range(0, len(open_), _MAX_CONCURRENT_BATCHES):
            several = open_[start : start + _MAX_CONCURRENT_BATCHES]
            done = (self._look_up_single(trip, lookup) for lookup in several)
            failures = filter(None, await asyncio.gather(*done, return_exceptions=True))
            if failure := next(failures, None):
                raise failure

    async def _look_up_single(self, trip: _LookupBatch, lookup: _PendingLookup) -> None:
        if lookup.answer.done():
            return
        try:
            lookup.settle_lookup(await self.provider.look_up_paper(lookup.paper_id))
            trip.faults = 0
        except _LIST_ERRORS as error:
            lookup.fail_lookup(error)
            _count_fault(trip, error)
        # Any other error is the registry's own and fails all lookups that are still open.


def _count_fault(trip: _LookupBatch, error: errors.CitewellError) -> None:
    trip.faults += 1
    if trip.faults >= _MAX_CONSECUTIVE_FAULTS:
        raise error


# Looks up a work by its identifier.

NOT_REGISTERED, UNCHECKED = "not_registered", "unchecked"
_FIRST_ASKED_COUNT = 2  # providers asked before any other
# Which registry decides whether an identifier exists; for a DOI it is the handle registry.
_SCHEME_AUTHORITIES = {
    IdentifierScheme.ARXIV: "arxiv",
    IdentifierScheme.PMID: "pubmed",
    IdentifierScheme.S2: "semanticscholar",
    IdentifierScheme.OPENALEX: "openalex",
    IdentifierScheme.RFC: "rfceditor",
}  # none for an ISBN: no registry lists every book
# Prefixes of archives that register with DataCite, which alone knows what a preprint became.
_DATACITE_PREFIXES = ("10.48550/", "10.5281/", "10.5061/", "10.6084/", "10.17605/", "10.7910/")
_DOI_AGENCIES = ("datacite", "doi")  # asked together with the handle registry


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRecord:
    """The result of looking up one identifier.

    `found` without a paper means that the identifier is registered but no provider describes it.
    `unchecked` means that the deciding registry could not be asked, so nothing is known.
    """

    paper: Paper | None
    state: str  # found, not_registered or unchecked
    asked: tuple[ProviderOutcome, ...] = ()


class IdentifierLookup:
    def __init__(self, panel: ProviderPanel, bundles: LookupBatcher, *, grace: float) -> None:
        """`grace` is how long others are waited for, in seconds, once one registry has answered."""
        self._panel = panel
        self._bundles = bundles
        self._known: dict[
            IdentifierScheme, tuple[str, ...]
        ] = {}  # providers by scheme; never changes
        self._grace = grace

    async def find_work_record(self, paper_id: PaperId) -> WorkRecord:
        """The merged record of the work; failures of providers are in `asked`, not raised."""
        names = self._list_id_providers(paper_id)
        first, later = names[:_FIRST_ASKED_COUNT], names[_FIRST_ASKED_COUNT:]
        answers = await self._ask_for_descriptions(first, paper_id)
        if _collect_found_papers(answers) or paper_id.scheme is not IdentifierScheme.DOI:
            return await self._resolve_without_registry(paper_id, answers, later)
        return await self._resolve_by_registry(paper_id, answers, later)

    async def _resolve_without_registry(
        self, paper_id: PaperId, answers: tuple[ProviderAnswer[Paper], ...], later: tuple[str, ...]
    ) -> WorkRecord:
        """The record if no handle registry is needed: the scheme's own registry decides."""
        if not _collect_found_papers(answers) and not _is_denied_by_authority(paper_id, answers):
            answers += await self._ask_for_descriptions(later, paper_id)
        if found := _collect_found_papers(answers):
            return _build_work_record(FOUND, answers, paper=record_merging.merge_records(found))
        return _build_work_record(
            NOT_REGISTERED if _is_denied_by_authority(paper_id, answers) else UNCHECKED, answers
        )

    async def _resolve_by_registry(
        self, doi: PaperId, answers: tuple[ProviderAnswer[Paper], ...], later: tuple[str, ...]
    ) -> WorkRecord:
        """The record of a DOI that the first providers lack; the handle registry decides."""
        agencies = [name for name in later if name in _DOI_AGENCIES]
        registry, more = await self._ask_registry_and_agencies(doi, agencies)
        answers += more
        if not _collect_found_papers(answers) and not _is_unregistered(registry):
            rest = [name for name in later if name not in _DOI_AGENCIES]
            answers += await self._ask_for_descriptions(rest, doi)
        asked = tuple(answer.outcome_summary for answer in registry)
        if found := _collect_found_papers(answers):
            return _build_work_record(
                FOUND, answers, paper=record_merging.merge_records(found), also=asked
            )
        known = any(answer.value for answer in registry)
        state = FOUND if known else NOT_REGISTERED if _is_unregistered(registry) else UNCHECKED
        return _build_work_record(state, answers, also=asked)

    async def _ask_registry_and_agencies(
        self, doi: PaperId, agencies: Sequence[str]
    ) -> tuple[tuple[ProviderAnswer[bool], ...], tuple[ProviderAnswer[Paper], ...]]:
        """Ask the registry and the agencies at once; skip the agencies if the DOI is not registered."""
        described = asyncio.create_task(self._ask_for_descriptions(agencies, doi))
        try:
            registry = await self._ask_doi_registry(doi)
            return registry, () if _is_unregistered(registry) else await described
        finally:
            described.cancel()
            await asyncio.gather(described, return_exceptions=True)

    async def _ask_for_descriptions(
        self, names: Iterable[str], paper_id: PaperId
    ) -> tuple[ProviderAnswer[Paper], ...]:
        async def question(provider: PaperLookup) -> Paper | None:
            return _keep_exact_work(
                await self._bundles.look_up_in_batch(provider, paper_id), paper_id
            )

        return await self._panel.ask_together(
            names,
            question,
            enough=lambda answers: any(answer.value is not None for answer in answers),
            grace_seconds=self._grace,
        )

    async def _ask_doi_registry(self, doi: PaperId) -> tuple[ProviderAnswer[bool], ...]:
        async def question(provider: DoiRegistry) -> bool:
            return await provider.is_registered(doi.value)

        return await self._panel.ask_together(
            self._panel.list_able_providers(Offer.REGISTRY), question
        )

    def _list_id_providers(self, paper_id: PaperId) -> tuple[str, ...]:
        names = self._list_scheme_providers(paper_id.scheme)
        if paper_id.scheme is IdentifierScheme.DOI and paper_id.value.startswith(
            _DATACITE_PREFIXES
        ):
            first = [name for name in ("datacite", "openalex") if name in names]
            return (*first, *(name for name in names if name not in first))
        return names

    def _list_scheme_providers(self, scheme: IdentifierScheme) -> tuple[str, ...]:
        if scheme not in self._known:
            orders = load_table(__package__, "provider_orders")["lookup"]
            names = self._panel.list_able_providers(Offer.LOOKUP, orders.get(scheme, ()))
            self._known[scheme] = tuple(
                name
                for name in names
                if isinstance(provider := self._panel.load_provider(name), PaperLookup)
                and scheme in provider.schemes
            )
        return self._known[scheme]


def _is_denied_by_authority(paper_id: PaperId, answers: Sequence[ProviderAnswer[Paper]]) -> bool:
    authority = _SCHEME_AUTHORITIES.get(paper_id.scheme)
    return any(
        answer.provider == authority and answer.outcome_summary.outcome == ABSENT
        for answer in answers
    )


def _is_unregistered(registry: Sequence[ProviderAnswer[bool]]) -> bool:
    """Whether a registry answered and none has the DOI."""
    heard = [answer for answer in registry if answer.error is None]
    return bool(heard) and not any(answer.value for answer in heard)


def _keep_exact_work(paper: Paper | None, paper_id: PaperId) -> Paper | None:
    """The paper, or None if it has another identifier than the one asked for.

    A record of the DOI system is always kept: it may name the DOI that this one is an alias of.
    """
    if paper is None or paper.source == "doi":
        return paper
    registered = paper.ids.get(paper_id.scheme)
    return paper if registered is None or registered.lower() == paper_id.value.lower() else None


def _collect_found_papers(answers: Iterable[ProviderAnswer[Paper]]) -> list[Paper]:
    return [answer.value for answer in answers if answer.value is not None]


def _build_work_record(
    state: str,
    answers: Iterable[ProviderAnswer[Paper]],
    *,
    paper: Paper | None = None,
    also: tuple[ProviderOutcome, ...] = (),
) -> WorkRecord:
    return WorkRecord(
        paper=paper, state=state, asked=(*(answer.outcome_summary for answer in answers), *also)
    )
