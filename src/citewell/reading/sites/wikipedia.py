"""Reads Wikipedia articles in any language through the MediaWiki API, without navigation."""

from __future__ import annotations

import asyncio
import re
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from citewell.core.errors import CitewellError, MalformedResponse
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import (
    OptionalField,
    ResponsePart,
    TolerantItems,
    nested_field,
)
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.reading import page_errors
from citewell.reading.sites import site_kit, site_markdown
from citewell.text.safety.text_cleaning import clean_markup

WIKIPEDIA_API = site_kit.SiteEndpoint(name="site_wikipedia", base_url="https://en.wikipedia.org/w/api.php", burst=4, per_second=5.0)  # fmt: skip
ENDPOINTS = (WIKIPEDIA_API,)

_EDITION_HOST_PATTERN = re.compile(r"([a-z]{2,3}(?:-[a-z]{2,12})*|simple)(?:\.m)?\.wikipedia\.org")
_WIKIPEDIA_DROPPED_SELECTOR = (
    ".navbox, .vertical-navbox, .sidebar, .navbox-styles, .mw-editsection, .noprint, .metadata,"
    " .ambox, .toc, #toc, .mw-empty-elt, .sistersitebox, .side-box, .portalbox, .catlinks,"
    " .mw-jump-link, .mw-cite-backlink, .geo-nondefault, .geo-multi-punct, .shortdescription,"
    " .mw-kartographer-container, .authority-control, .printfooter, link, meta, audio, video"
)
_NAMESPACE_PATTERN = re.compile(
    r"(?:special|user|talk|user[_ ]talk|wikipedia|project|file|image|media|mediawiki|template|help"
    r"|category|portal|draft|module|timedtext|spezial|benutzer|datei|kategorie|utilisateur|fichier"
    r"|spécial|catégorie|usuario|archivo|categoría|especial)(?:[_ ]\w+)?:",
    re.IGNORECASE,
)
_MARKDOWN_HEADING_PATTERN = re.compile(r"(#{1,6}) ")


class _ParsedArticle(ResponsePart):
    title: str
    text: str
    displaytitle: OptionalField[str] = None
    properties: OptionalField[dict[str, Any]] = None


class _ParseAnswer(ResponsePart):
    parse: OptionalField[_ParsedArticle] = None
    error: OptionalField[dict[str, Any]] = None


class _ArticleRevision(ResponsePart):
    timestamp: OptionalField[str] = None


class _ArticleRevisions(ResponsePart):
    revisions: OptionalField[TolerantItems[_ArticleRevision]] = None


class _RevisionAnswer(ResponsePart):
    pages: OptionalField[TolerantItems[_ArticleRevisions]] = nested_field("query.pages")


def find_route(url: str) -> site_kit.SiteRoute | None:
    at = site_kit.parse_site_address(url)
    edition = _EDITION_HOST_PATTERN.fullmatch(at.host) if at else None
    if at is None or edition is None:
        return None
    title = _find_article_title(url, at.query)
    if not title or _NAMESPACE_PATTERN.match(title) or len(title) > 300:
        return None
    return site_kit.SiteRoute(url=url, kind="article", id=title, owner=edition[1], path=at.fragment)


def _find_article_title(url: str, query: Any) -> str:
    path = urlsplit(url).path
    if path.startswith("/wiki/"):
        return "" if query.get("action") or query.get("oldid") else unquote(path[6:])
    known = set(query) <= {"title", "redirect"}
    return query.get("title", "") if path == "/w/index.php" and known else ""


@site_kit.fall_back_to_ladder
async def read_page(route: site_kit.SiteRoute, kit: site_kit.SiteKit) -> Page | None:
    parsed, stamp = await asyncio.gather(_fetch_article(route, kit), _fetch_last_change(route, kit))
    markdown = await kit.run_apart(
        convert_article_html, parsed.text, f"https://{route.owner}.wikipedia.org"
    )
    if not markdown:
        return None
    title = clean_markup(parsed.displaytitle) or clean_markup(parsed.title)
    is_list = "disambiguation" in (parsed.properties or {})
    path = quote(parsed.title.replace(" ", "_").encode("utf-8", "replace"), safe="/:(),'!*;@")
    return kit.build_page(
        route,
        content=(site_markdown.format_heading(title), markdown),
        content_type="wikipedia",
        title=title,
        final_url=f"https://{route.owner}.wikipedia.org/wiki/{path}",
        kind="listing" if is_list else "article",
        language=route.owner[:2] if route.owner != "simple" else "en",
        site="Wikipedia",
        published=stamp,
        modified=stamp,
        notes=("The date is that of the last change.",),
    )


async def _fetch_article(route: site_kit.SiteRoute, kit: site_kit.SiteKit) -> _ParsedArticle:
    params = {
        "action": "parse",
        "page": route.id,
        "prop": "text|displaytitle|properties",
        "redirects": "1",
        "disableeditsection": "1",
        "disablelimitreport": "1",
        "disabletoc": "1",
    }
    answer = parse_json_response(_ParseAnswer, await _fetch_mediawiki(route, kit, params))
    if answer.error and answer.error.get("code") in {
        "missingtitle",
        "invalidtitle",
        "nosuchpageid",
    }:
        raise page_errors.build_soft_404_error(route.url, "no such article")
    if answer.parse is None:
        raise MalformedResponse("The response holds no article.", provider=WIKIPEDIA_API.name)
    return answer.parse


async def _fetch_last_change(route: site_kit.SiteRoute, kit: site_kit.SiteKit) -> str | None:
    """When the article was last changed; None if the API does not say."""
    params = {
        "action": "query",
        "prop": "revisions",
        "rvprop": "timestamp",
        "titles": route.id,
        "redirects": "1",
    }
    try:
        answer = parse_json_response(_RevisionAnswer, await _fetch_mediawiki(route, kit, params))
    except CitewellError:
        return None
    revisions = [revision for page in answer.pages or () for revision in page.revisions or ()]
    return site_kit.normalize_iso_time(revisions[0].timestamp) if revisions else None


async def _fetch_mediawiki(
    route: site_kit.SiteRoute, kit: site_kit.SiteKit, params: dict[str, str]
) -> HttpResponse:
    edition = f"https://{route.owner}.wikipedia.org/w/api.php"
    return await kit.open_upstream(WIKIPEDIA_API).send_get(
        params=params | {"format": "json", "formatversion": "2"},
        base_url=kit.choose_base_url(WIKIPEDIA_API, edition),
    )


def convert_article_html(html: str, base: str) -> str:
    """The article as markdown, without sections that are left empty."""
    text = site_markdown.convert_html_text(html, base=base, without=_WIKIPEDIA_DROPPED_SELECTOR)
    return _drop_empty_sections(text.replace("[edit]", ""))


def _drop_empty_sections(text: str) -> str:
    """The text without headings that have nothing left below them."""
    kept: list[str] = []
    ahead = 0  # the level of the heading that follows, 0 if text follows
    for block in reversed(text.split("\n\n")):
        heading = _MARKDOWN_HEADING_PATTERN.match(block)
        level = len(heading[1]) if heading else 0
        empty = level and (not kept or (ahead and ahead <= level))
        if not empty:
            kept.append(block)
            ahead = level
    return "\n\n".join(reversed(kept)).strip()
