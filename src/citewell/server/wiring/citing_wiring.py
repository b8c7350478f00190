"""Builds the service that makes bibliographies in CSL styles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.citing.csl_bibliographies import CslBibliographies


def build_csl_bibliographies(kit: ServiceKit) -> CslBibliographies:
    from citewell.services.citing.csl_bibliographies import CslBibliographies

    return CslBibliographies(kit.workers)


BUILDERS: ServiceBuilders = {
    "citewell.services.citing.csl_bibliographies:CslBibliographies": build_csl_bibliographies,
}
