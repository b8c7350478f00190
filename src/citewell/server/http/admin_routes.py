"""The table of the admin API: each path with the handlers of its methods."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, StrictStr
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from citewell.core.errors import InvalidInput
from citewell.core.tooling import Owner
from citewell.people import subject_archive
from citewell.people.consent_service import ConsentService
from citewell.people.subject_erasure import SubjectEraser
from citewell.people.usage_analytics import UsageAnalytics
from citewell.people.workspace_service import WorkspaceMembers
from citewell.server.app import App
from citewell.server.http.admin_requests import (
    ADMIN_METHODS,
    AdminFields,
    AdminHandler,
    FieldFlag,
    FieldText,
    answer_json,
    build_admin_endpoint,
    read_body,
    read_query,
)
from citewell.store.settings import StoreSettings
from citewell.text.calendar_dates import format_utc_time


class TenantFields(AdminFields):
    tenant_id: FieldText | None = None


class SessionFields(AdminFields):
    tenant_id: FieldText
    user_id: FieldText | None = None


class SessionChoice(SessionFields):
    session_id: FieldText | None = None


async def clear_cache(app: App, request: Request) -> Response:
    """Delete all cached answers, or those of one tenant if answers are kept apart by tenant."""
    fields = read_query(request, TenantFields)
    if fields.tenant_id is not None and app.settings[StoreSettings].cache_isolation != "tenant":
        raise InvalidInput(
            "Cached answers are shared by all tenants. Leave tenant_id out to delete all, "
            "or set CACHE_ISOLATION=tenant."
        )
    await app.store.cache.clear_entries(fields.tenant_id)
    return answer_json({"status": "cleared", "tenantId": fields.tenant_id})


async def list_sessions(app: App, request: Request) -> Response:
    owners = await _choose_owners(app, read_query(request, SessionFields))
    store = app.open_state().sessions
    sessions = [
        {
            "tenantId": owner.tenant,
            "userId": owner.user,
            "sessionId": head.id,
            "steps": head.steps,
            "createdAt": format_utc_time(head.created),
            "updatedAt": format_utc_time(head.updated),
            "expiresAt": format_utc_time(head.expires),
        }
        for owner in owners
        for head in await store.list_heads(str(owner))
    ]
    return answer_json({"sessions": sessions})


async def delete_sessions(app: App, request: Request) -> Response:
    """Delete one session, all of one user, or all of one tenant."""
    fields = read_query(request, SessionChoice)
    store = app.open_state().sessions
    if fields.session_id is not None and fields.user_id is None:
        raise InvalidInput("session_id needs the user_id of the session's owner.")
    owners = await _choose_owners(app, fields)
    if fields.session_id is not None:
        await store.delete_session(str(owners[0]), fields.session_id)
        return answer_json({"deleted": 1})
    return answer_json({"deleted": sum([await store.delete_all(str(owner)) for owner in owners])})


async def list_users(app: App, request: Request) -> Response:
    fields = read_query(request, TenantFields)
    owners = await app.require_service(subject_archive.UserDirectory).list_users(fields.tenant_id)
    return answer_json(
        {"users": [{"tenantId": owner.tenant, "userId": owner.user} for owner in owners]}
    )


async def _choose_owners(app: App, fields: SessionFields) -> tuple[Owner, ...]:
    if fields.user_id is not None:
        return (subject_archive.require_subject(fields.tenant_id, fields.user_id),)
    return await app.require_service(subject_archive.UserDirectory).list_users(fields.tenant_id)


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
    fields = read_query(request, SubjectFields)
    owner = subject_archive.require_subject(fields.tenant_id, fields.user_id)
    records = await app.require_service(ConsentService).list_consents(owner)
    return answer_json({"consents": [record.to_json() for record in records]})


async def record_consent(app: App, request: Request) -> Response:
    fields = await read_body(request, ConsentFields)
    consents = app.require_service(ConsentService)
    decide = consents.grant_consent if fields.granted else consents.withdraw_consent
    record = await decide(
        Owner(tenant=fields.tenant_id, user=fields.user_id),
        fields.purpose,
        terms_version=fields.terms_version,
        decided_from=fields.decided_from,
    )
    return answer_json({"consent": record.to_json()})


async def show_usage(app: App, request: Request) -> Response:
    """The usage of a tenant's users together; only of those who consent."""
    fields = read_query(request, UsageFields)
    usage = app.require_service(UsageAnalytics)
    return answer_json(await usage.summarize_tenant(fields.tenant_id))


