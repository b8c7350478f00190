"""Wikipedia articles in any language by MediaWiki's parser: text, tables and infobox, no furniture."""

from __future__ import annotations

import asyncio
import re
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from citewell.errors import BadShape, CitewellError
from citewell.fetch import complaints
from citewell.fetch.sites import prose
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit, address, from_iso, or_ladder
from citewell.model.page import Page
from citewell.net.answer import Items, Maybe, Part
from citewell.net.message import Response
from citewell.net.upstream import parse
from citewell.text.markup import clean

API = Endpoint(name="site_wikipedia", base_url="https://en.wikipedia.org/w/api.php", burst=4, per_second=5.0)  # fmt: skip
ENDPOINTS = (API,)

_HOST = re.compile(r"([a-z]{2,3}(?:-[a-z]{2,12})*|simple)(?:\.m)?\.wikipedia\.org")
_FURNITURE = (
    ".navbox, .vertical-navbox, .sidebar, .navbox-styles, .mw-editsection, .noprint, .metadata,"
    " .ambox, .toc, #toc, .mw-empty-elt, .sistersitebox, .side-box, .portalbox, .catlinks,"
    " .mw-jump-link, .mw-cite-backlink, .geo-nondefault, .geo-multi-punct, .shortdescription,"
    " .mw-kartographer-container, .authority-control, sup.reference, .reflist, .refbegin,"
    " .mw-references-wrap, ol.references, .printfooter, link, meta, audio, video"
)
_NAMESPACE = re.compile(
    r"(?:special|user|talk|user[_ ]talk|wikipedia|project|file|image|media|mediawiki|template|help"
    r"|category|portal|draft|module|timedtext|spezial|benutzer|datei|kategorie|utilisateur|fichier"
    r"|spécial|catégorie|usuario|archivo|categoría|especial)(?:[_ ]\w+)?:",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(#{1,6}) ")


class _Parsed(Part):
    title: str
    text: str
    displaytitle: Maybe[str] = None
    properties: Maybe[dict[str, Any]] = None


class _Answer(Part):
    parse: Maybe[_Parsed] = None
    error: Maybe[dict[str, Any]] = None


class _Revision(Part):
    timestamp: Maybe[str] = None


class _Dated(Part):
    revisions: Maybe[Items[_Revision]] = None


class _Query(Part):
    pages: Maybe[Items[_Dated]] = None


class _Dates(Part):
    query: Maybe[_Query] = None


def matches(url: str) -> Route | None:
    at = address(url)
    edition = _HOST.fullmatch(at.host) if at else None
    if at is None or edition is None:
        return None
    title = _title(url, at.query)
    if not title or _NAMESPACE.match(title) or len(title) > 300:
        return None
    return Route(url=url, kind="article", id=title, owner=edition[1], path=at.fragment)


def _title(url: str, query: Any) -> str:
    path = urlsplit(url).path
    if path.startswith("/wiki/"):
        return "" if query.get("action") or query.get("oldid") else unquote(path[6:])
    known = set(query) <= {"title", "redirect"}
    return query.get("title", "") if path == "/w/index.php" and known else ""


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    parsed, stamp = await asyncio.gather(_article(route, kit), _changed(route, kit))
    markdown = await asyncio.to_thread(
        _markdown, parsed.text, f"https://{route.owner}.wikipedia.org"
    )
    if not markdown:
        return None
    title = clean(parsed.displaytitle) or clean(parsed.title)
    disambiguation = "disambiguation" in (parsed.properties or {})
    return kit.page(
        route,
        content=prose.blocks([prose.heading(title), markdown]),
        content_type="wikipedia",
        title=title,
        final_url=f"https://{route.owner}.wikipedia.org/wiki/{_path(parsed.title)}",
        kind="listing" if disambiguation else "article",
        language=route.owner[:2] if route.owner != "simple" else "en",
        site="Wikipedia",
        published=stamp,
        modified=stamp,
        notes=("Reference lists are left out; the date is that of the last change.",),
    )


async def _article(route: Route, kit: SiteKit) -> _Parsed:
    params = {
        "action": "parse",
        "page": route.id,
        "prop": "text|displaytitle|properties",
        "redirects": "1",
        "disableeditsection": "1",
        "disablelimitreport": "1",
        "disabletoc": "1",
    }
    answer = parse(_Answer, await _ask(route, kit, params))
    if answer.error and answer.error.get("code") in {
        "missingtitle",
        "invalidtitle",
        "nosuchpageid",
    }:
        raise complaints.gone(route.url, "no such article")
    if answer.parse is None:
        raise BadShape("The answer holds no article.", provider=API.name)
    return answer.parse


async def _changed(route: Route, kit: SiteKit) -> str | None:
    """When the article was last changed; None when that cannot be learnt."""
    params = {
        "action": "query",
        "prop": "revisions",
        "rvprop": "timestamp",
        "titles": route.id,
        "redirects": "1",
    }
    try:
        answer = parse(_Dates, await _ask(route, kit, params))
    except CitewellError:
        return None
    pages = answer.query.pages or () if answer.query else ()
    stamps = [one.timestamp for page in pages for one in page.revisions or ()]
    return from_iso(stamps[0]) if stamps else None


async def _ask(route: Route, kit: SiteKit, params: dict[str, str]) -> Response:
    edition = f"https://{route.owner}.wikipedia.org/w/api.php"
    return await kit.upstream(API).get(
        params=params | {"format": "json", "formatversion": "2"},
        base_url=kit.base(API, edition),
    )


def _markdown(html: str, base: str) -> str:
    text = prose.from_html(html, base=base, without=_FURNITURE)
    return _without_empty_sections(text.replace("[edit]", ""))


def _without_empty_sections(text: str) -> str:
    """Headings that lost what stood below them go too."""
    kept: list[str] = []
    ahead = 0  # the level of the heading that follows, 0 where text does
    for block in reversed(text.split("\n\n")):
        heading = _HEADING.match(block)
        level = len(heading[1]) if heading else 0
        empty = level and (not kept or (ahead and ahead <= level))
        if not empty:
            kept.append(block)
            ahead = level
    return "\n\n".join(reversed(kept)).strip()


def _path(title: str) -> str:
    return quote(title.replace(" ", "_").encode("utf-8", "replace"), safe="/:(),'!*;@")
