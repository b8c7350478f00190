"""Builds the panel that asks several providers the same question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.routing.provider_panel import ProviderPanel

PROVIDER_GRACE_SECONDS = 5.0  # beyond the search timeout, for all attempts at one provider


def build_provider_panel(kit: ServiceKit) -> ProviderPanel:
    from citewell.services.routing.provider_panel import ProviderPanel

    return ProviderPanel(
        kit.catalogue,
        find_rest=kit.find_pause,
        timeout_seconds=kit.settings.search_timeout + PROVIDER_GRACE_SECONDS,
    )


BUILDERS: ServiceBuilders = {
    "citewell.services.routing.provider_panel:ProviderPanel": build_provider_panel,
}
