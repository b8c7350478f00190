"""The routes of the dashboard: the page, its data, login and logout."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from citewell.config import Settings
from citewell.server.http.admin.admin_access import (
    AdminVerdict,
    build_admin_refusal,
    judge_admin_key,
    judge_admin_request,
)
from citewell.server.http.admin.login_sessions import LoginSessions
from citewell.server.http.page_routing.own_address import find_own_url
from citewell.server.pages.dashboard_collection import DashboardCollector
from citewell.server.pages.dashboard_page import (
    KEY_FIELD,
    REFRESH_SECONDS,
    TOKEN_FIELD,
    render_dashboard,
    render_login_page,
)
from citewell.server.pages.dashboard_sections import render_sections
from citewell.server.pages.error_pages import wants_html
from citewell.server.pages.page_frame import build_page_response
from citewell.server.pages.value_texts import format_clock_time

PAGE_PATH = "/dashboard"
_MAX_FORM_BYTES = 4096
_CHANGE_EVENT = b"event: changed\ndata: jobs\n\n"
_QUIET_EVENT = b":\n\n"  # keeps proxies from closing the stream
_REFRESH_WITHOUT_SCRIPT_SECONDS = 12 * REFRESH_SECONDS
_FORM_VERDICTS = frozenset(
    {AdminVerdict.KEY_MISSING, AdminVerdict.NOT_CONFIGURED, AdminVerdict.SCOPE_MISSING}
)
_LOGIN_ERRORS = {
    AdminVerdict.KEY_WRONG: "This is not the admin key.",
    AdminVerdict.TOO_MANY_ATTEMPTS: "Too many wrong keys came from your address. Wait half a minute.",
}


def build_dashboard_routes(settings: Settings, collector: DashboardCollector) -> list[BaseRoute]:
    pages = DashboardPages(settings, collector)
    return [
        Route(PAGE_PATH, pages.show_dashboard),
        Route(f"{PAGE_PATH}/data", pages.send_data),
        Route(f"{PAGE_PATH}/changes", pages.send_changes),
        Route(f"{PAGE_PATH}/login", pages.log_in, methods=["POST"]),
        Route(f"{PAGE_PATH}/login", pages.return_to_page, methods=["GET"]),
        Route(f"{PAGE_PATH}/logout", pages.log_out, methods=["POST"]),
    ]


class DashboardPages:
    """Answers for the operator: by the admin key, the scope of an administrator, or a login."""

    def __init__(self, settings: Settings, collector: DashboardCollector) -> None:
        self._settings = settings
        self._collector = collector
        self._logins = LoginSessions(settings.admin_key) if settings.admin_key else None

    async def show_dashboard(self, request: Request) -> Response:
        verdict = self._judge_request(request)
        if verdict is not AdminVerdict.ADMITTED:
            return self._refuse_page(request, verdict)
        token = self._logins.build_form_token(request) if self._logins else None
        return build_page_response(
            "Dashboard · Citewell",
            render_dashboard(await self._collector.collect_snapshot(), logout_token=token),
            script="dashboard.js",
            is_wide=True,
            refresh_seconds=_REFRESH_WITHOUT_SCRIPT_SECONDS,
        )

    async def send_data(self, request: Request) -> Response:
        """The figures as JSON, or the sections of the page if it asks for them."""
        verdict = self._judge_request(request)
        if verdict is not AdminVerdict.ADMITTED:
            return build_admin_refusal(request, verdict)
        snapshot = await self._collector.collect_snapshot()
        body = snapshot.to_wire()
        if request.query_params.get("sections") == "html":
            body = {
                "takenAt": snapshot.taken_at,
                "takenText": format_clock_time(snapshot.taken_at),
                "sections": render_sections(snapshot),
            }
        return JSONResponse(body, headers={"Cache-Control": "no-store"})

    async def send_changes(self, request: Request) -> Response:
        """A stream of events that tells the page when to ask for its data before its time."""
        verdict = self._judge_request(request)
        if verdict is not AdminVerdict.ADMITTED:
            return build_admin_refusal(request, verdict)
        return StreamingResponse(
            self._write_changes(),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _write_changes(self) -> AsyncIterator[bytes]:
        yield _QUIET_EVENT
        async for is_news in self._collector.watch_jobs():
            yield _CHANGE_EVENT if is_news else _QUIET_EVENT

    async def log_in(self, request: Request) -> Response:
        self._require_same_origin(request)
        key = (await _read_form(request)).get(KEY_FIELD, "")
        verdict = judge_admin_key(request, self._settings, key)
        if verdict is not AdminVerdict.ADMITTED or self._logins is None:
            return self._show_login(request, verdict)
        response = _redirect_to_page()
        own = find_own_url(request, self._settings.public_url)
        self._logins.start_login(response, is_secure=own.startswith("https:"))
        return response

    async def log_out(self, request: Request) -> Response:
        self._require_same_origin(request)
        token = (await _read_form(request)).get(TOKEN_FIELD, "")
        response = _redirect_to_page()
        if self._logins is not None and self._logins.is_logged_in(request):
            if not self._logins.is_form_token(request, token):
                raise HTTPException(403, "The form is not from this login. Go back and try again.")
            self._logins.end_login(request, response)
        return response

    async def return_to_page(self, _request: Request) -> Response:
        return _redirect_to_page()

    def _require_same_origin(self, request: Request) -> None:
        """Raise HTTPException if a browser says that another site sent this form."""
        site = request.headers.get("sec-fetch-site", "same-origin")
        origin = request.headers.get("origin")
        own = {
            urlsplit(find_own_url(request, public_url)).netloc
            for public_url in (None, self._settings.public_url)
        }
        if site not in {"same-origin", "none"} or (origin and urlsplit(origin).netloc not in own):
            raise HTTPException(403, "The form was sent by another site.")

    def _judge_request(self, request: Request) -> AdminVerdict:
        if self._logins is not None and self._logins.is_logged_in(request):
            return AdminVerdict.ADMITTED
        return judge_admin_request(request, self._settings)

    def _refuse_page(self, request: Request, verdict: AdminVerdict) -> Response:
        """The form for a browser that sent no key, the reason for anybody else."""
        if verdict in _FORM_VERDICTS and wants_html(request):
            return self._show_login(request, verdict)
        return build_admin_refusal(request, verdict)

    def _show_login(self, request: Request, verdict: AdminVerdict) -> Response:
        refusal = build_admin_refusal(request, verdict)
        response = build_page_response(
            "Log in · Citewell",
            render_login_page(
                error=_LOGIN_ERRORS.get(verdict), can_log_in=self._logins is not None
            ),
            status=refusal.status_code,
        )
        for name in ("retry-after", "www-authenticate"):
            if name in refusal.headers:
                response.headers[name] = refusal.headers[name]
        return response


def _redirect_to_page() -> Response:
    return RedirectResponse(PAGE_PATH, status_code=303, headers={"Cache-Control": "no-store"})


async def _read_form(request: Request) -> dict[str, str]:
    """The fields of a submitted form; raises HTTPException if it is no form or too large."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Send the form of the page.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_FORM_BYTES:
            raise HTTPException(413, "The form is too large.")
    fields = parse_qs(body.decode("ascii", errors="replace"))
    return {name: values[0] for name, values in fields.items()}
