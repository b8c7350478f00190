"""Puts the job engine together, with the workflow of deep research and what that uses."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.core.config import Settings
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner
from citewell.evidence.encoding.passage_similarity import PassageSimilarity
from citewell.evidence.judging.claim_judging import ClaimJudging
from citewell.jobs.job_service import JobService
from citewell.jobs.run_record import EngineTiming
from citewell.jobs.step_values import RESEARCH_JOB_KIND, SINGLE_CALL_KIND
from citewell.library.library_access import OwnerLibraryIndex
from citewell.links.link_checks import LinkChecker
from citewell.reading.metadata.host_standing import find_host_reputation
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.research.pages import page_finders
from citewell.research.pages.research_rounds import PageFinder, ResearchPorts
from citewell.research.planning.provider_choice import ProviderChoice
from citewell.research.planning.thread_context import LIBRARY_SCOPE, WEB_SCOPE
from citewell.research.reporting.evidence_pack import EXTRACTIVE_WRITER
from citewell.research.research_workflow import ResearchWorkflow, WorkflowDependencies
from citewell.research.settings import ResearchSettings
from citewell.research.single_calls import SingleCallWorkflow
from citewell.routing.ports import Offer
from citewell.scholar.literature_search import LiteratureSearch
from citewell.search.search_cache import CachedWebSearch


def open_job_service(kit: ServiceKit) -> JobService:
    """The engine that runs the jobs of research, of single paid calls and of checks of drafts."""
    settings, catalogue, state = kit.settings, kit.catalogue, kit.open_state()
    # Built now, so that the job engine is closed before the page reader that it uses.
    searches = kit.require_service(CachedWebSearch)

    def choose_writer(names: Sequence[str]) -> str | None:
        """The named provider, or the job's first that can write; None for an extractive report."""
        if named := settings[ResearchSettings].research_writer:
            return None if named == EXTRACTIVE_WRITER else named
        able = catalogue.list_offering(Offer.WRITING)
        return next((name for name in names if name in able), None)

    research = WorkflowDependencies(
        choice=kit.require_service(ProviderChoice),
        store=state.research,
        threads=state.threads,
        ports=lambda owner, scope: _build_collection_ports(kit, searches, owner, scope),
        links=lambda: kit.require_service(LinkChecker),
        similarity=lambda: kit.require_service(PassageSimilarity),
        judging=lambda: kit.require_service(ClaimJudging),
        choose_writer=choose_writer,
    )
    return JobService(
        state,
        {
            RESEARCH_JOB_KIND: ResearchWorkflow(research),
            SINGLE_CALL_KIND: kit.require_service(SingleCallWorkflow),
            **kit.collect_room_workflows(),
        },
        at_once=settings[ResearchSettings].research_concurrency,
        per_owner=settings[ResearchSettings].research_per_owner,
        rates={
            name: int(number)  # starts a minute
            for name, _, number in (
                rate.partition("=") for rate in settings[ResearchSettings].research_rates
            )
        },
        retention=settings[ResearchSettings].research_retention,
        timing=_build_job_pace(settings),
    )


def _build_job_pace(settings: Settings) -> EngineTiming:
    research_settings = settings[ResearchSettings]
    usual, shortest = (
        EngineTiming(),
        0.01,
    )  # seconds; with a pause of zero the loops would never sleep
    lease, poll = (
        max(research_settings.research_lease, shortest),
        max(research_settings.research_poll, shortest),
    )
    return EngineTiming(
        lease_seconds=lease,
        idle_interval=min(usual.idle_interval, lease / 3),
        watch_interval=min(usual.watch_interval, lease / 3),
        heartbeat_seconds=research_settings.heartbeat_seconds,
        first_poll_delay=poll,
        max_poll_delay=10 * poll,
    )


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
            page_finders.WebFinder(searches, tenant=tenant),
            page_finders.PaperFinder(kit.require_service(LiteratureSearch)),
            *kit.build_record_finders(),
        ]
    if scope != WEB_SCOPE:
        alone = scope == LIBRARY_SCOPE
        finders.append(page_finders.LibraryFinder(library, owner=owner, is_only_search=alone))
    return ResearchPorts(
        finders=tuple(finders),
        reader=page_finders.OwnedPageReader(
            pages, owner=owner, tenant=tenant, scope=scope, library=library
        ),
        reputation=reputation,
    )
