"""What all pages share: head, style, headers that forbid everything from outside, and escaping."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from citewell.text.markdown_html import load_palette

_VOID_TAGS = frozenset({"br", "input", "link", "meta"})

_NONCE_BYTES = 18
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"
    "%3Crect width='32' height='32' rx='7' fill='%230b57a4'/%3E"
    "%3Cpath d='M21.5 11.2a7 7 0 1 0 0 9.6' fill='none' stroke='white' stroke-width='3.4' stroke-linecap='round'/%3E"
    "%3Ccircle cx='22.6' cy='16' r='2.3' fill='white'/%3E%3C/svg%3E"
)


def build_page_response(
    title: str,
    *content: SafeMarkup,
    script: str | None = None,
    status: int = 200,
    is_wide: bool = False,
    refresh_seconds: int | None = None,
) -> HTMLResponse:
    """A whole page as a response. `script` names a file of this folder.

    Only the style and the script of the page itself can run: both carry a nonce that is new for
    every response. `refresh_seconds` loads the page again in browsers without JavaScript.
    """
    nonce = secrets.token_urlsafe(_NONCE_BYTES)
    refresh = (
        build_element(
            "noscript",
            build_element("meta", http_equiv="refresh", content=str(refresh_seconds)),
        )
        if refresh_seconds is not None
        else None
    )
    style = SafeMarkup(load_palette() + load_page_file("page.css"))
    head = join_markup(
        (
            build_element("meta", charset="utf-8"),
            build_element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            build_element("meta", name="color-scheme", content="light dark"),
            build_element("meta", name="robots", content="noindex"),
            build_element("title", title),
            build_element("link", rel="icon", href=_ICON),
            build_element("style", style, nonce=nonce),
            refresh,
        )
    )
    end = (
        build_element("script", SafeMarkup(load_page_file(script)), nonce=nonce) if script else None
    )
    skip = build_element("a", "Skip to content", class_="skip", href="#content")
    body = build_element("body", skip, *content, end, class_="wide-page" if is_wide else None)
    document = build_element("html", build_element("head", head), body, lang="en")
    return HTMLResponse(
        f"<!doctype html>\n{document}\n", status_code=status, headers=_build_page_headers(nonce)
    )


@cache
def load_page_file(name: str) -> str:
    """A style sheet, script or piece of HTML of this folder."""
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _build_page_headers(nonce: str) -> dict[str, str]:
    policy = (
        "default-src 'none'",
        f"style-src 'nonce-{nonce}'",
        f"script-src 'nonce-{nonce}'",
        "img-src data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "Cache-Control": "no-store",
        "Referrer-Policy": "same-origin",  # without a referrer, browsers send forms with Origin: null
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


# Builds HTML in which every value is escaped, unless it was built here.


class SafeMarkup(str):
    """Text that is HTML already. Only this module and constants of the code make it."""

    __slots__ = ()


def build_element(
    tag: str, *children: str | None, **attributes: str | float | bool | None
) -> SafeMarkup:
    """An element. Children that are not SafeMarkup are escaped; attributes are escaped always.

    An underscore in the name of an attribute stands for a hyphen, and one at its end is dropped.
    None and False leave an attribute out; True writes its name alone.
    """
    written = ""
    for name, value in attributes.items():
        if value is not None and value is not False:
            written += f" {name.rstrip('_').replace('_', '-')}"
            written += "" if value is True else f'="{escape(str(value))}"'
    if tag in _VOID_TAGS:
        return SafeMarkup(f"<{tag}{written}>")
    return SafeMarkup(f"<{tag}{written}>{join_markup(children)}</{tag}>")


def join_markup(children: Iterable[str | None]) -> SafeMarkup:
    """All children in a row; those that are not SafeMarkup are escaped, None is left out."""
    return SafeMarkup(
        "".join(
            child if isinstance(child, SafeMarkup) else escape(child, quote=False)
            for child in children
            if child is not None
        )
    )


def fill_page_file(name: str, **values: str) -> SafeMarkup:
    """The HTML of a file of this folder with each value in place of its {name}; it is not indented.

    Values that are not SafeMarkup are escaped, so that they can also stand in an attribute.
    """
    markup = "".join(line.strip() for line in load_page_file(name).splitlines())
    escaped = {
        key: value if isinstance(value, SafeMarkup) else escape(value)
        for key, value in values.items()
    }
    return SafeMarkup(markup.format_map(escaped))


# Parts that several pages show: the brand, a state in colour and words, the footer.

_STATE_SIGNS = {"good": "●", "warn": "▲", "bad": "■", "idle": "○"}  # told apart without colour too
_BRAND_SVG = SafeMarkup(
    '<svg class="brand-mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">'
    '<rect width="32" height="32" rx="7" fill="currentColor"/>'
    '<path class="cut" d="M21.5 11.2a7 7 0 1 0 0 9.6" fill="none" stroke-width="3.4" stroke-linecap="round"/>'
    '<circle class="cut-dot" cx="22.6" cy="16" r="2.3"/></svg>'
)


def render_brand() -> SafeMarkup:
    """The mark and the name, linked to the front page."""
    return build_element(
        "a", _BRAND_SVG, build_element("span", "Citewell"), href="/", class_="brand"
    )


def render_status(tone: str, text: str) -> SafeMarkup:
    """A state as a sign and words; `tone` is good, warn, bad or idle."""
    sign = build_element("span", _STATE_SIGNS[tone], aria_hidden="true", class_="sign")
    return build_element("span", sign, " ", text, class_=f"status {tone}")


def render_footer() -> SafeMarkup:
    text = "Citewell serves the Model Context Protocol. This page loads nothing from elsewhere."
    return build_element("footer", build_element("p", text))


# Errors outside MCP: a short page for browsers, JSON for everybody else.


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
