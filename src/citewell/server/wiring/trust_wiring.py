"""Builds the services that verify citations and find retractions."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit
from citewell.store.state_store import StateStore

if TYPE_CHECKING:
    from citewell.services.trust.bibliography_audit import BibliographyAudit
    from citewell.services.trust.citation_verification import CitationVerifier
    from citewell.services.trust.retraction_checks import RetractionChecker
    from citewell.services.trust.retraction_import import RetractionImport
    from citewell.services.trust.work_lookup import WorkLookup
    from citewell.store.retraction_table import SqlRetractionTable


def build_citation_verifier(kit: ServiceKit) -> CitationVerifier:
    from citewell.services.links.link_checks import LinkChecker
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.trust.citation_verification import CitationVerifier

    lookup = _build_work_lookup(kit)
    pages = kit.require_service(CachedPageReader)
    return CitationVerifier(lookup=lookup, links=kit.require_service(LinkChecker), pages=pages)


def build_bibliography_audit(kit: ServiceKit) -> BibliographyAudit:
    from citewell.services.links.link_checks import LinkChecker
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.trust.bibliography_audit import BibliographyAudit

    lookup = _build_work_lookup(kit)
    pages = kit.require_service(CachedPageReader)
    return BibliographyAudit(lookup=lookup, links=kit.require_service(LinkChecker), pages=pages)


def _build_work_lookup(kit: ServiceKit) -> WorkLookup:
    from citewell.services.scholar.registry_records import WorkRecords
    from citewell.services.trust.retraction_checks import RetractionChecker
    from citewell.services.trust.work_lookup import WorkLookup

    return WorkLookup(kit.require_service(WorkRecords), kit.require_service(RetractionChecker))


def build_retraction_checker(kit: ServiceKit) -> RetractionChecker:
    from citewell.services.trust.retraction_checks import RetractionChecker

    return RetractionChecker(kit.catalogue, open_retraction_table(kit.open_state()))


def build_retraction_import(kit: ServiceKit) -> RetractionImport:
    from citewell.net.http.file_downloads import FileDownloader
    from citewell.services.trust.retraction_import import RetractionImport

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
    "citewell.services.trust.retraction_checks:RetractionChecker": build_retraction_checker,
    "citewell.services.trust.retraction_import:RetractionImport": build_retraction_import,
}
