"""Google Patents pages: who holds the patent, its dates and standing, its abstract, claims and text."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from citewell.errors import NotFound
from citewell.fetch import complaints
from citewell.fetch.sites import prose
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit, address, or_ladder
from citewell.model.page import Page
from citewell.text.markup import clean

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

WEB = Endpoint(
    name="site_patents", base_url="https://patents.google.com", page=True, timeout=15, per_second=1.0, burst=3
)  # fmt: skip
ENDPOINTS = (WEB,)

_NUMBER = re.compile(r"[A-Z]{2}[A-Z]{0,2}\d{3,14}[A-Z]?\d?")
_LANGUAGE = re.compile(r"[a-z]{2}")
_DAY = re.compile(r"(?:19|20|18)\d\d-\d\d-\d\d")
_FURNITURE = ".google-src-text, .notranslate style, .num + .num, .description-line-number, aside"
_CODES = 12


def matches(url: str) -> Route | None:
    at = address(url)
    if at is None or at.host != "patents.google.com" or at.part(0) != "patent":
        return None
    number = at.part(1).upper().replace("-", "").replace(" ", "")
    language = at.part(2) or "en"
    if len(at.parts) > 3 or not _NUMBER.fullmatch(number) or not _LANGUAGE.fullmatch(language):
        return None
    return Route(url=url, kind="patent", id=number, name=language)


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    try:
        response = await kit.get_page(WEB, f"/patent/{route.id}/{route.name}")
    except NotFound:
        raise complaints.missing(route.url, "HTTP 404") from None
    return await asyncio.to_thread(_page, route, kit, response.text())


def _page(route: Route, kit: SiteKit, html: str) -> Page | None:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.limits import tame

    tree = LexborHTMLParser(tame(html))
    title = _meta(tree, "DC.title") or _one(tree, '[itemprop="title"]')
    abstract = _section(html, "abstract") or prose.from_text(_meta(tree, "DC.description"))
    if not title or not abstract:
        return None
    holders = _names(tree, "assignee")
    inventors = _names(tree, "inventor")
    published = _date(tree, "publicationDate") or _date(tree, "filingDate")
    content = prose.blocks(
        [
            prose.heading(title),
            _facts(tree, route, holders, inventors),
            "## Abstract",
            abstract,
            *_titled("Claims", re.sub(r"(?m)^(\d+)\\\.", r"\1.", _section(html, "claims"))),
            *_titled("Description", _section(html, "description")),
        ]
    )
    return kit.page(
        route,
        content=content,
        content_type="patent",
        title=title,
        author=", ".join(inventors) or None,
        site="Google Patents",
        language=route.name,
        published=published,
        published_basis="meta",
    )


def _facts(tree: LexborHTMLParser, route: Route, holders: list[str], inventors: list[str]) -> str:
    current = _all(tree, 'dd[itemprop="assigneeCurrent"]')
    codes = _all(
        tree, '[itemprop="classifications"] [itemprop="Code"], [itemprop="cpcs"] [itemprop="Code"]'
    )
    rows = {
        "Number": route.id,
        "Inventors": ", ".join(inventors),
        "Original assignee": ", ".join(holders),
        "Current assignee": ", ".join(current) if current != holders else "",
        "Priority": _date(tree, "priorityDate") or "",
        "Filed": _date(tree, "filingDate") or "",
        "Published": _date(tree, "publicationDate") or "",
        "Status": _one(tree, '[itemprop="legalStatusIfi"] [itemprop="status"]'),
        "Expires": _one(tree, '[itemprop="expiration"]'),
        "Classification": ", ".join([code for code in codes if len(code) > 4][:_CODES]),
    }
    return "\n".join(f"- {name}: {prose.inline(value)}" for name, value in rows.items() if value)


def _titled(title: str, text: str) -> list[str]:
    return [f"## {title}", text] if text else []


def _section(html: str, name: str) -> str:
    text = prose.from_html(
        html,
        base="https://patents.google.com",
        without=f'{_FURNITURE}, section[itemprop="{name}"] > h2',
        within=f'section[itemprop="{name}"]',
    )
    return re.sub(r"^(?:Abstract|Claims \(\d+\)|Description)\s*\n", "", text)


def _names(tree: LexborHTMLParser, kind: str) -> list[str]:
    """From the page's head, else from its list of facts."""
    wanted = f'meta[name="DC.contributor"][scheme="{kind}"]'
    heads = [clean(node.attributes.get("content")) for node in tree.css(wanted)]
    selector = (
        'dd[itemprop="assigneeOriginal"]' if kind == "assignee" else 'dd[itemprop="inventor"]'
    )
    found = [name for name in heads if name] or _all(tree, selector)
    return list(dict.fromkeys(found))


def _date(tree: LexborHTMLParser, name: str) -> str | None:
    node = tree.css_first(f'time[itemprop="{name}"], dd[itemprop="{name}"]')
    if node is None:
        return None
    found = _DAY.search(f"{node.attributes.get('datetime') or ''} {node.text()}")
    return found[0] if found else None


def _meta(tree: LexborHTMLParser, name: str) -> str:
    node = tree.css_first(f'meta[name="{name}"]')
    return clean(node.attributes.get("content")) if node is not None else ""


def _one(tree: LexborHTMLParser, selector: str) -> str:
    return next(iter(_all(tree, selector)), "")


def _all(tree: LexborHTMLParser, selector: str) -> list[str]:
    found = (clean(node.text()) for node in tree.css(selector))
    return list(dict.fromkeys(text for text in found if text))
