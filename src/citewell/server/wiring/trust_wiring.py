"""Builds the services that verify citations and find retractions."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit
from citewell.store.state_store import StateStore

if TYPE_CHECKING:
    from citewell.services.trust.bibliography_audit import BibliographyAudit
    from citewell.services.trust.bibliography_reading import BibliographyReader
    from citewell.services.trust.brief_audit import BriefAudit
    from citewell.services.trust.citation_verification import CitationVerifier
    from citewell.services.trust.legal_findings import LegalCheckPort
    from citewell.services.trust.retraction_checks import RetractionChecker
    from citewell.services.trust.retractions.paper_statuses import PaperStatusFinder
    from citewell.services.trust.retractions.retraction_import import RetractionImport
    from citewell.services.trust.work_lookup import WorkLookup
    from citewell.store.retraction_table import SqlRetractionTable

_ANSWER_RESERVE_SECONDS = 25.0  # of the tool's time: a lookup that has begun may take so long


def build_citation_verifier(kit: ServiceKit) -> CitationVerifier:
    from citewell.services.judging.claim_judging import ClaimJudging
    from citewell.services.links.link_checks import LinkChecker
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.trust.citation_verification import CitationVerifier

    lookup = build_work_lookup(kit)
    pages = kit.require_service(CachedPageReader)
    return CitationVerifier(
        lookup=lookup,
        links=kit.require_service(LinkChecker),
        pages=pages,
        legal=require_legal_checker(kit),
        judging=kit.require_service(ClaimJudging),
    )


def build_bibliography_audit(kit: ServiceKit) -> BibliographyAudit:
    from citewell.services.judging.claim_judging import ClaimJudging
    from citewell.services.links.link_checks import LinkChecker
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.trust.bibliography_audit import BibliographyAudit

    lookup = build_work_lookup(kit)
    pages = kit.require_service(CachedPageReader)
    return BibliographyAudit(
        lookup=lookup,
        links=kit.require_service(LinkChecker),
        pages=pages,
        legal=require_legal_checker(kit),
        judging=kit.require_service(ClaimJudging),
    )


def build_bibliography_reader(kit: ServiceKit) -> BibliographyReader:
    from citewell.services.trust.bibliography_reading import BibliographyReader

    return BibliographyReader(kit.settings, kit.workers)


def build_brief_audit(kit: ServiceKit) -> BriefAudit:
    from citewell.services.trust.brief_audit import BriefAudit

    return BriefAudit(
        require_legal_checker(kit),
        max_seconds=kit.settings.long_tool_timeout - _ANSWER_RESERVE_SECONDS,
    )


def require_legal_checker(kit: ServiceKit) -> LegalCheckPort:
    from citewell.services.domains.law.citation_service import LegalCitationChecker

    return kit.require_service(LegalCitationChecker)


def build_work_lookup(kit: ServiceKit) -> WorkLookup:
    from citewell.services.scholar.registry_records import WorkRecords
    from citewell.services.trust.retraction_checks import RetractionChecker
    from citewell.services.trust.work_lookup import WorkLookup

    return WorkLookup(kit.require_service(WorkRecords), kit.require_service(RetractionChecker))


def build_retraction_checker(kit: ServiceKit) -> RetractionChecker:
    from citewell.services.trust.cached_notices import CachedNotices
    from citewell.services.trust.retraction_checks import RetractionChecker

    return RetractionChecker(
        kit.catalogue,
        open_retraction_table(kit.open_state()),
        notices=CachedNotices(kit.store.cache, kit.sharing),
    )


def build_status_finder(kit: ServiceKit) -> PaperStatusFinder:
    from citewell.services.trust.retraction_checks import RetractionChecker
    from citewell.services.trust.retractions.paper_statuses import PaperStatusFinder

    return PaperStatusFinder(kit.require_service(RetractionChecker))


def build_retraction_import(kit: ServiceKit) -> RetractionImport:
    from citewell.net.http.file_downloads import FileDownloader
    from citewell.services.trust.retractions.retraction_import import RetractionImport

    return RetractionImport(
        open_retraction_table(kit.open_state()),
        FileDownloader(kit.network.guard, kit.settings),
        today=lambda: datetime.now(UTC).date(),
    )


def open_retraction_table(state: StateStore) -> SqlRetractionTable:
    """The offline retraction table; empty until one is imported."""
    from citewell.store.retraction_table import SqlRetractionTable

    return SqlRetractionTable(state.database, clock=time.time)


BUILDERS: ServiceBuilders = {
    "citewell.services.trust.citation_verification:CitationVerifier": build_citation_verifier,
    "citewell.services.trust.bibliography_audit:BibliographyAudit": build_bibliography_audit,
    "citewell.services.trust.bibliography_reading:BibliographyReader": build_bibliography_reader,
    "citewell.services.trust.brief_audit:BriefAudit": build_brief_audit,
    "citewell.services.trust.retraction_checks:RetractionChecker": build_retraction_checker,
    "citewell.services.trust.retractions.paper_statuses:PaperStatusFinder": build_status_finder,
    "citewell.services.trust.retractions.retraction_import:RetractionImport": build_retraction_import,
}
