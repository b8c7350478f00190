"""Builds the services behind consent, memories, workspaces and usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

if TYPE_CHECKING:
    from citewell.services.people.consent_service import ConsentService
    from citewell.services.people.memory_service import MemoryService
    from citewell.services.people.usage_analytics import UsageAnalytics
    from citewell.services.people.workspace_members import WorkspaceMembers
    from citewell.services.people.workspace_service import WorkspaceService


def build_consent_service(kit: ServiceKit) -> ConsentService:
    from citewell.services.people.consent_service import ConsentService

    return ConsentService(kit.open_state().consents, local_owner=kit.local_owner)


def build_memory_service(kit: ServiceKit) -> MemoryService:
    from citewell.services.people.consent_gate import ConsentGate
    from citewell.services.people.consent_service import ConsentService
    from citewell.services.people.memory_service import MemoryService

    gate = ConsentGate(kit.require_service(ConsentService), "memory")
    return MemoryService(kit.open_state().memories, gate)


def build_workspace_members(kit: ServiceKit) -> WorkspaceMembers:
    from citewell.services.people.workspace_members import WorkspaceMembers

    return WorkspaceMembers(kit.open_state().workspaces)


def build_workspace_service(kit: ServiceKit) -> WorkspaceService:
    from citewell.services.people.consent_gate import ConsentGate
    from citewell.services.people.consent_service import ConsentService
    from citewell.services.people.workspace_service import WorkspaceService

    gate = ConsentGate(kit.require_service(ConsentService), "workspace")
    return WorkspaceService(kit.open_state().workspaces, gate)


def build_usage_analytics(kit: ServiceKit) -> UsageAnalytics:
    from citewell.services.people.consent_service import ConsentService
    from citewell.services.people.usage_analytics import UsageAnalytics

    return UsageAnalytics(kit.open_state().analytics, kit.require_service(ConsentService))


BUILDERS: ServiceBuilders = {
    "citewell.services.people.consent_service:ConsentService": build_consent_service,
    "citewell.services.people.memory_service:MemoryService": build_memory_service,
    "citewell.services.people.usage_analytics:UsageAnalytics": build_usage_analytics,
    "citewell.services.people.workspace_members:WorkspaceMembers": build_workspace_members,
    "citewell.services.people.workspace_service:WorkspaceService": build_workspace_service,
}
