"""Builds the index over the users' own documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.library.library_search import OwnerLibraryIndex


def build_library_index(kit: ServiceKit) -> OwnerLibraryIndex:
    """The index over the library of the owner who makes the current call."""
    from citewell.services.encoding.passage_similarity import PassageSimilarity
    from citewell.services.library.library_search import OwnerLibraryIndex

    scorer = kit.require_service(PassageSimilarity)
    return OwnerLibraryIndex(kit.open_state().library, scorer=scorer)


BUILDERS: ServiceBuilders = {
    "citewell.services.library.library_search:OwnerLibraryIndex": build_library_index,
}
