"""Errors outside MCP: a short page for browsers, JSON for everybody else."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citewell.server.pages.html_elements import SafeMarkup, build_element, join_markup
from citewell.server.pages.page_frame import build_page_response
from citewell.server.pages.page_parts import render_brand, render_footer

logger = logging.getLogger(__name__)


async def answer_http_error(request: Request, error: Exception) -> Response:
    """The answer to a request that no route takes, or that a route refused."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(getattr(error, "headers", None) or {})
    code, title, text = _describe_error(status, getattr(error, "detail", ""))
    if not wants_html(request):
        body = {"error": {"code": code, "message": f"{title}. {text}"}}
        return JSONResponse(body, status_code=status, headers=headers)
    response = build_page_response(
        f"{title} · Citewell", render_message_page(title, text), status=status
    )
    response.headers.update(headers)
    return response


async def answer_server_error(request: Request, error: Exception) -> Response:
    """The answer when a route failed; what happened is in the log and not in the answer."""
    logger.error("The request could not be answered.", exc_info=error)
    return await answer_http_error(request, HTTPException(500))


def wants_html(request: Request) -> bool:
    """True for a browser that shows the answer to a person."""
    accepted = request.headers.get("accept", "")
    return "text/html" in accepted and "text/event-stream" not in accepted


def render_message_page(title: str, *texts: str) -> SafeMarkup:
    """A page with one heading, a few sentences, and the way back."""
    return join_markup(
        (
            build_element("header", render_brand(), class_="top"),
            build_element(
                "main",
                build_element("h1", title),
                *(build_element("p", text) for text in texts),
                build_element("p", build_element("a", "Go to the front page", href="/")),
                id="content",
            ),
            render_footer(),
        )
    )


def _describe_error(status: int, detail: str) -> tuple[str, str, str]:
    """The code, the title and a sentence that says what to do."""
    if status == 404:
        return (
            "not_found",
            "There is nothing at this address",
            "The front page lists the addresses for clients; they begin with /mcp.",
        )
    if status == 405:
        return (
            "method_not_allowed",
            "This address does not take that kind of request",
            "The Allow header names what it takes.",
        )
    if status >= 500:
        return (
            "internal_error",
            "The server could not answer",
            "Try again in a moment. If it happens again, the server's log says why.",
        )
    return "request_refused", "The request was refused", detail or "It is not valid here."


# For Starlette: the key of 500 is the class of what was not expected.
ERROR_HANDLERS: Mapping[Any, Any] = {
    HTTPException: answer_http_error,
    Exception: answer_server_error,
}
