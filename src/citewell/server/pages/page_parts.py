"""Parts that several pages show: the brand, a state in colour and words, the footer."""

from __future__ import annotations

from citewell.server.pages.html_elements import SafeMarkup, build_element

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
