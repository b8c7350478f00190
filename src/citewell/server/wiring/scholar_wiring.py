"""Builds the services that search, look up and read scholarly works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.scholar.citation_neighbours import CitationGraphSearch
    from citewell.services.scholar.literature_search import LiteratureSearch
    from citewell.services.scholar.paper_full_text import FullTextReader
    from citewell.services.scholar.registry_records import WorkRecords

ANSWER_RESERVE_SECONDS = 10.0  # of the tool's time, left for the answer after reading copies


def build_work_records(kit: ServiceKit) -> WorkRecords:
    from citewell.services.routing.provider_panel import ProviderPanel
    from citewell.services.scholar.registry_records import WorkRecords

    return WorkRecords(
        kit.require_service(ProviderPanel), loader=kit.store.loader, sharing=kit.sharing
    )


def build_literature_search(kit: ServiceKit) -> LiteratureSearch:
    from citewell.services.routing.provider_panel import ProviderPanel
    from citewell.services.scholar.literature_search import LiteratureSearch
    from citewell.services.scholar.open_copies import OpenCopyFinder
    from citewell.services.scholar.paper_search_ladder import PaperSearchLadder
    from citewell.services.trust.retractions.paper_statuses import PaperStatusFinder
    from citewell.services.web.search_service import WebSearchService

    panel = kit.require_service(ProviderPanel)
    thin = kit.settings.search_thin_threshold
    return LiteratureSearch(
        catalogue=kit.catalogue,
        ladder=PaperSearchLadder(kit.catalogue, panel, OpenCopyFinder(panel), thin_count=thin),
        web=lambda: kit.require_service(WebSearchService),
        resting=kit.find_pause,
        retractions=kit.require_service(PaperStatusFinder),
    )


def build_citation_graph(kit: ServiceKit) -> CitationGraphSearch:
    from citewell.services.routing.provider_panel import ProviderPanel
    from citewell.services.scholar.citation_neighbours import CitationGraphSearch
    from citewell.services.scholar.registry_records import WorkRecords
    from citewell.services.trust.retractions.paper_statuses import PaperStatusFinder

    return CitationGraphSearch(
        catalogue=kit.catalogue,
        panel=kit.require_service(ProviderPanel),
        records=kit.require_service(WorkRecords),
        retractions=kit.require_service(PaperStatusFinder),
    )


def build_full_text_reader(kit: ServiceKit) -> FullTextReader:
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.routing.provider_panel import ProviderPanel
    from citewell.services.scholar.copy_candidates import CopyCandidates
    from citewell.services.scholar.open_copies import OpenCopyFinder
    from citewell.services.scholar.paper_full_text import FullTextReader
    from citewell.services.scholar.registry_records import WorkRecords
    from citewell.services.scholar.work_resolution import WorkResolver
    from citewell.services.trust.notice_weighing import weigh_notices
    from citewell.services.trust.retraction_checks import RetractionChecker

    panel = kit.require_service(ProviderPanel)
    pages = kit.require_service(CachedPageReader)
    return FullTextReader(
        subjects=WorkResolver(kit.require_service(WorkRecords)),
        candidates=CopyCandidates(
            panel, OpenCopyFinder(panel), resolver=kit.catalogue.find_spec("doi").base_url
        ),
        pages=pages,
        weigh=weigh_notices,
        retractions=kit.require_service(RetractionChecker),
        deadline=kit.settings.long_tool_timeout - ANSWER_RESERVE_SECONDS,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.scholar.registry_records:WorkRecords": build_work_records,
    "citewell.services.scholar.literature_search:LiteratureSearch": build_literature_search,
    "citewell.services.scholar.citation_neighbours:CitationGraphSearch": build_citation_graph,
    "citewell.services.scholar.paper_full_text:FullTextReader": build_full_text_reader,
}
