"""The routes of the dashboard: the page, its data, login and logout."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from citewell.core.config import Settings
from citewell.server.http.admin_requests import (
    AdminVerdict,
    build_admin_refusal,
    judge_admin_key,
    judge_admin_request,
)
from citewell.server.http.auth.auth_ways import list_auth_ways
from citewell.server.http.auth.caller import CallerProof
from citewell.server.http.listening import is_loopback_host
from citewell.server.pages import dashboard_page
from citewell.server.pages.client_guides import ServerAddress
from citewell.server.pages.dashboard_collection import DashboardCollector
from citewell.server.pages.dashboard_figures import format_clock_time
from citewell.server.pages.dashboard_sections import render_sections
from citewell.server.pages.page_frame import build_page_response, wants_html
from citewell.server.settings import ServerSettings

_HOST_PATTERN = re.compile(r"(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")

COOKIE_NAME = "citewell_dashboard"
COOKIE_PATH = "/dashboard"
LOGIN_SECONDS = 3600
_CLOCK_SLACK_SECONDS = 60  # between instances
_ID_BYTES = 16
_MAX_ENDED_LOGINS = 10_000
# Guessing an admin key from a stolen cookie costs this much for every guess.
_SCRYPT_COST, _SCRYPT_BLOCK, _SCRYPT_LANES = 2**14, 8, 1
_SALT = b"citewell dashboard login"

PAGE_PATH = "/dashboard"
_MAX_FORM_BYTES = 4096
_CHANGE_EVENT = b"event: changed\ndata: jobs\n\n"
_QUIET_EVENT = b":\n\n"  # keeps proxies from closing the stream
_REFRESH_WITHOUT_SCRIPT_SECONDS = 12 * dashboard_page.REFRESH_SECONDS
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
        server_settings = settings[ServerSettings]
        self._settings = settings
        self._collector = collector
        self._logins = (
            LoginSessions(server_settings.admin_key) if server_settings.admin_key else None
        )

    async def show_dashboard(self, request: Request) -> Response:
        verdict = self._judge_request(request)
        if verdict is not AdminVerdict.ADMITTED:
            # The form for a browser that sent no key, the reason for anybody else.
            if verdict in _FORM_VERDICTS and wants_html(request):
                return self._show_login(request, verdict)
            return build_admin_refusal(request, verdict)
        token = self._logins.build_form_token(request) if self._logins else None
        return build_page_response(
            "Dashboard · Citewell",
            dashboard_page.render_dashboard(
                await self._collector.collect_snapshot(), logout_token=token
            ),
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
        key = (await _read_form(request)).get(dashboard_page.KEY_FIELD, "")
        verdict = judge_admin_key(request, self._settings, [key.encode()])
        if verdict is not AdminVerdict.ADMITTED or self._logins is None:
            return self._show_login(request, verdict)
        response = _redirect_to_page()
        own = find_own_url(request, self._settings[ServerSettings].public_url)
        self._logins.start_login(response, is_secure=own.startswith("https:"))
        return response

    async def log_out(self, request: Request) -> Response:
        self._require_same_origin(request)
        token = (await _read_form(request)).get(dashboard_page.TOKEN_FIELD, "")
        response = _redirect_to_page()
        if self._logins is not None and self._logins.is_logged_in(request):
            expected = self._logins.build_form_token(request)
            if expected is None or not hmac.compare_digest(expected.encode(), token.encode()):
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
            for public_url in (None, self._settings[ServerSettings].public_url)
        }
        if site not in {"same-origin", "none"} or (origin and urlsplit(origin).netloc not in own):
            raise HTTPException(403, "The form was sent by another site.")

    def _judge_request(self, request: Request) -> AdminVerdict:
        if self._logins is not None and self._logins.is_logged_in(request):
            return AdminVerdict.ADMITTED
        return judge_admin_request(request, self._settings)

    def _show_login(self, request: Request, verdict: AdminVerdict) -> Response:
        refusal = build_admin_refusal(request, verdict)
        response = build_page_response(
            "Log in · Citewell",
            dashboard_page.render_login_page(
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


# The login of the dashboard: a signed cookie that ends after an hour and cannot be forged.


class LoginSessions:
    """Starts, checks and ends logins for the holder of `admin_key`."""

    def __init__(self, admin_key: str, *, clock: Callable[[], float] = time.time) -> None:
        self._admin_key = admin_key
        self._clock = clock
        self._secret: bytes | None = None
        self._ended: OrderedDict[str, float] = OrderedDict()

    def start_login(self, response: Response, *, is_secure: bool) -> None:
        """Put the cookie of a new login into the response."""
        issued = str(int(self._clock()))
        payload = f"{issued}.{secrets.token_hex(_ID_BYTES)}"
        response.set_cookie(
            COOKIE_NAME,
            f"{payload}.{self._sign_text('login', payload)}",
            max_age=LOGIN_SECONDS,
            path=COOKIE_PATH,
            secure=is_secure,
            httponly=True,
            samesite="strict",
        )

    def end_login(self, request: Request, response: Response) -> None:
        """Make this process refuse the cookie of the request, and let the browser forget it."""
        payload = self._find_payload(request)
        if payload is not None:
            self._ended[payload] = self._clock()
            while len(self._ended) > _MAX_ENDED_LOGINS:
                self._ended.popitem(last=False)
        response.delete_cookie(COOKIE_NAME, path=COOKIE_PATH, httponly=True, samesite="strict")

    def is_logged_in(self, request: Request) -> bool:
        return self._find_payload(request) is not None

    def build_form_token(self, request: Request) -> str | None:
        """What a form of this login must send back; None without a login."""
        payload = self._find_payload(request)
        return None if payload is None else self._sign_text("form", payload)

    def _find_payload(self, request: Request) -> str | None:
        """The signed part of a valid cookie; None if it is missing, forged, too old or ended."""
        payload, _, signature = request.cookies.get(COOKIE_NAME, "").rpartition(".")
        issued, _, name = payload.partition(".")
        if not (issued.isascii() and issued.isdigit() and len(issued) <= 12 and name):
            return None
        age = self._clock() - int(issued)
        if not -_CLOCK_SLACK_SECONDS <= age < LOGIN_SECONDS or payload in self._ended:
            return None
        expected = self._sign_text("login", payload)
        return payload if hmac.compare_digest(expected.encode(), signature.encode()) else None

    def _sign_text(self, purpose: str, text: str) -> str:
        message = f"{purpose}:{text}".encode()
        return hmac.new(self._load_secret(), message, hashlib.sha256).hexdigest()

    def _load_secret(self) -> bytes:
        """Derived once; it takes some hundredths of a second."""
        if self._secret is None:
            self._secret = hashlib.scrypt(
                self._admin_key.encode(),
                salt=_SALT,
                n=_SCRYPT_COST,
                r=_SCRYPT_BLOCK,
                p=_SCRYPT_LANES,
            )
        return self._secret


# The address under which the sender of a request reached this server.


def find_own_url(request: Request, public_url: str | None) -> str:
    """`public_url`, or scheme and host as the sender wrote them, without a slash at the end.

    A Host header with other characters than names and numbers is not repeated; then it is the
    address that the connection came in at.
    """
    if public_url:
        return public_url.rstrip("/")
    host = request.headers.get("host", "")
    if not _HOST_PATTERN.fullmatch(host):
        name, port = request.scope.get("server") or ("127.0.0.1", None)
        shown = f"[{name}]" if ":" in name else name
        host = f"{shown}:{port}" if port else shown
    return f"{request.url.scheme}://{host}"


def build_server_address(url: str, settings: Settings) -> ServerAddress:
    """What clients have to know of this server, which is reached at `url`."""
    ways = list_auth_ways(settings)
    return ServerAddress(
        base_url=url,
        is_public=is_public_url(url),
        takes_token=CallerProof.API_TOKEN in ways,
        signs_in=CallerProof.OAUTH in ways,
        is_behind_gateway=CallerProof.PROXY in ways,
    )


def is_public_url(url: str) -> bool:
    """True if it is https and not on this machine: what assistants in the cloud can call."""
    scheme, _, host = url.partition("://")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return scheme == "https" and not is_loopback_host(name)
