"""Builds the answers with checked citations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.ports import Offer
from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.answers.answer_service import AnswerService
    from citewell.services.domains.answers.page_readings import PageReadingService
    from citewell.services.research.single_calls import SingleCalls


def build_page_readings(kit: ServiceKit) -> PageReadingService:
    from citewell.services.domains.answers.page_readings import PageReadingService
    from citewell.services.reading.cached_pages import CachedPageReader
    from citewell.services.web.search_cache import CachedWebSearch

    return PageReadingService(
        kit.require_service(CachedWebSearch), kit.require_service(CachedPageReader)
    )


def build_answer_service(kit: ServiceKit) -> AnswerService:
    from citewell.services.domains.answers.answer_service import AnswerService
    from citewell.services.domains.answers.page_readings import PageReadingService
    from citewell.services.domains.routing.paid_choice import PaidChoice
    from citewell.services.judging.claim_judging import ClaimJudging

    return AnswerService(
        kit.catalogue,
        PaidChoice(kit.catalogue, Offer.ANSWERS, default=kit.settings.answer_provider),
        kit.require_service(PageReadingService),
        lambda: require_single_calls(kit),
        judging=kit.require_service(ClaimJudging),
    )


def require_single_calls(kit: ServiceKit) -> SingleCalls:
    """What pays for calls; built only when something costs money, because it opens the state store."""
    from citewell.services.research.single_calls import SingleCalls

    return kit.require_service(SingleCalls)


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.answers.answer_service:AnswerService": build_answer_service,
    "citewell.services.domains.answers.page_readings:PageReadingService": build_page_readings,
}
