"""Builds the search that fills the fields of a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.ports import Offer
from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.structured.structured_search import StructuredSearchService


def build_structured_search(kit: ServiceKit) -> StructuredSearchService:
    from citewell.server.wiring.domains.answers_wiring import require_single_calls
    from citewell.services.domains.answers.page_readings import PageReadingService
    from citewell.services.domains.routing.paid_choice import PaidChoice
    from citewell.services.domains.structured.structured_search import StructuredSearchService

    return StructuredSearchService(
        kit.catalogue,
        PaidChoice(kit.catalogue, Offer.STRUCTURED, default=kit.settings.answer_provider),
        kit.require_service(PageReadingService),
        kit.workers,
        lambda: require_single_calls(kit),
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.structured.structured_search:StructuredSearchService": build_structured_search,
}
