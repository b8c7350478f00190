"""Admin routes for cached answers, research sessions and users."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from citewell.errors import InvalidInput
from citewell.server.app import App
from citewell.server.http.admin.admin_requests import (
    AdminFields,
    FieldText,
    answer_json,
    read_query,
)
from citewell.services.subjects.subject_checks import require_subject
from citewell.services.subjects.user_directory import UserDirectory
from citewell.store.people.record_times import format_utc_time
from citewell.store.sessions.session_rows import SessionHead
from citewell.tooling import Owner


class TenantFields(AdminFields):
    tenant_id: FieldText | None = None


class SessionFields(AdminFields):
    tenant_id: FieldText
    user_id: FieldText | None = None


class SessionChoice(SessionFields):
    session_id: FieldText | None = None


async def clear_cache(app: App, request: Request) -> Response:
    """Delete all cached answers, or those of one tenant if answers are kept apart by tenant."""
    asked = read_query(request, TenantFields)
    if asked.tenant_id is not None and app.settings.cache_isolation != "tenant":
        raise InvalidInput(
            "Cached answers are shared by all tenants. Leave tenant_id out to delete all, "
            "or set CACHE_ISOLATION=tenant."
        )
    await app.store.cache.clear_entries(asked.tenant_id)
    return answer_json({"status": "cleared", "tenantId": asked.tenant_id})


async def list_sessions(app: App, request: Request) -> Response:
    asked = read_query(request, SessionFields)
    store = app.open_state().sessions
    return answer_json(
        {
            "sessions": [
                _describe_stored_session(owner, head)
                for owner in await _choose_owners(app, asked)
                for head in await store.list_heads(str(owner))
            ]
        }
    )


async def delete_sessions(app: App, request: Request) -> Response:
    """Delete one session, all of one user, or all of one tenant."""
    asked = read_query(request, SessionChoice)
    store = app.open_state().sessions
    if asked.session_id is not None and asked.user_id is None:
        raise InvalidInput("session_id needs the user_id of the session's owner.")
    if asked.session_id is not None:
        (owner,) = await _choose_owners(app, asked)
        await store.delete_session(str(owner), asked.session_id)
        return answer_json({"deleted": 1})
    owners = await _choose_owners(app, asked)
    return answer_json({"deleted": sum([await store.delete_all(str(one)) for one in owners])})


async def list_users(app: App, request: Request) -> Response:
    asked = read_query(request, TenantFields)
    found = await app.require_service(UserDirectory).list_users(asked.tenant_id)
    return answer_json(
        {"users": [{"tenantId": owner.tenant, "userId": owner.user} for owner in found]}
    )


async def _choose_owners(app: App, asked: SessionFields) -> tuple[Owner, ...]:
    if asked.user_id is not None:
        return (require_subject(asked.tenant_id, asked.user_id),)
    return await app.require_service(UserDirectory).list_users(asked.tenant_id)


def _describe_stored_session(owner: Owner, head: SessionHead) -> dict[str, object]:
    return {
        "tenantId": owner.tenant,
        "userId": owner.user,
        "sessionId": head.id,
        "steps": head.steps,
        "createdAt": format_utc_time(head.created),
        "updatedAt": format_utc_time(head.updated),
        "expiresAt": format_utc_time(head.expires),
    }
