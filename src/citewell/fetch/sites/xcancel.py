"""Builds pages from X posts and profiles as the mirror xcancel.com shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.fxtwitter import parse_zoned_date
from citewell.fetch.sites.site_kit import SitePageParts, SiteRoute, trim_to_date
from citewell.text.safety.markup_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_MIRROR_NOTE = "Read through the mirror xcancel.com."


def parse_mirror_page(route: SiteRoute, body: bytes) -> SitePageParts | None:
    """The parts of the page; None if the mirror shows neither a post nor a profile."""
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.markup_limits import limit_markup

    tree = LexborHTMLParser(limit_markup(body.decode("utf-8", "replace")))
    return (
        _parse_mirror_post(route, tree)
        if route.kind == "post"
        else _parse_mirror_profile(route, tree)
    )


def _parse_mirror_post(route: SiteRoute, tree: LexborHTMLParser) -> SitePageParts | None:
    from citewell.fetch.markdown.markdown_writer import render_markdown

    body = tree.css_first(".main-tweet .tweet-content")
    if body is None or not body.text().strip():
        return None
    name = _find_selector_text(tree, ".main-tweet .fullname") or route.owner
    handle = _find_selector_text(tree, ".main-tweet .username").removeprefix("@") or route.owner
    link = tree.css_first(".main-tweet .tweet-date a[title]")
    stamp = _parse_mirror_date(link.attributes.get("title") if link is not None else None)
    line = markdown_parts.join_facts(
        f"**{markdown_parts.format_inline_text(name)}**",
        markdown_parts.format_inline_text(f"@{handle}"),
        trim_to_date(stamp),
    )
    return SitePageParts(
        content=markdown_parts.join_blocks([line, render_markdown(body, base="https://x.com")]),
        content_type="twitter",
        title=f"{name} on X: {markdown_parts.trim_excerpt(body.text(), 80)}",
        kind="forum",
        author=name,
        site="X",
        published=stamp,
        published_basis="time",
        notes=(_MIRROR_NOTE,),
    )


def _parse_mirror_profile(route: SiteRoute, tree: LexborHTMLParser) -> SitePageParts | None:
    name = _find_selector_text(tree, ".profile-card-fullname")
    if not name:
        return None
    stats = [
        f"{markdown_parts.format_inline_text(_find_selector_text(tree, f'.profile-statlist .{kind} .profile-stat-num'))} {kind}"
        for kind in ("posts", "following", "followers")
        if _find_selector_text(tree, f".profile-statlist .{kind} .profile-stat-num")
    ]
    bio = markdown_parts.convert_plain_text(_find_selector_text(tree, ".profile-bio"))
    head = f"# {markdown_parts.format_inline_text(name)} (@{route.owner})"
    return SitePageParts(
        content=markdown_parts.join_blocks([head, bio, markdown_parts.join_facts(*stats)]),
        content_type="twitter",
        title=f"{name} (@{route.owner})",
        kind="forum",
        author=name,
        site="X",
        notes=(_MIRROR_NOTE,),
    )


def _find_selector_text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return clean_markup(node.text()) if node is not None else ""


def _parse_mirror_date(text: str | None) -> str | None:
    """A date such as `Oct 10, 2018 · 8:19 PM UTC` as ISO 8601, or None."""
    return parse_zoned_date(
        (text or "").replace(" · ", " ").replace("UTC", "+0000"), "%b %d, %Y %I:%M %p %z"
    )
