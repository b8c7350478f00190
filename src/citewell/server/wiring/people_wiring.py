"""Builds the services behind consent, memories, workspaces and usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.people.consent_service import ConsentService
    from citewell.services.people.workspace_members import WorkspaceMembers


def build_consent_service(kit: ServiceKit) -> ConsentService:
    from citewell.services.people.consent_service import ConsentService

    return ConsentService(kit.open_state().consents, local_owner=kit.local_owner)


def build_workspace_members(kit: ServiceKit) -> WorkspaceMembers:
    from citewell.services.people.workspace_members import WorkspaceMembers

    return WorkspaceMembers(kit.open_state().workspaces)


BUILDERS: ServiceBuilders = {
    "citewell.services.people.consent_service:ConsentService": build_consent_service,
    "citewell.services.people.workspace_members:WorkspaceMembers": build_workspace_members,
}
