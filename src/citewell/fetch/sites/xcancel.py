"""A post or profile of X as the mirror xcancel.com shows it, made into a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.fetch.sites import prose
from citewell.fetch.sites.fxtwitter import dated
from citewell.fetch.sites.kit import Route, SiteKit, day
from citewell.model.page import Page
from citewell.text.markup import clean

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_NOTE = "Read through the mirror xcancel.com."


def read_page(route: Route, kit: SiteKit, html: str) -> Page | None:
    """None where the mirror shows neither a post nor a profile."""
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.limits import tame

    tree = LexborHTMLParser(tame(html))
    return _post(route, kit, tree) if route.kind == "post" else _profile(route, kit, tree)


def _post(route: Route, kit: SiteKit, tree: LexborHTMLParser) -> Page | None:
    from citewell.fetch.markdown.writer import write

    body = tree.css_first(".main-tweet .tweet-content")
    if body is None or not body.text().strip():
        return None
    name = _text(tree, ".main-tweet .fullname") or route.owner
    handle = _text(tree, ".main-tweet .username").removeprefix("@") or route.owner
    link = tree.css_first(".main-tweet .tweet-date a[title]")
    stamp = _date(link.attributes.get("title") if link is not None else None)
    line = prose.facts(f"**{prose.inline(name)}**", prose.inline(f"@{handle}"), day(stamp))
    return kit.page(
        route,
        content=prose.blocks([line, write(body, base="https://x.com")]),
        content_type="twitter",
        title=f"{name} on X: {prose.excerpt(body.text(), 80)}",
        kind="forum",
        author=name,
        site="X",
        published=stamp,
        published_basis="time",
        notes=(_NOTE,),
    )


def _profile(route: Route, kit: SiteKit, tree: LexborHTMLParser) -> Page | None:
    name = _text(tree, ".profile-card-fullname")
    if not name:
        return None
    stats = [
        f"{prose.inline(_text(tree, f'.profile-statlist .{kind} .profile-stat-num'))} {kind}"
        for kind in ("posts", "following", "followers")
        if _text(tree, f".profile-statlist .{kind} .profile-stat-num")
    ]
    bio = prose.from_text(_text(tree, ".profile-bio"))
    head = f"# {prose.inline(name)} (@{route.owner})"
    return kit.page(
        route,
        content=prose.blocks([head, bio, prose.facts(*stats)]),
        content_type="twitter",
        title=f"{name} (@{route.owner})",
        kind="forum",
        author=name,
        site="X",
        notes=(_NOTE,),
    )


def _text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return clean(node.text()) if node is not None else ""


def _date(text: str | None) -> str | None:
    """`Oct 10, 2018 · 8:19 PM UTC`."""
    return dated((text or "").replace(" · ", " ").replace("UTC", "+0000"), "%b %d, %Y %I:%M %p %z")
