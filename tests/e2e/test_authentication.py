"""Who is calling over HTTP: OAuth tokens, API tokens and a proxy's header, at a server that listens."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from citewell.core import config
from citewell.core.errors import Misconfigured
from citewell.server.app import App
from citewell.server.call_answers import build_answer_sharing
from citewell.server.http.auth.auth_ways import check_auth_settings
from citewell.server.http.listening import check_listen_address
from citewell.server.state.state_store import StateStore
from tests.e2e.clients import listening
from tests.issuers import IssuerServer, run_issuer
from tests.requirements import requires

Environ = dict[str, str]
AUDIENCE = "https://research.example.org/mcp"
METADATA = "https://research.example.org/.well-known/oauth-protected-resource"
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "probe", "version": "1"},
    },
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def build_call(tool: str = "web_search") -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "tools/call",
        "params": {"name": tool, "arguments": {"query": "http caching"}},
    }


@dataclass
class Server:
    """A listening server with its issuer, and what tests send to it."""

    issuer: IssuerServer
    http: httpx2.AsyncClient

    def issue(self, **changes: Any) -> str:
        return self.issuer.issue_token(AUDIENCE, now=time.time(), **changes)

    async def post(
        self,
        message: Any = INITIALIZE,
        *,
        token: str | None = None,
        path: str = "/mcp",
        session: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> httpx2.Response:
        sent = ACCEPT | (headers or {})
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        if session is not None:
            sent |= {"mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
        return await self.http.post(path, json=message, headers=sent)

    async def open_session(self, token: str, path: str = "/mcp") -> str:
        opened = await self.post(token=token, path=path)
        assert opened.status_code == 200, opened.text
        return str(opened.headers["mcp-session-id"])


@contextlib.asynccontextmanager
async def serve(environ: Environ, **changes: str) -> AsyncIterator[Server]:
    with run_issuer() as issuer:
        oauth = {"OAUTH_ISSUER_URL": issuer.issuer, "OAUTH_AUDIENCE": AUDIENCE}
        async with (
            listening(environ | oauth | changes) as base,
            httpx2.AsyncClient(base_url=base, timeout=60) as http,
        ):
            yield Server(issuer=issuer, http=http)


@requires("http.oauth", "defect.http_challenge")
def test_a_request_without_a_token_is_told_where_to_get_one(environ: Environ) -> None:
    async def run() -> dict[str, httpx2.Response]:
        async with serve(environ) as server:
            return {
                path: await server.post(path=path) for path in ("/mcp", "/mcp/all", "/mcp/deep")
            }

    answers = asyncio.run(run())

    for path, answer in answers.items():
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == f'Bearer resource_metadata="{METADATA}{path}"'
        assert answer.json()["error"] == "unauthorized"


@requires("http.resource_metadata")
def test_the_metadata_of_every_endpoint_are_open_to_everyone(environ: Environ) -> None:
    async def run() -> tuple[str, dict[str, httpx2.Response], httpx2.Response, httpx2.Response]:
        async with serve(environ, REQUIRED_SCOPES="research:read research:write") as server:
            well_known = "/.well-known/oauth-protected-resource"
            paths = ("", "/mcp", "/mcp/all", "/mcp/core", "/mcp/connector")
            origin = {"origin": "https://inspector.example.net"}
            found = {
                path: await server.http.get(well_known + path, headers=origin) for path in paths
            }
            asked = await server.http.options(
                well_known + "/mcp",
                headers=origin | {"access-control-request-method": "GET"},
            )
            other = await server.http.get(well_known + "/other")
            return server.issuer.issuer, found, asked, other

    issuer, found, asked, other = asyncio.run(run())

    for answer in found.values():
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.json() == {
            "resource": AUDIENCE,
            "authorization_servers": [issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Citewell",
            "scopes_supported": ["research:read", "research:write"],
        }
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == "*"
    assert other.status_code == 404


@requires("http.oauth", "http.forged_tokens")
def test_each_wrong_token_gets_the_right_challenge(
    environ: Environ, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> tuple[list[str], list[httpx2.Response], httpx2.Response]:
        async with serve(environ) as server:
            tokens = [
                server.issue(aud="https://other.example.org"),
                server.issue(iss="https://other.example.org"),
                server.issue(exp=time.time() - 600),
                server.issue(iat=time.time() + 600),
                server.issue()[:-3] + "AAA",
                "opaque-token",
                "cwt_aaaaaaaaaaaaaaaa_" + "A" * 43,
            ]
            answers = [await server.post(token=token) for token in tokens]
            return tokens, answers, await server.post(token=server.issue())

    tokens, answers, good = asyncio.run(run())

    for answer in answers:
        assert answer.status_code == 401
        assert 'error="invalid_token"' in answer.headers["www-authenticate"]
        assert f'resource_metadata="{METADATA}/mcp"' in answer.headers["www-authenticate"]
    assert good.status_code == 200
    causes = [
        record.getMessage().split(".")[0]
        for record in caplog.records
        if record.name == "citewell.server.http.authentication"
    ]
    assert causes == [
        f"Refused: {cause}"
        for cause in (
            "audience",
            "issuer",
            "expired",
            "not_yet_valid",
            "signature",
            "unknown_token",
            "unknown_token",
        )
    ]
    assert not any(token in caplog.text for token in tokens)


@requires("http.smuggled_credentials")
def test_credentials_that_could_be_read_in_two_ways_are_refused(environ: Environ) -> None:
    async def run() -> list[httpx2.Response]:
        async with serve(environ) as server:
            token = server.issue()
            twice = [
                *ACCEPT.items(),
                ("authorization", f"Bearer {token}"),
                ("Authorization", f"Bearer {token}"),
            ]
            return [
                await server.http.post("/mcp", json=INITIALIZE, headers=twice),
                await server.post(path=f"/mcp?access_token={token}"),
                await server.post(path=f"/mcp?%61ccess_token={token}"),
                await server.post(token="a" * 20_000),
                await server.post(headers={"authorization": "Basic YTpi"}),
                await server.post(headers={"authorization": "Bearer"}),
            ]

    answers = asyncio.run(run())

    assert [answer.status_code for answer in answers] == [400, 400, 400, 400, 401, 401]
    assert "authorization" in answers[0].text.lower()
    for answer in answers[1:4]:
        assert answer.json()["error"] == "invalid_request"
        assert answer.json()["error_description"]


def test_a_token_of_100_kb_is_refused(environ: Environ) -> None:
    async def run() -> int:
        async with serve(environ) as server:
            return (await server.post(token="a" * 100_000)).status_code

    assert asyncio.run(run()) in {400, 431}


@requires("http.issuer_faults")
def test_an_issuer_that_cannot_be_used_is_not_the_callers_fault(environ: Environ) -> None:
    async def run() -> httpx2.Response:
        async with serve(environ) as server:
            server.issuer.publish("/jwks", b"<html>Maintenance</html>", media_type="text/html")
            return await server.post(token=server.issue())

    answer = asyncio.run(run())

    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert "www-authenticate" not in answer.headers


@requires("http.session_binding")
@pytest.mark.parametrize(
    "other", [{"sub": "bob"}, {"tenant_id": "globex"}, {"client_id": "another"}]
)
def test_a_session_is_for_the_caller_who_opened_it(other: dict[str, Any], environ: Environ) -> None:
    async def run() -> tuple[int, int, int, int]:
        async with serve(environ) as server:
            mine, theirs = server.issue(), server.issue(**other)
            session = await server.open_session(mine)
            used = await server.post(LIST, token=mine, session=session)
            stolen = await server.post(LIST, token=theirs, session=session)
            ended = await server.http.delete(
                "/mcp",
                headers={"authorization": f"Bearer {theirs}", "mcp-session-id": session},
            )
            still = await server.post(LIST, token=server.issue(), session=session)
            return used.status_code, stolen.status_code, ended.status_code, still.status_code

    assert asyncio.run(run()) == (200, 404, 404, 200)


@requires("http.session_binding")
def test_a_cached_answer_is_not_the_way_around_a_session(environ: Environ) -> None:
    async def run() -> tuple[list[int], int, int]:
        async with serve(environ) as server:
            mine = server.issue()
            session = await server.open_session(mine)
            good = [
                (await server.post(build_call(), token=mine, session=session)).status_code
                for _ in range(3)
            ]
            stolen = await server.post(build_call(), token=server.issue(sub="bob"), session=session)
            expired = await server.post(
                build_call(), token=server.issue(exp=time.time() - 5), session=session
            )
            return good, stolen.status_code, expired.status_code

    assert asyncio.run(run()) == ([200, 200, 200], 404, 401)


# The scope of a token, the message, the path, and the scopes that are asked for; None if it is allowed.
DEFAULT_TOOLSETS = (
    "toolset:core toolset:deep toolset:domains toolset:scholar toolset:sessions toolset:trust"
)
SCOPE_CASES: tuple[tuple[str | None, dict[str, Any], str, str | None], ...] = (
    ("tool:*", build_call(), "/mcp", None),
    ("tool:web_search", build_call(), "/mcp", None),
    ("toolset:core", build_call(), "/mcp", None),
    ("toolset:scholar", build_call(), "/mcp", "toolset:core"),
    ("tool:web_searc", build_call(), "/mcp", "toolset:core"),
    ("toolset:core", build_call("academic_search"), "/mcp", "toolset:scholar"),
    ("toolset:core", build_call("usage"), "/mcp/all", "toolset:deep"),
    ("toolset:scholar", build_call("read_artifact"), "/mcp", None),
    ("toolset:scholar", LIST, "/mcp", None),
    ("toolset:deep", LIST, "/mcp", None),
    ("toolset:connector", LIST, "/mcp", DEFAULT_TOOLSETS),
    (None, LIST, "/mcp", DEFAULT_TOOLSETS),
)


@requires("http.scopes")
def test_scopes_decide_which_tools_may_be_called(environ: Environ) -> None:
    async def run() -> list[httpx2.Response]:
        async with serve(environ, ENFORCE_SCOPES="true") as server:
            whole = server.issue(scope="tool:*")
            sessions = {
                path: await server.open_session(whole, path) for path in ("/mcp", "/mcp/all")
            }
            return [
                await server.post(
                    message, token=server.issue(scope=scope), session=sessions[path], path=path
                )
                for scope, message, path, _ in SCOPE_CASES
            ]

    answers = asyncio.run(run())

    for answer, (_, _, path, wanted) in zip(answers, SCOPE_CASES, strict=True):
        assert answer.status_code == (200 if wanted is None else 403), answer.text
        if wanted is not None:
            assert answer.headers["www-authenticate"] == (
                f'Bearer error="insufficient_scope", '
                f'error_description="This needs the scope {wanted}.", '
                f'scope="{wanted}", resource_metadata="{METADATA}{path}"'
            )


@requires("http.scopes")
def test_required_scopes_allow_every_tool_and_are_what_clients_are_told(environ: Environ) -> None:
    async def run() -> list[httpx2.Response]:
        async with serve(
            environ, ENFORCE_SCOPES="true", REQUIRED_SCOPES="research, research:write"
        ) as server:
            whole = server.issue(scope="research:write openid research")
            session = await server.open_session(whole)
            return [
                await server.post(),
                await server.post(build_call(), token=whole, session=session),
                await server.post(
                    build_call(), token=server.issue(scope="research"), session=session
                ),
            ]

    without, allowed, partly = asyncio.run(run())

    assert 'scope="research research:write"' in without.headers["www-authenticate"]
    assert allowed.status_code == 200
    assert partly.status_code == 403
    assert 'scope="research research:write"' in partly.headers["www-authenticate"]


@requires("http.introspection")
def test_an_opaque_token_is_asked_about_once_in_a_while(environ: Environ) -> None:
    async def run() -> tuple[list[int], IssuerServer]:
        async with serve(
            environ,
            OAUTH_INTROSPECTION_CLIENT_ID="citewell",
            OAUTH_INTROSPECTION_CLIENT_SECRET="s3cret:x",
        ) as server:
            good = {"active": True, "sub": "alice", "aud": AUDIENCE, "client_id": "app"}
            later = {"exp": time.time() + 60, "iss": server.issuer.issuer}
            server.issuer.opaque = {
                "good": good,
                "full": good | later,
                "foreign": good | {"aud": "https://other.example.org"},
                "nobody": good | {"aud": None},
                "old": good | {"exp": time.time() - 1},
                "alien": good | {"iss": "https://other.example.org"},
                "odd": good | {"active": "true"},
            }
            names = ("good", "good", "full", "foreign", "nobody", "old", "alien", "odd", "none")
            return [(await server.post(token=name)).status_code for name in names], server.issuer

    statuses, issuer = asyncio.run(run())

    assert statuses == [200, 200, 200, 401, 401, 401, 401, 401, 401]
    assert issuer.asked.count("/introspect") == 8
    assert set(issuer.credentials) == {"Basic Y2l0ZXdlbGw6czNjcmV0JTNBeA=="}


@requires("http.api_tokens")
def test_an_api_token_is_good_until_it_is_revoked(environ: Environ) -> None:
    settings = environ | {"CITEWELL_API_TOKENS": "true"}

    async def run() -> tuple[str, list[httpx2.Response]]:
        state = StateStore(config.load_settings(settings))
        try:
            made = await state.tokens.create_token("acme/alice")
            short = await state.tokens.create_token("acme/alice", lifetime=-1)
            scoped = await state.tokens.create_token("acme/bob", scopes=["tool:web_search"])
            async with (
                listening(settings) as base,
                httpx2.AsyncClient(base_url=base, timeout=60) as http,
            ):
                server = Server(issuer=IssuerServer(), http=http)
                session = await server.open_session(made.secret_text)
                narrow = await server.open_session(scoped.secret_text)
                answers = [
                    await server.post(),
                    await server.post(LIST, token=made.secret_text, session=session),
                    await server.post(LIST, token=made.secret_text, session=narrow),
                    await server.post(token=short.secret_text),
                    await server.post(token=made.secret_text[:-1] + "-"),
                    await server.post(build_call(), token=scoped.secret_text, session=narrow),
                    await server.post(
                        build_call("academic_search"), token=scoped.secret_text, session=narrow
                    ),
                ]
            return made.secret_text, answers
        finally:
            await state.aclose()

    token, answers = asyncio.run(run())

    assert [answer.status_code for answer in answers] == [401, 200, 404, 401, 401, 200, 403]
    assert answers[0].headers["www-authenticate"] == "Bearer"
    assert not any(token in answer.text for answer in answers)


@requires("http.proxy_header")
@pytest.mark.parametrize(
    ("proxies", "headers", "status"),
    [
        ("127.0.0.0/8", [("x-forwarded-user", "alice")], 200),
        ("127.0.0.1", [], 401),
        ("10.0.0.0/8", [("x-forwarded-user", "alice"), ("x-forwarded-for", "10.0.0.1")], 403),
    ],
)
def test_only_a_trusted_proxy_says_who_is_calling(
    proxies: str, headers: list[tuple[str, str]], status: int, environ: Environ
) -> None:
    settings = environ | {
        "CITEWELL_PROXY_USER_HEADER": "X-Forwarded-User",
        "CITEWELL_TRUSTED_PROXIES": proxies,
    }

    async def run() -> int:
        async with listening(settings) as base, httpx2.AsyncClient(timeout=60) as http:
            sent = [*ACCEPT.items(), *headers]
            return (await http.post(f"{base}/mcp", json=INITIALIZE, headers=sent)).status_code

    assert asyncio.run(run()) == status


def test_health_needs_no_token_and_a_wrong_one_does_not_matter_there(environ: Environ) -> None:
    async def run() -> list[int]:
        async with serve(environ) as server:
            headers = {"authorization": "Bearer nonsense"}
            return [
                (await server.http.get("/health/live")).status_code,
                (await server.http.get("/health/live", headers=headers)).status_code,
            ]

    assert asyncio.run(run()) == [200, 200]


@requires("http.loopback")
@pytest.mark.parametrize(
    "settings",
    [
        {"OAUTH_ISSUER_URL": "https://login.example.org", "OAUTH_AUDIENCE": AUDIENCE},
        {"CITEWELL_API_TOKENS": "true"},
        {"CITEWELL_PROXY_USER_HEADER": "X-User", "CITEWELL_TRUSTED_PROXIES": "10.0.0.1"},
    ],
)
def test_with_authentication_the_server_may_listen_anywhere(
    settings: dict[str, str], environ: Environ
) -> None:
    loaded = config.load_settings(environ | settings, host="0.0.0.0")

    check_listen_address(loaded, insecure=False)


@requires("http.loopback")
def test_without_authentication_a_public_interface_is_refused_with_what_to_set(
    environ: Environ,
) -> None:
    with pytest.raises(Misconfigured) as caught:
        check_listen_address(config.load_settings(environ, host="0.0.0.0"), insecure=False)

    for name in ("OAUTH_ISSUER_URL", "CITEWELL_API_TOKENS", "CITEWELL_PROXY_USER_HEADER"):
        assert name in caught.value.message


@requires("http.loopback")
def test_insecure_warns_loudly(environ: Environ, capsys: pytest.CaptureFixture[str]) -> None:
    check_listen_address(config.load_settings(environ, host="0.0.0.0"), insecure=True)

    told = capsys.readouterr().err
    assert "WARNING" in told
    assert "0.0.0.0" in told


@requires("http.auth_settings")
@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"OAUTH_ISSUER_URL": "https://login.example.org"}, "OAUTH_AUDIENCE"),
        ({"OAUTH_AUDIENCE": AUDIENCE}, "OAUTH_ISSUER_URL"),
        ({"OAUTH_ISSUER_URL": "http://login.example.org", "OAUTH_AUDIENCE": AUDIENCE}, "https"),
        ({"OAUTH_ISSUER_URL": "login.example.org", "OAUTH_AUDIENCE": AUDIENCE}, "https"),
        ({"OAUTH_ISSUER_URL": "https://login.example.org?x=1", "OAUTH_AUDIENCE": AUDIENCE}, "https"),
        ({"OAUTH_ISSUER_URL": "https://[", "OAUTH_AUDIENCE": AUDIENCE}, "https"),
        ({"OAUTH_ISSUER_URL": "https://login.example.org", "OAUTH_AUDIENCE": "api", "CITEWELL_HOST": "0.0.0.0"}, "CITEWELL_PUBLIC_URL"),
        ({"OAUTH_ISSUER_URL": "https://login.example.org", "OAUTH_AUDIENCE": AUDIENCE, "OAUTH_INTROSPECTION_CLIENT_ID": "x"}, "OAUTH_INTROSPECTION_CLIENT_SECRET"),
        ({"CITEWELL_PROXY_USER_HEADER": "X-User"}, "CITEWELL_TRUSTED_PROXIES"),
        ({"CITEWELL_PROXY_USER_HEADER": "X-User", "CITEWELL_TRUSTED_PROXIES": "proxy"}, "neither an address nor a network"),
        ({"CITEWELL_PROXY_TENANT_HEADER": "X-Tenant"}, "CITEWELL_PROXY_USER_HEADER"),
        ({"ENFORCE_SCOPES": "true"}, "OAUTH_ISSUER_URL"),
    ],
)  # fmt: skip
def test_settings_that_do_not_fit_together_are_told_at_the_start(
    settings: dict[str, str], named: str, environ: Environ
) -> None:
    loaded = config.load_settings(environ | settings)

    with pytest.raises(Misconfigured, match=named):
        check_auth_settings(loaded)


def test_tenants_have_caches_of_their_own_once_callers_authenticate(environ: Environ) -> None:
    loaded = [
        build_answer_sharing(config.load_settings(environ | changes)).is_split_by_tenant
        for changes in (
            {},
            {"CITEWELL_API_TOKENS": "true"},
            {"CITEWELL_API_TOKENS": "true", "CACHE_ISOLATION": "shared"},
            {"CACHE_ISOLATION": "tenant"},
        )
    ]

    assert loaded == [False, True, False, True]


def test_the_public_address_is_the_audience_if_none_is_named(environ: Environ) -> None:
    public = environ | {
        "CITEWELL_PUBLIC_URL": "https://research.example.org/",
        "OAUTH_ISSUER_URL": "https://login.example.org",
    }

    app = App(config.load_settings(public))
    asyncio.run(app.aclose())

    check_auth_settings(app.settings)


@requires("http.oauth", "http.session_binding")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_official_client_with_a_token_works_in_both_eras(mode: str, environ: Environ) -> None:
    async def run() -> tuple[str, int]:
        async with serve(environ, ENFORCE_SCOPES="true") as server:
            token = {"authorization": f"Bearer {server.issue(scope='toolset:core')}"}
            url = f"{server.http.base_url}".rstrip("/") + "/mcp"
            async with (
                create_mcp_http_client(headers=token) as http,
                Client(streamable_http_client(url, http_client=http), mode=mode) as client,
            ):
                found = await client.call_tool("web_search", {"query": "http caching"})
                return client.protocol_version, len(found.content)

    version, items = asyncio.run(run())

    assert (version >= "2026") == (mode == "auto")
    assert items
