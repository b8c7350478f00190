"""One question to one provider: what it is sent, and what is made of its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from citewell.errors import CitewellError, Misconfigured
from citewell.model.search import Filter, Found, Hit, Query
from citewell.model.source import FilterReport
from citewell.ports import NewsSearch, Offer, Spec, WebSearch
from citewell.services.catalogue import Catalogue
from citewell.services.web import filters, merge
from citewell.services.web.dating import dated
from citewell.services.web.failure import told
from citewell.services.web.lenses import Lens
from citewell.text.operators import compose

T = TypeVar("T")

_UNBOUNDED = 1_000_000
_SHORT_DOMAIN = 10  # a provider that takes more sites than its text could hold has a parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A provider's answer after our own filters, and the account of how it came about."""

    provider: str
    hits: tuple[Hit, ...]
    reports: tuple[FilterReport, ...] = ()
    notes: tuple[str, ...] = ()
    dropped: int = 0  # results our own filters removed
    queries: int = 1  # how many it took
    limit: int = 0  # the most this provider could have returned
    total: int | None = None
    engines: tuple[str, ...] = ()
    unresponsive: tuple[tuple[str, str], ...] = ()
    instance: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one provider will be sent, and what is left for us to do."""

    spec: Spec
    offer: Offer
    whole: Query  # every constraint, to check the results against
    parts: tuple[Query, ...]  # one, or several where the sites do not fit into one
    shares: filters.Shares
    lens: bool


class Asker:
    def __init__(self, catalogue: Catalogue, *, now: Callable[[], datetime]) -> None:
        self._catalogue = catalogue
        self._now = now

    async def ask(self, name: str, query: Query, *, lens: Lens | None = None) -> Reply:
        """The provider's results; its own error when it fails."""
        plan = planned(self._catalogue.spec(name), query, lens=lens)
        answers = await asyncio.gather(*(self._part(plan, part) for part in plan.parts))
        found = [answer for answer in answers if isinstance(answer, Found)]
        failed = [answer for answer in answers if isinstance(answer, CitewellError)]
        if not found:
            raise failed[0]
        return self._reply(plan, found, failed)

    async def _part(self, plan: Plan, part: Query) -> Found | CitewellError:
        """Errors come back as values, so that one part's failure spares the others."""
        provider = self._catalogue.provider(plan.spec.name)
        try:
            if plan.offer is Offer.NEWS and isinstance(provider, NewsSearch):
                return await provider.news(part)
            if isinstance(provider, WebSearch):
                return await provider.web(part)
        except CitewellError as error:
            return told(error, plan.spec)
        raise TypeError(f"{plan.spec.name} declares {plan.offer} and does not offer it")

    def _reply(self, plan: Plan, found: Sequence[Found], failed: Sequence[CitewellError]) -> Reply:
        now = self._now()
        sieve = filters.Sieve(plan.whole, plan.shares.later, now=now)
        hits = [self._named(plan.spec, hit, now) for hit in _interleaved(found)]
        kept = tuple(hit for hit in hits if sieve.keeps(hit))
        rows = filters.reports(plan.shares, plan.spec, lens=plan.lens, undated=sieve.undated)
        rows += _lens_rows(plan)
        return Reply(
            provider=plan.spec.name,
            hits=kept,
            reports=rows,
            notes=(*_notes(found), *_accounts(plan, failed)),
            dropped=len(hits) - len(kept),
            queries=len(plan.parts),
            limit=plan.spec.max_results,
            total=_total(found, complete=not failed),
            engines=_unique(engine for answer in found for engine in answer.engines),
            unresponsive=_unique(pair for answer in found for pair in answer.unresponsive),
            instance=next((answer.instance for answer in found if answer.instance), None),
        )

    @staticmethod
    def _named(spec: Spec, hit: Hit, now: datetime) -> Hit:
        known = hit if hit.engine else replace(hit, engine=spec.name)
        return dated(known, now=now)