async def list_members(app: App, request: Request) -> Response:
    fields = read_query(request, WorkspaceFields)
    members = await app.require_service(WorkspaceMembers).list_members(fields.workspace_id)
    return answer_json(
        {"workspaceId": fields.workspace_id, "members": [member.to_json() for member in members]}
    )


async def add_member(app: App, request: Request) -> Response:
    fields = await read_body(request, MemberFields)
    owner = Owner(tenant=fields.tenant_id, user=fields.user_id)
    added = await app.require_service(WorkspaceMembers).add_member(fields.workspace_id, owner)
    return answer_json({"status": "added" if added else "already_member"})


async def remove_member(app: App, request: Request) -> Response:
    # Some clients send no body with DELETE.
    read = read_query(request, MemberFields) if request.query_params else None
    fields = read or await read_body(request, MemberFields)
    owner = Owner(tenant=fields.tenant_id, user=fields.user_id)
    removed = await app.require_service(WorkspaceMembers).remove_member(fields.workspace_id, owner)
    return answer_json({"status": "removed" if removed else "not_member"})


class ArchiveFields(SubjectFields):
    format: subject_archive.ArchiveFormat = subject_archive.ArchiveFormat.JSON


async def send_archive(app: App, request: Request) -> Response:
    """Everything about one user; 404 if nothing is kept."""
    fields = read_query(request, ArchiveFields)
    owner = subject_archive.require_subject(fields.tenant_id, fields.user_id)
    archive = app.require_service(subject_archive.SubjectArchive)
    await archive.require_subject(owner)
    pieces = subject_archive.write_archive(
        archive, owner, fields.format, created_at=format_utc_time(time.time())
    )
    return StreamingResponse(
        pieces,
        media_type=subject_archive.MEDIA_TYPES[fields.format],
        headers={
            "cache-control": "no-store",
            "content-disposition": f'attachment; filename="citewell-archive.{fields.format}"',
        },
    )


async def erase_data(app: App, request: Request) -> Response:
    """Erase one user; also answers for a user of whom nothing is kept, so that it can be repeated."""
    fields = read_query(request, SubjectFields)
    owner = subject_archive.require_subject(fields.tenant_id, fields.user_id)
    receipt = await app.require_service(SubjectEraser).erase_subject(owner)
    app.recent.forget_owner(owner)
    return answer_json(receipt.to_json())


async def list_receipts(app: App, request: Request) -> Response:
    read_query(request, AdminFields)
    receipts = await app.require_service(SubjectEraser).list_receipts()
    return answer_json({"receipts": [receipt.to_json() for receipt in receipts]})


ADMIN_HANDLERS: Mapping[str, Mapping[str, AdminHandler]] = {
    "/admin/consent": {"GET": list_consents, "POST": record_consent},
    "/admin/data": {"GET": send_archive, "DELETE": erase_data},
    "/admin/erasures": {"GET": list_receipts},
    "/admin/workspace/members": {
        "GET": list_members,
        "POST": add_member,
        "DELETE": remove_member,
    },
    "/admin/analytics": {"GET": show_usage},
    "/admin/cache": {"DELETE": clear_cache},
    "/admin/sessions": {
        "GET": list_sessions,
        "DELETE": delete_sessions,
    },
    "/admin/users": {"GET": list_users},
}


def build_admin_routes(app: App) -> list[Route]:
    return [
        Route(path, build_admin_endpoint(app, handlers), methods=list(ADMIN_METHODS))
        for path, handlers in ADMIN_HANDLERS.items()
    ]
