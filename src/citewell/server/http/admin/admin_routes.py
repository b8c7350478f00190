"""The table of the admin API: each path with the handlers of its methods."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.routing import Route

from citewell.server.app import App
from citewell.server.http.admin import data_routes, people_routes, upkeep_routes
from citewell.server.http.admin.admin_requests import (
    ADMIN_METHODS,
    AdminHandler,
    build_admin_endpoint,
)

ADMIN_HANDLERS: Mapping[str, Mapping[str, AdminHandler]] = {
    "/admin/consent": {"GET": people_routes.list_consents, "POST": people_routes.record_consent},
    "/admin/data": {"GET": data_routes.send_archive, "DELETE": data_routes.erase_data},
    "/admin/erasures": {"GET": data_routes.list_receipts},
    "/admin/workspace/members": {
        "GET": people_routes.list_members,
        "POST": people_routes.add_member,
        "DELETE": people_routes.remove_member,
    },
    "/admin/analytics": {"GET": people_routes.show_usage},
    "/admin/cache": {"DELETE": upkeep_routes.clear_cache},
    "/admin/sessions": {
        "GET": upkeep_routes.list_sessions,
        "DELETE": upkeep_routes.delete_sessions,
    },
    "/admin/users": {"GET": upkeep_routes.list_users},
}


def build_admin_routes(app: App) -> list[Route]:
    return [
        Route(path, build_admin_endpoint(app, handlers), methods=list(ADMIN_METHODS))
        for path, handlers in ADMIN_HANDLERS.items()
    ]
