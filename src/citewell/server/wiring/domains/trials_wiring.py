"""Builds the search for clinical trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.domains.trials.trial_search import TrialSearchService


def build_trial_search(kit: ServiceKit) -> TrialSearchService:
    from citewell.services.domains.routing.domain_search import DomainSearch
    from citewell.services.domains.trials.trial_search import TrialSearchService

    return TrialSearchService(kit.require_service(DomainSearch))


BUILDERS: ServiceBuilders = {
    "citewell.services.domains.trials.trial_search:TrialSearchService": build_trial_search,
}
