"""Builds the document connector behind the tools `search` and `fetch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.connector.document_connector import DocumentConnector


def build_document_connector(kit: ServiceKit) -> DocumentConnector:
    from citewell.server.wiring.domains.record_finders import build_record_finders
    from citewell.services.connector.document_connector import DocumentConnector
    from citewell.services.library.library_search import OwnerLibraryIndex
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.web.search_cache import CachedWebSearch

    return DocumentConnector(
        searches=kit.require_service(CachedWebSearch),
        read=kit.require_service(CachedPageReader),
        library=kit.require_service(OwnerLibraryIndex),
        finders=build_record_finders(kit),
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.connector.document_connector:DocumentConnector": build_document_connector,
}
