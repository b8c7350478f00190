"""Who may see the dashboard, by key, login or scope, and what it says of a running server."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.http.admin_requests import ADMIN_SCOPE
from citewell.server.http.auth.caller import CallerProof, VerifiedCaller, attach_caller
from citewell.server.http.dashboard_routes import COOKIE_NAME, LOGIN_SECONDS, LoginSessions
from citewell.server.http.hosting import build_asgi_app, build_layered_app
from citewell.server.limit_rules import LimitKind
from tests.clocks import Clock
from tests.requirements import requires
from tests.server.seen_pages import SeenPage

KEY = "0123456789abcdef-key"
BASE = "http://127.0.0.1:8000"
BROWSER = {"accept": "text/html"}


def serve(environ: dict[str, str], **settings: str) -> tuple[App, TestClient]:
    app = App(
        config.load_settings(environ | {"ADMIN_API_KEY": KEY, "AUDIT_ENABLED": "false"} | settings)
    )
    return app, TestClient(build_asgi_app(app), base_url=BASE, follow_redirects=False)


@contextlib.contextmanager
def running(client: TestClient) -> Iterator[Callable[..., Any]]:
    """The server with its lifespan; yields what runs a coroutine on its loop."""
    with client:
        assert client.portal is not None
        yield client.portal.call


@pytest.fixture
def client(environ: dict[str, str]) -> TestClient:
    return serve(environ)[1]


def log_in(client: TestClient, key: str = KEY, **headers: str) -> Any:
    return client.post("/dashboard/login", data={"key": key}, headers=BROWSER | headers)


@requires("http.dashboard_closed")
@pytest.mark.parametrize("path", ["/dashboard", "/dashboard/data", "/dashboard/data?sections=html"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"x-admin-key": "wrong"}, 403),
        ({"x-admin-key": KEY}, 200),
        ({"cookie": f"{COOKIE_NAME}=1.2.3"}, 401),
        ({"cookie": f"{COOKIE_NAME}={KEY}"}, 401),
    ],
)
def test_the_dashboard_is_for_the_operator(
    path: str, headers: dict[str, str], status: int, client: TestClient
) -> None:
    response = client.get(path, headers=headers)

    assert response.status_code == status
    if status != 200:
        assert "searxng" not in response.text.lower()
    assert response.headers["cache-control"] == "no-store"


@requires("http.dashboard_closed")
def test_without_an_admin_key_nobody_sees_it(environ: dict[str, str]) -> None:
    app = App(config.load_settings(environ))
    client = TestClient(build_asgi_app(app), base_url=BASE)

    page = client.get("/dashboard", headers=BROWSER)
    tried = client.post("/dashboard/login", data={"key": ""}, headers=BROWSER)

    assert (page.status_code, tried.status_code) == (403, 403)
    assert "ADMIN_API_KEY" in SeenPage(page.text).text
    assert client.get("/dashboard/data").status_code == 403


@requires("http.dashboard_login")
def test_the_form_leads_to_the_page_and_back_out(client: TestClient) -> None:
    form = client.get("/dashboard", headers=BROWSER)
    entered = log_in(client)
    page = client.get("/dashboard", headers=BROWSER)
    cookie = client.cookies[COOKIE_NAME]
    (token,) = re.findall(r'name="token" value="([0-9a-f]{64})"', page.text)
    left = client.post("/dashboard/logout", data={"token": token})
    client.cookies.set(COOKIE_NAME, cookie, path="/dashboard")
    replayed = client.get("/dashboard", headers=BROWSER)

    assert form.status_code == 401
    assert "Admin key" in SeenPage(form.text).text
    assert (entered.status_code, entered.headers["location"]) == (303, "/dashboard")
    assert page.status_code == 200
    assert left.status_code == 303
    assert replayed.status_code == 401


@requires("http.dashboard_login")
def test_the_cookie_is_closed_to_scripts_and_other_sites_and_does_not_hold_the_key(
    environ: dict[str, str],
) -> None:
    plain = log_in(serve(environ)[1]).headers["set-cookie"].lower()
    _, public = serve(environ, CITEWELL_PUBLIC_URL="https://research.example.org")
    secure = log_in(public).headers["set-cookie"].lower()

    for attribute in ("httponly", "samesite=strict", "path=/dashboard", f"max-age={LOGIN_SECONDS}"):
        assert attribute in plain
    assert KEY not in plain
    assert "; secure" not in plain
    assert "; secure" in secure


@requires("http.dashboard_login")
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example.org"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://127.0.0.1:8000.evil.example.org"},
    ],
)
@pytest.mark.parametrize("path", ["/dashboard/login", "/dashboard/logout"])
def test_a_form_of_another_site_is_refused(
    path: str, headers: dict[str, str], client: TestClient
) -> None:
    response = client.post(path, data={"key": KEY}, headers=headers)

    assert response.status_code == 403
    assert "set-cookie" not in response.headers


@requires("http.dashboard_login")
@pytest.mark.parametrize("token", ["", "0" * 64, "é"])
def test_a_logout_that_is_not_from_the_page_is_refused(token: str, client: TestClient) -> None:
    log_in(client)

    response = client.post("/dashboard/logout", data={"token": token})

    assert response.status_code == 403
    assert client.get("/dashboard").status_code == 200


@pytest.mark.parametrize("key", ["", "wrong", KEY + "x", KEY[:-1], "é" * 20, "\x00"])
def test_a_wrong_key_shows_the_form_again(key: str, client: TestClient) -> None:
    response = log_in(client, key)

    assert response.status_code == 403
    assert "This is not the admin key." in SeenPage(response.text).text
    assert "set-cookie" not in response.headers


def test_guessing_is_slowed_down(client: TestClient) -> None:
    answers = [log_in(client, f"guess {number}").status_code for number in range(11)]
    right = log_in(client)

    assert answers == [403] * 10 + [429]
    assert right.status_code == 429
    assert int(right.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"key=" + b"x" * 5000, "application/x-www-form-urlencoded", 413),
        (b"key=x", "multipart/form-data; boundary=x", 415),
        (b'{"key":"x"}', "application/json", 415),
        (b"\xff\xfe", "application/x-www-form-urlencoded", 403),
        (b"&".join(b"a=1" for _ in range(50)), "application/x-www-form-urlencoded", 403),
    ],
)
def test_a_body_that_is_not_the_form_is_refused(
    content: bytes, kind: str, status: int, client: TestClient
) -> None:
    response = client.post("/dashboard/login", content=content, headers={"content-type": kind})

    assert response.status_code == status


def cookie_of(logins: LoginSessions) -> str:
    from starlette.responses import Response

    response = Response()
    logins.start_login(response, is_secure=True)
    return response.headers["set-cookie"].partition(";")[0].partition("=")[2]


def request_with(cookie: str) -> Any:
    from starlette.requests import Request

    headers = [(b"cookie", f"{COOKIE_NAME}={cookie}".encode("latin-1"))]
    return Request({"type": "http", "headers": headers})


@requires("http.dashboard_login")
@pytest.mark.parametrize(
    "change",
    [
        lambda cookie: cookie[:-1] + ("0" if cookie[-1] != "0" else "1"),
        lambda cookie: cookie.replace("1800000000", "1800000001"),
        lambda cookie: "9" * 400 + cookie,
        lambda cookie: "²" + cookie,
        lambda cookie: cookie.rpartition(".")[0],
        lambda cookie: cookie.rpartition(".")[0] + ".",
        lambda _: "",
        lambda _: "..",
        lambda _: "-1.a.b",
    ],
)
def test_a_changed_cookie_is_no_login(change: Callable[[str], str]) -> None:
    logins = LoginSessions(KEY, clock=Clock())
    cookie = cookie_of(logins)

    assert logins.is_logged_in(request_with(cookie))
    assert not logins.is_logged_in(request_with(change(cookie)))


@requires("http.dashboard_login")
def test_a_login_ends_after_an_hour_and_when_the_key_changes() -> None:
    clock = Clock()
    logins, other = LoginSessions(KEY, clock=clock), LoginSessions(KEY, clock=clock)
    changed = LoginSessions(KEY + "2", clock=clock)
    request = request_with(cookie_of(logins))

    assert other.is_logged_in(request)  # another instance with the same key
    assert not changed.is_logged_in(request)
    clock.now += LOGIN_SECONDS
    assert not logins.is_logged_in(request)


@requires("http.dashboard_closed")
@pytest.mark.parametrize(
    ("scopes", "status"), [(frozenset({ADMIN_SCOPE}), 200), (frozenset({"citewell:read"}), 403)]
)
def test_a_caller_with_the_scope_of_an_administrator_needs_no_key(
    scopes: frozenset[str], status: int, environ: dict[str, str]
) -> None:
    app = App(config.load_settings(environ))
    caller = VerifiedCaller(owner=Owner(tenant="t"), proof=CallerProof.OAUTH, scopes=scopes)

    class Verified:
        def __init__(self, inner: ASGIApp) -> None:
            self._inner = inner

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            attach_caller(scope, caller)
            await self._inner(scope, receive, send)

    asgi = build_asgi_app(app)
    outer = Starlette(routes=asgi.routes, middleware=[Middleware(Verified)])

    client = TestClient(outer)
    assert client.get("/dashboard/data").status_code == status
    page = client.get("/dashboard", headers=BROWSER)
    assert (page.status_code, "Dashboard" in SeenPage(page.text).text) == (status, True)


@requires("http.dashboard", "http.dashboard_private")
def test_the_data_are_totals_of_what_happened_without_a_word_of_it(
    environ: dict[str, str],
) -> None:
    app, client = serve(environ)
    secret = "a very private question"

    async def call() -> None:
        for tenant in ("acme", "acme", "globex"):
            owner = Owner(tenant=tenant, user="someone-by-name")
            await app.call_tool("web_search", {"query": secret}, owner=owner)
        await app.call_tool(
            "scrape_page", {"url": "http://private-host.invalid/"}, owner=Owner(tenant="acme")
        )

    with running(client) as run:
        run(call)
        response = client.get("/dashboard/data", headers={"x-admin-key": KEY})
        page = client.get("/dashboard", headers={"x-admin-key": KEY})

    data = response.json()
    tools = {tool["name"]: tool for tool in data["tools"]}
    tenants = {tenant["name"]: tenant for tenant in data["tenants"]["tenants"]}
    assert (data["calls"]["total"], data["calls"]["errors"]) == (4, 1)
    assert data["calls"]["minutes"][-1]["calls"] + data["calls"]["minutes"][-2]["calls"] == 4
    assert tools["web_search"]["calls"] == 3
    assert tools["web_search"]["slowMs"] >= tools["web_search"]["medianMs"]
    assert (tenants["acme"]["calls"], tenants["acme"]["errors"]) == (3, 1)
    assert {row["name"]: row["state"] for row in data["providers"]["configured"]}[
        "searxng"
    ] == "ready"
    assert data["failures"][0]["tool"] == "scrape_page"
    for private in (secret, "private-host", "someone-by-name"):
        assert private not in response.text
        assert private not in page.text


@requires("http.dashboard")
def test_jobs_and_spending_of_all_owners_are_added_up(environ: dict[str, str]) -> None:
    app, client = serve(environ)

    async def fill() -> None:
        database = app.open_state().database
        from citewell.store.sql.database import SqlStatement

        insert = (
            "INSERT INTO ledger (id, owner, number, entered, type, cents, remainder, job, provider)"
            " VALUES (:id, :owner, 1, :entered, 'settle', :cents, 0, :id, 'openai')"
        )
        rows = [("a", 7, 0.0), ("b", 30, 4e9)]  # long ago, and in the last day
        await database.execute_batch(
            [
                SqlStatement(
                    sql=insert,
                    params={"id": owner, "owner": owner, "cents": cents, "entered": entered},
                )
                for owner, cents, entered in rows
            ]
        )

    with running(client) as run:
        before = client.get("/dashboard/data", headers={"x-admin-key": KEY}).json()
        run(fill)
        after = client.get("/dashboard/data", headers={"x-admin-key": KEY}).json()

    assert "Nothing is stored" in before["absent"]["jobs"]
    assert after["jobs"]["byStatus"] == {}
    (paid,) = after["spending"]["providers"]
    assert (paid["dayCents"], paid["monthCents"], paid["totalCents"], paid["jobs"]) == (
        30,
        30,
        37,
        2,
    )


def test_a_store_that_cannot_be_read_hides_no_other_section(environ: dict[str, str]) -> None:
    _, client = serve(environ, CITEWELL_DATABASE_URL="postgresql://127.0.0.1:1/none")

    with running(client):
        data = client.get("/dashboard/data", headers={"x-admin-key": KEY}).json()

    assert "cannot be read now" in data["absent"]["jobs"]
    assert data["calls"]["total"] == 0


@requires("http.dashboard")
def test_the_head_of_the_audit_log_is_shown_and_a_change_of_it_too(environ: dict[str, str]) -> None:
    app, client = serve(environ, AUDIT_ENABLED="true")

    async def call() -> None:
        await app.call_tool("web_search", {"query": "http caching"})
        await app.open_state().audit.seal_waiting_rows()

    async def tamper() -> None:
        from citewell.store.sql.database import SqlStatement

        change = SqlStatement(sql="UPDATE audit_head SET mac = facts")
        await app.open_state().database.execute_batch([change])

    def read_audit() -> dict[str, str]:
        data = client.get("/dashboard/data", headers={"x-admin-key": KEY}).json()
        return {fact["name"]: fact["text"] for fact in data.get("audit", ())}

    with running(client) as run:
        run(call)
        sealed = read_audit()
        run(tamper)
        altered = read_audit()

    assert sealed["Sealed rows"] == "1"
    assert sealed["Head"].startswith("1:")
    assert sealed["Waiting to be sealed"] == "none"
    assert "audit-log verify" in altered["Chain"]


@requires("http.dashboard")
def test_limits_are_shown_with_what_they_refused(environ: dict[str, str]) -> None:
    def read_limits(**settings: str) -> dict[str, Any]:
        app, client = serve(environ, **settings)
        app.limits.counters.record_refusal(LimitKind.TENANT_DAY)
        with running(client):
            data: dict[str, Any] = client.get(
                "/dashboard/data", headers={"x-admin-key": KEY}
            ).json()
        return data

    limited = read_limits(CITEWELL_API_TOKENS="true", RATE_LIMIT_PER_TENANT="77")
    shown = {fact["name"]: fact["text"] for fact in limited["limits"]}
    assert shown["Refused by tenant day"] == "1"
    assert "77 a minute" in [fact["text"] for fact in limited["limits"]]
    assert "Callers are not limited" in read_limits()["absent"]["limits"]
    assert "9 a minute" in str(read_limits(RATE_LIMIT_PER_IP="9")["limits"])


@requires("http.dashboard_login", "http.dashboard_closed")
def test_the_login_works_beside_authentication_and_through_all_layers(
    environ: dict[str, str],
) -> None:
    named = {"ADMIN_API_KEY": KEY, "AUDIT_ENABLED": "false", "CITEWELL_API_TOKENS": "true"}
    public = {"CITEWELL_PUBLIC_URL": "https://research.example.org"}
    app = App(config.load_settings(environ | named | public))
    client = TestClient(
        build_layered_app(app), base_url="https://research.example.org", follow_redirects=False
    )
    own = {"origin": "https://research.example.org", "sec-fetch-site": "same-origin"}

    form = client.get("/dashboard", headers=BROWSER)
    foreign = log_in(client, origin="https://evil.example.org")
    entered = log_in(client, **own)
    page = client.get("/dashboard", headers=BROWSER)
    refused = client.get("/dashboard", headers={"authorization": "Bearer nonsense"})

    assert (form.status_code, foreign.status_code, entered.status_code) == (401, 403, 303)
    assert page.status_code == 200
    assert "nonce-" in page.headers["content-security-policy"]
    assert "strict-transport-security" in page.headers
    assert refused.status_code == 401


@requires("http.dashboard_live")
def test_the_page_is_told_at_once_that_a_job_has_changed(environ: dict[str, str]) -> None:
    app = App(config.load_settings(environ | {"ADMIN_API_KEY": KEY, "AUDIT_ENABLED": "false"}))
    site = build_asgi_app(app)
    head = [
        (b"host", b"127.0.0.1:8000"),
        (b"x-admin-key", KEY.encode()),
        (b"accept", b"text/event-stream"),
    ]
    scope = {
        "type": "http", "method": "GET", "path": "/dashboard/changes", "raw_path": b"/dashboard/changes",
        "query_string": b"", "headers": head, "http_version": "1.1", "scheme": "http",
        "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 1), "root_path": "",
    }  # fmt: skip

    async def scenario() -> bytes:
        await app.open_state().vault.ensure_keychain("someone")  # so that something is stored
        written, gone = b"", asyncio.Event()

        async def send(message: Any) -> None:
            nonlocal written
            written += message.get("body", b"")

        async def receive() -> Any:
            await gone.wait()
            return {"type": "http.disconnect"}

        serving = asyncio.create_task(site(scope, receive, send))
        async with asyncio.timeout(120):
            while b"changed" not in written:
                app.open_state().notices.notify_here("job", "any")
                await asyncio.sleep(0.005)
        gone.set()
        await serving
        await app.aclose()
        return written

    assert b"event: changed\ndata: jobs\n\n" in asyncio.run(scenario())


@requires("http.dashboard_closed")
def test_the_changes_are_for_the_operator_alone(client: TestClient) -> None:
    answer = client.get("/dashboard/changes", headers={"accept": "text/event-stream"})

    assert answer.status_code == 401
