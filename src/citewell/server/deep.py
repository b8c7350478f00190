"""Deep research put together: the engine, its workflow, and what the workflow works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from citewell.config import Settings
from citewell.ports import Offer
from citewell.services.catalogue import Catalogue
from citewell.services.jobs.pace import Pace
from citewell.services.jobs.service import Jobs
from citewell.services.library.index import Index
from citewell.services.links import Links
from citewell.services.pages import CachedRead
from citewell.services.read import Read
from citewell.services.reputation import Reputations
from citewell.services.research.choosing import Choice
from citewell.services.research.collect import Ports
from citewell.services.research.finders import LibraryFinder, PaperFinder, Reader, WebFinder
from citewell.services.research.prior import Prior
from citewell.services.research.service import KIND, Research
from citewell.services.research.workflow import Bench, Workflow
from citewell.services.scholar.search import Literature
from citewell.services.searches import Searches
from citewell.store.state import State

EXTRACTIVE = "extractive"

Provide = Callable[[type[Any]], Any]


def research(
    *,
    settings: Settings,
    state: State,
    catalogue: Catalogue,
    searches: Searches,
    provide: Provide,
) -> Research:
    choice = Choice(catalogue)
    bench = Bench(
        choice=choice,
        store=state.research,
        threads=state.threads,
        ports=lambda owner: _ports(provide, searches, owner),
        links=lambda: provide(Links),
        writer=lambda names: _writer(settings.research_writer, catalogue, names),
    )
    jobs = Jobs(
        state,
        {KIND: Workflow(bench)},
        at_once=settings.research_concurrency,
        per_owner=settings.research_per_owner,
        retention=settings.research_retention,
        pace=_pace(settings),
    )
    return Research(
        jobs=jobs,
        store=state.research,
        threads=state.threads,
        ledger=state.ledger,
        choice=choice,
        prior=Prior(state.research, jobs),
    )


def _pace(settings: Settings) -> Pace:
    usual, shortest = Pace(), 0.01  # seconds: a pause of nothing would never rest
    lease, poll = max(settings.research_lease, shortest), max(settings.research_poll, shortest)
    return Pace(
        lease=lease,
        idle=min(usual.idle, lease / 3),
        watch=min(usual.watch, lease / 3),
        first_poll=poll,
        last_poll=10 * poll,
    )


def _ports(provide: Provide, searches: Searches, owner: str) -> Ports:
    tenant = owner.partition("/")[0]
    reputations = Reputations()
    pages: CachedRead = provide(Read)  # every tool reads through the kept pages

    def reputation(host: str) -> str | None:
        known = reputations.of(host)
        return known.tier if known else None

    return Ports(
        finders=(
            WebFinder(searches, tenant=tenant),
            PaperFinder(provide(Literature)),
            LibraryFinder(provide(Index), owner=owner),
        ),
        reader=Reader(pages, owner=owner, tenant=tenant),
        reputation=reputation,
    )


def _writer(wish: str | None, catalogue: Catalogue, names: Sequence[str]) -> str | None:
    """Whoever the settings name; without a wish, the first of the job's own providers that can."""
    if wish:
        return None if wish == EXTRACTIVE else wish
    able = catalogue.offering(Offer.WRITING)
    return next((name for name in names if name in able), None)
