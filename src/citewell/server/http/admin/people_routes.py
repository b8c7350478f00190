"""Admin routes for consent, workspace members and usage."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictStr
from starlette.requests import Request
from starlette.responses import Response

from citewell.server.app import App
from citewell.server.http.admin.admin_requests import (
    AdminFields,
    FieldFlag,
    FieldText,
    answer_json,
    read_body,
    read_fields,
    read_query,
)
from citewell.services.people.consent_service import ConsentService
from citewell.services.people.usage_analytics import UsageAnalytics
from citewell.services.people.workspace_members import WorkspaceMembers
from citewell.services.subjects.subject_checks import require_subject
from citewell.tooling import Owner

ADMIN_CONSENT_SOURCE = "admin"  # where a decision was recorded, unless the request says


class SubjectFields(AdminFields):
    tenant_id: FieldText
    user_id: FieldText


class ConsentFields(SubjectFields):
    purpose: FieldText
    granted: FieldFlag
    terms_version: Annotated[StrictStr, Field(max_length=200)] = ""
    decided_from: FieldText = ADMIN_CONSENT_SOURCE


class MemberFields(SubjectFields):
    workspace_id: FieldText


class UsageFields(AdminFields):
    tenant_id: FieldText


class WorkspaceFields(AdminFields):
    workspace_id: FieldText


async def list_consents(app: App, request: Request) -> Response:
    asked = read_query(request, SubjectFields)
    owner = require_subject(asked.tenant_id, asked.user_id)
    found = await app.require_service(ConsentService).list_consents(owner)
    return answer_json({"consents": [record.to_json() for record in found]})


async def record_consent(app: App, request: Request) -> Response:
    asked = await read_body(request, ConsentFields)
    owner = Owner(tenant=asked.tenant_id, user=asked.user_id)
    consents = app.require_service(ConsentService)
    decide = consents.grant_consent if asked.granted else consents.withdraw_consent
    record = await decide(
        owner, asked.purpose, terms_version=asked.terms_version, decided_from=asked.decided_from
    )
    return answer_json({"consent": record.to_json()})


async def show_usage(app: App, request: Request) -> Response:
    """The usage of a tenant's users together; only of those who consent."""
    asked = read_query(request, UsageFields)
    usage = app.require_service(UsageAnalytics)
    return answer_json(await usage.summarize_tenant(asked.tenant_id))


async def list_members(app: App, request: Request) -> Response:
    asked = read_query(request, WorkspaceFields)
    found = await app.require_service(WorkspaceMembers).list_members(asked.workspace_id)
    return answer_json(
        {"workspaceId": asked.workspace_id, "members": [member.to_json() for member in found]}
    )


async def add_member(app: App, request: Request) -> Response:
    asked = await read_body(request, MemberFields)
    owner = Owner(tenant=asked.tenant_id, user=asked.user_id)
    added = await app.require_service(WorkspaceMembers).add_member(asked.workspace_id, owner)
    return answer_json({"status": "added" if added else "already_member"})


async def remove_member(app: App, request: Request) -> Response:
    asked = await read_fields(request, MemberFields)
    owner = Owner(tenant=asked.tenant_id, user=asked.user_id)
    removed = await app.require_service(WorkspaceMembers).remove_member(asked.workspace_id, owner)
    return answer_json({"status": "removed" if removed else "not_member"})
