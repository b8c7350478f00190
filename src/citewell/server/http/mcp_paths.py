"""Gives each MCP path its other spellings: with a slash at the end, and `/mcp?toolsets=NAME`."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.server.http.refusals import send_refusal

MCP_PATH = "/mcp"
TOOLSETS_PARAMETER = "toolsets"
MAX_SHOWN_CHARS = 80  # of a name that is not known


class McpPaths:
    """Rewrites the path of a request, so that everything behind it sees one spelling only."""

    def __init__(self, inner: ASGIApp, paths: Iterable[str]) -> None:
        self._inner = inner
        self._paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removesuffix("/")
        if scope["type"] != "http" or path not in self._paths:
            await self._inner(scope, receive, send)
            return
        chosen = _find_chosen_toolset(scope) if path == MCP_PATH else None
        if chosen is not None:
            path = f"{MCP_PATH}/{chosen}"
        if chosen is None and scope.get("raw_path") == path.encode():
            await self._inner(scope, receive, send)  # it is spelled like that already
        elif path in self._paths and chosen != "":
            await self._inner({**scope, "path": path, "raw_path": path.encode()}, receive, send)
        else:
            await send_refusal(send, 400, "unknown_toolset", self._describe_choices(chosen or ""))

    def _describe_choices(self, chosen: str) -> str:
        known = sorted(path.removeprefix(f"{MCP_PATH}/") for path in self._paths - {MCP_PATH})
        return (
            f"{TOOLSETS_PARAMETER}={chosen[:MAX_SHOWN_CHARS]} does not name one toolset. "
            f"Name one of {', '.join(known)}."
        )


def _find_chosen_toolset(scope: Scope) -> str | None:
    """The value of `toolsets`; None if the query does not have it. Repeated values are joined."""
    query = scope.get("query_string", b"").decode("latin-1")
    if TOOLSETS_PARAMETER not in query:
        return None
    try:
        given = parse_qs(query, keep_blank_values=True, max_num_fields=20)
    except ValueError:
        return ""
    values = given.get(TOOLSETS_PARAMETER)
    return None if values is None else ",".join(values).strip()
