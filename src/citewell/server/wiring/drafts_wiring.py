"""Builds the services that check drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.model.paper_results import PaperResult
    from citewell.services.drafts.check_jobs import DraftCheckJobs
    from citewell.services.drafts.draft_check import DraftCheck
    from citewell.services.drafts.draft_files import DraftFileReader
    from citewell.services.drafts.draft_requests import DraftRequests

_ANSWER_RESERVE_SECONDS = 15.0  # of the tool's time: judging what was read, and the report


def build_draft_check(kit: ServiceKit) -> DraftCheck:
    from citewell.model.routing_trace import RoutingTrace
    from citewell.server.wiring.trust_wiring import build_work_lookup, require_legal_checker
    from citewell.services.drafts.draft_check import DraftCheck
    from citewell.services.drafts.judged_statements import JudgedStatements
    from citewell.services.drafts.other_sources import FoundWork, OtherSourceFinder
    from citewell.services.drafts.reference_examination import ReferenceExaminer
    from citewell.services.drafts.source_choices import SourceChoices
    from citewell.services.drafts.source_reading import SourceReader
    from citewell.services.judging.claim_judging import ClaimJudging
    from citewell.services.library.library_search import OwnerLibraryIndex
    from citewell.services.links.link_checks import LinkChecker
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.routing.provider_panel import ProviderPanel
    from citewell.services.scholar.copy_candidates import CopyCandidates
    from citewell.services.scholar.literature_search import LiteratureSearch
    from citewell.services.scholar.open_copies import OpenCopyFinder
    from citewell.services.scholar.paper_request import PaperSearchRequest
    from citewell.services.trust.references.reference_lookup import ReferenceLookup
    from citewell.services.web.search_request import SearchRequest
    from citewell.services.web.search_service import WebSearchService
    from citewell.store.cache.answer_sharing import without_library
    from citewell.text.safety.markup_cleaning import clean_markup

    async def search_outside(words: str) -> tuple[str, ...]:
        ask = SearchRequest(query=words, count=3)
        found = await kit.require_service(WebSearchService).search_web_pages(
            ask, trace=RoutingTrace()
        )
        return tuple(one.url for one in found.results)

    async def search_works(words: str) -> tuple[FoundWork, ...]:
        ask = PaperSearchRequest(query=words, count=3)
        with without_library():  # it was looked through already
            answer = await kit.require_service(LiteratureSearch).search_literature(
                ask, trace=RoutingTrace()
            )
        sound = (one for one in answer.papers if not _is_retracted(one))
        return tuple(
            FoundWork(
                url=one.url,
                title=clean_markup(one.title),
                abstract=clean_markup(one.abstract or ""),
                copy_url=one.pdf_url or one.url,
            )
            for one in sound
        )

    panel = kit.require_service(ProviderPanel)
    pages = kit.require_service(CachedPageReader)
    references = ReferenceLookup(build_work_lookup(kit), require_legal_checker(kit))
    copies = CopyCandidates(
        panel, OpenCopyFinder(panel), resolver=kit.catalogue.find_spec("doi").base_url
    )
    return DraftCheck(
        examiner=ReferenceExaminer(references, kit.require_service(LinkChecker)),
        reader=SourceReader(pages, copies, choices=SourceChoices(kit.store.loader, kit.sharing)),
        judging=kit.require_service(ClaimJudging),
        judged=JudgedStatements(kit.store.cache),
        others=OtherSourceFinder(
            pages,
            library=kit.require_service(OwnerLibraryIndex),
            literature=search_works,
            search=search_outside,
        ),
        call_seconds=max(1.0, kit.settings.long_tool_timeout - _ANSWER_RESERVE_SECONDS),
    )


def _is_retracted(paper: PaperResult) -> bool:
    return paper.retraction_status is not None and bool(paper.retraction_status.retracted)


def build_draft_reader(kit: ServiceKit) -> DraftFileReader:
    from citewell.services.drafts.draft_files import DraftFileReader

    return DraftFileReader(kit.settings, kit.workers)


def build_draft_requests(kit: ServiceKit) -> DraftRequests:
    from citewell.services.drafts.draft_check import DraftCheck
    from citewell.services.drafts.draft_files import DraftFileReader
    from citewell.services.drafts.draft_requests import DraftRequests

    return DraftRequests(kit.require_service(DraftFileReader), kit.require_service(DraftCheck))


def build_check_jobs(kit: ServiceKit) -> DraftCheckJobs:
    from citewell.services.drafts.check_jobs import DraftCheckJobs
    from citewell.services.research.research_service import ResearchService

    return DraftCheckJobs(kit.require_service(ResearchService).jobs, kit.store.artifacts)


BUILDERS: ServiceBuilders = {
    "citewell.services.drafts.draft_files:DraftFileReader": build_draft_reader,
    "citewell.services.drafts.draft_check:DraftCheck": build_draft_check,
    "citewell.services.drafts.draft_requests:DraftRequests": build_draft_requests,
    "citewell.services.drafts.check_jobs:DraftCheckJobs": build_check_jobs,
}
