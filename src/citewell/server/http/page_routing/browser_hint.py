"""Answers people who open the address of a client in a browser."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from citewell.server.pages.error_pages import render_message_page, wants_html
from citewell.server.pages.page_frame import build_page_response


class BrowserHint:
    """Shows a short page at the MCP paths, which would otherwise answer a browser with an MCP error."""

    def __init__(self, inner: ASGIApp, paths: Iterable[str]) -> None:
        self._inner = inner
        self._paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and scope["method"] in {"GET", "HEAD"}
            and scope["path"] in self._paths
            and wants_html(Request(scope))
        ):
            content = render_message_page(
                "This address is for AI assistants",
                "Nothing is wrong: Citewell answers here, but in the Model Context Protocol, which "
                "browsers do not speak. Give this address to your assistant; the front page says how.",
            )
            page = build_page_response("For AI assistants · Citewell", content, status=406)
            await page(scope, receive, send)
            return
        await self._inner(scope, receive, send)
