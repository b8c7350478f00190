"""Verified callers over HTTP: their sessions are counted for them, and browsers may read refusals."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import httpx2

from citewell.core import config
from citewell.server.state.state_store import StateStore
from tests.e2e.clients import listening
from tests.e2e.test_layers import ACCEPT, INITIALIZE
from tests.requirements import requires

Environ = dict[str, str]
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


@contextlib.asynccontextmanager
async def served_users(
    environ: Environ, *names: str
) -> AsyncIterator[tuple[httpx2.AsyncClient, list[dict[str, str]]]]:
    """A server that knows these users, and the headers with which each calls."""
    settings = environ | {"CITEWELL_API_TOKENS": "true"}
    state = StateStore(config.load_settings(settings))
    try:
        made = [await state.tokens.create_token(f"team/{name}") for name in names]
        async with listening(settings) as base, httpx2.AsyncClient(base_url=base) as http:
            yield (
                http,
                [ACCEPT | {"authorization": f"Bearer {one.secret_text}"} for one in made],
            )
    finally:
        await state.aclose()


@requires("http.sessions")
def test_a_flood_of_sessions_by_one_user_leaves_those_of_another(environ: Environ) -> None:
    limited = environ | {"CITEWELL_HTTP_SESSIONS_PER_CALLER": "2"}

    async def run() -> tuple[list[int], int]:
        async with served_users(limited, "flooder", "quiet") as (http, (flooder, quiet)):

            async def open_session(headers: dict[str, str]) -> str:
                response = await http.post("/mcp", json=INITIALIZE, headers=headers)
                return str(response.headers["mcp-session-id"])

            async def use_session(headers: dict[str, str], session: str) -> int:
                named = headers | {"mcp-session-id": session}
                return (await http.post("/mcp", json=PING, headers=named)).status_code

            kept = await open_session(quiet)
            opened = [await open_session(flooder) for _ in range(4)]
            return (
                [await use_session(flooder, session) for session in opened],
                await use_session(quiet, kept),
            )

    assert asyncio.run(run()) == ([404, 404, 200, 200], 200)


@requires("http.cors")
def test_a_page_reads_how_to_sign_in_and_asks_first_without_credentials(environ: Environ) -> None:
    allowed = environ | {"ALLOWED_ORIGINS": "https://app.example.org"}
    origin = {"origin": "https://app.example.org"}

    async def run() -> tuple[httpx2.Response, httpx2.Response]:
        async with served_users(allowed, "a") as (http, _):
            asked = origin | {
                "access-control-request-method": "POST",
                "access-control-request-headers": "authorization",
            }
            return (
                await http.options("/mcp", headers=asked),
                await http.post("/mcp", json=INITIALIZE, headers=ACCEPT | origin),
            )

    preflight, refused = asyncio.run(run())

    assert preflight.status_code == 200
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == "https://app.example.org"
    assert "WWW-Authenticate" in refused.headers["access-control-expose-headers"]
