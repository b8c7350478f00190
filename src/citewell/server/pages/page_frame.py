"""What all pages share: head, style, headers that forbid everything from outside, and escaping."""

from __future__ import annotations

import secrets
from functools import cache
from importlib import resources

from starlette.responses import HTMLResponse

from citewell.server.pages.html_elements import SafeMarkup, build_element, join_markup
from citewell.services.research.reporting.report_style import load_palette

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
    page = _render_page_document(
        title,
        content,
        nonce=nonce,
        script=script,
        is_wide=is_wide,
        refresh_seconds=refresh_seconds,
    )
    return HTMLResponse(page, status_code=status, headers=_build_page_headers(nonce))


@cache
def load_page_file(name: str) -> str:
    """A style sheet or script of this folder."""
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _render_page_document(
    title: str,
    content: tuple[SafeMarkup, ...],
    *,
    nonce: str,
    script: str | None,
    is_wide: bool,
    refresh_seconds: int | None,
) -> str:
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
            _render_refresh(refresh_seconds),
        )
    )
    end = (
        build_element("script", SafeMarkup(load_page_file(script)), nonce=nonce) if script else None
    )
    skip = build_element("a", "Skip to content", class_="skip", href="#content")
    body = build_element("body", skip, *content, end, class_="wide-page" if is_wide else None)
    document = build_element("html", build_element("head", head), body, lang="en")
    return f"<!doctype html>\n{document}\n"


def _render_refresh(seconds: int | None) -> SafeMarkup | None:
    if seconds is None:
        return None
    return build_element(
        "noscript", build_element("meta", http_equiv="refresh", content=str(seconds))
    )


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
