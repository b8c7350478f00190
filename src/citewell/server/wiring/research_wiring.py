"""Builds the deep research service: the job engine, its workflow, and what the workflow uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citewell.config import Settings
from citewell.errors import InternalError
from citewell.ports import Offer
from citewell.server.wiring.domains.record_finders import build_record_finders
from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit
from citewell.services.drafts.check_jobs import DraftCheckWorkflow
from citewell.services.encoding.passage_similarity import PassageSimilarity
from citewell.services.jobs.engine_timing import EngineTiming
from citewell.services.jobs.job_service import JobService
from citewell.services.judging.claim_judging import ClaimJudging
from citewell.services.library.library_search import OwnerLibraryIndex
from citewell.services.links.link_checks import LinkChecker
from citewell.services.reading.cached_pages import CachedPageReader
from citewell.services.research.collecting.page_finders import (
    LibraryFinder,
    OwnedPageReader,
    PaperFinder,
    WebFinder,
)
from citewell.services.research.collecting.research_rounds import PageFinder, ResearchPorts
from citewell.services.research.planning.provider_choice import ProviderChoice
from citewell.services.research.planning.research_scope import (
    LIBRARY_SCOPE,
    WEB_SCOPE,
    ScopeRules,
)
from citewell.services.research.research_service import RESEARCH_JOB_KIND, ResearchService
from citewell.services.research.research_workflow import ResearchWorkflow, WorkflowDependencies
from citewell.services.research.single_calls import SingleCalls, SingleCallWorkflow
from citewell.services.research.step_values import DRAFT_CHECK_KIND, SINGLE_CALL_KIND
from citewell.services.research.views.prior_work import PriorWork
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.scholar.literature_search import LiteratureSearch
from citewell.services.sources.host_reputation import find_host_reputation
from citewell.services.web.search_cache import CachedWebSearch
from citewell.tooling import Owner

if TYPE_CHECKING:
    from citewell.services.drafts.draft_requests import DraftRequests

EXTRACTIVE_WRITER = "extractive"


def build_research_service(kit: ServiceKit) -> ResearchService:
    settings, catalogue, state = kit.settings, kit.catalogue, kit.open_state()
    # Built now, so that the job engine is closed before the page reader that it uses.
    searches = kit.require_service(CachedWebSearch)
    choice = ProviderChoice(catalogue, has_proxy=bool(settings.outbound_proxy))
    bench = WorkflowDependencies(
        choice=choice,
        store=state.research,
        threads=state.threads,
        ports=lambda owner, scope: _build_collection_ports(kit, searches, owner, scope),
        links=lambda: kit.require_service(LinkChecker),
        similarity=lambda: kit.require_service(PassageSimilarity),
        judging=lambda: kit.require_service(ClaimJudging),
        choose_writer=lambda names: _choose_writer(settings.research_writer, catalogue, names),
    )
    single = SingleCallWorkflow()
    drafts = DraftCheckWorkflow(
        lambda: _require_draft_requests(kit),
        kit.store.artifacts,
        max_seconds=settings.draft_task_timeout,
    )
    jobs = JobService(
        state,
        {
            RESEARCH_JOB_KIND: ResearchWorkflow(bench),
            SINGLE_CALL_KIND: single,
            DRAFT_CHECK_KIND: drafts,
        },
        at_once=settings.research_concurrency,
        per_owner=settings.research_per_owner,
        rates=_parse_rates(settings.research_rates),
        retention=settings.research_retention,
        timing=_build_job_pace(settings),
    )
    return ResearchService(
        jobs=jobs,
        store=state.research,
        threads=state.threads,
        ledger=state.ledger,
        choice=choice,
        prior=PriorWork(state.research, jobs),
        single_calls=SingleCalls(jobs, single),
        scopes=ScopeRules.from_settings(settings),
        judging=bench.judging,
        evidence_tokens=settings.evidence_tokens,
    )


def _require_draft_requests(kit: ServiceKit) -> DraftRequests:
    from citewell.services.drafts.draft_requests import DraftRequests

    return kit.require_service(DraftRequests)


def build_single_calls(kit: ServiceKit) -> SingleCalls:
    calls = kit.require_service(ResearchService).single_calls
    if calls is None:
        raise InternalError("The research service was built without paid single calls.")
    return calls


def _build_job_pace(settings: Settings) -> EngineTiming:
    usual, shortest = (
        EngineTiming(),
        0.01,
    )  # seconds; with a pause of zero the loops would never sleep
    lease, poll = max(settings.research_lease, shortest), max(settings.research_poll, shortest)
    return EngineTiming(
        lease_seconds=lease,
        idle_interval=min(usual.idle_interval, lease / 3),
        watch_interval=min(usual.watch_interval, lease / 3),
        heartbeat_seconds=settings.heartbeat_seconds,
        first_poll_delay=poll,
        max_poll_delay=10 * poll,
    )


def _parse_rates(rates: Sequence[str]) -> dict[str, int]:
    """Starts a minute by provider, from `name=number`."""
    pairs = (rate.partition("=") for rate in rates)
    return {name: int(number) for name, _, number in pairs}


def _build_collection_ports(
    kit: ServiceKit, searches: CachedWebSearch, owner: str, scope: str
) -> ResearchPorts:
    """The searches and the reader that the scope allows."""
    tenant = Owner.parse_text(owner).tenant
    pages, library = kit.require_service(CachedPageReader), kit.require_service(OwnerLibraryIndex)

    def reputation(host: str) -> str | None:
        known = find_host_reputation(host)
        return known.tier if known else None

    finders: list[PageFinder] = []
    if scope != LIBRARY_SCOPE:
        finders += [
            WebFinder(searches, tenant=tenant),
            PaperFinder(kit.require_service(LiteratureSearch)),
            *build_record_finders(kit),
        ]
    if scope != WEB_SCOPE:
        alone = scope == LIBRARY_SCOPE
        finders.append(LibraryFinder(library, owner=owner, is_only_search=alone))
    return ResearchPorts(
        finders=tuple(finders),
        reader=OwnedPageReader(pages, owner=owner, tenant=tenant, scope=scope, library=library),
        reputation=reputation,
    )


def _choose_writer(
    wish: str | None, catalogue: ProviderCatalogue, names: Sequence[str]
) -> str | None:
    """The provider the settings name, or the job's first provider that can write; None for an extractive report."""
    if wish:
        return None if wish == EXTRACTIVE_WRITER else wish
    able = catalogue.list_offering(Offer.WRITING)
    return next((name for name in names if name in able), None)


BUILDERS: ServiceBuilders = {
    "citewell.services.research.research_service:ResearchService": build_research_service,
    "citewell.services.research.single_calls:SingleCalls": build_single_calls,
}