def planned(spec: Spec, query: Query, *, lens: Lens | None) -> Plan:
    """How this provider is asked; Misconfigured when it cannot serve the lens at all."""
    whole = _through(spec, query, lens)
    offer = Offer.NEWS if query.category == "news" and Offer.NEWS in spec.offers else Offer.WEB
    fits = {Filter.CATEGORY} if offer is Offer.NEWS else set()
    shares = filters.shares(whole, spec, fits=fits)
    if Filter.SITES in shares.native and not _fits(spec, whole, whole.sites[:1]):
        shares = replace(
            shares,
            native=shares.native - {Filter.SITES},
            later=shares.later | {Filter.SITES},
        )
    sent = filters.stripped(whole, shares.native)
    room = 2 * query.count if shares.later else query.count  # some of them will be dropped
    sent = sent.with_(count=min(room, spec.max_results))
    return Plan(
        spec=spec,
        offer=offer,
        whole=whole,
        parts=_parts(spec, sent),
        shares=shares,
        lens=lens is not None,
    )


def _through(spec: Spec, query: Query, lens: Lens | None) -> Query:
    """The query as the lens shapes it for this provider."""
    if lens is None:
        return query
    if lens.cx and spec.name == "google":
        return query.with_(engine_id=lens.cx)
    if lens.goggle and spec.name == "brave":
        return query.with_(goggle=lens.goggle)
    if not lens.domains:
        raise Misconfigured(
            f"The lens {lens.name} lists no domains and works with {lens.bound_to} only.",
            provider=spec.name,
            alternatives=[lens.bound_to] if lens.bound_to else (),
            action="try_different_provider",
        )
    return query.with_(sites=lens.domains)


def _parts(spec: Spec, query: Query) -> tuple[Query, ...]:
    """The query once for as many of its sites as one question can carry."""
    parts: list[tuple[str, ...]] = []
    current: tuple[str, ...] = ()
    for site in query.sites:
        if current and not _fits(spec, query, (*current, site)):
            parts.append(current)
            current = ()
        current = (*current, site)
    parts.append(current)
    return tuple(query.with_(sites=sites) for sites in parts)


def _fits(spec: Spec, query: Query, sites: tuple[str, ...]) -> bool:
    if len(sites) > spec.max_sites:
        return False
    if spec.max_sites * _SHORT_DOMAIN > spec.max_query:
        return True
    return len(compose(query.with_(sites=sites), limit=_UNBOUNDED)) <= spec.max_query


def _interleaved(found: Sequence[Found]) -> tuple[Hit, ...]:
    if len(found) == 1:
        return tuple(merge.unique(found[0].hits))
    ranked = merge.fuse(answer.hits for answer in found)
    return tuple(
        replace(item.hit, score=None) for item in ranked
    )  # scores of two lists do not compare


def _total(found: Sequence[Found], *, complete: bool) -> int | None:
    totals = [answer.total for answer in found if answer.total is not None]
    return sum(totals) if complete and len(totals) == len(found) else None


def _notes(found: Sequence[Found]) -> tuple[str, ...]:
    return _unique(note for answer in found for note in answer.notes)


def _accounts(plan: Plan, failed: Sequence[CitewellError]) -> list[str]:
    """What the caller should know of how this provider was asked."""
    spec, notes = plan.spec, []
    if plan.lens and len(plan.parts) > 1:
        notes.append(
            f"All {len(plan.whole.sites)} domains of the lens were asked for, in"
            f" {len(plan.parts)} queries to {spec.title}."
        )
    if failed:
        notes.append(
            f"{len(failed)} of {len(plan.parts)} queries to {spec.title} failed"
            f" ({failed[0].kind}), so some sites were not searched."
        )
    longest = max(len(compose(part.with_(sites=()), limit=_UNBOUNDED)) for part in plan.parts)
    if longest > spec.max_query:
        notes.append(f"{spec.title} takes {spec.max_query} characters; the query was cut to fit.")
    return notes


def _lens_rows(plan: Plan) -> tuple[FilterReport, ...]:
    """A lens that is an engine or a goggle of the provider's own leaves no site filter behind."""
    own = {"its own search engine": plan.whole.engine_id, "its own goggle": plan.whole.goggle}
    return tuple(
        FilterReport(filter="lens", by=plan.spec.name, note=f"Applied by {what}.")
        for what, given in own.items()
        if given
    )


def _unique(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))
