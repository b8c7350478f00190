"""Reads Google Patents pages: holders, dates, status, abstract, claims and description."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from citewell.core.errors import NotFound
from citewell.core.values.page import Page
from citewell.reading import page_errors
from citewell.reading.sites import site_kit, site_markdown
from citewell.text.safety.text_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

GOOGLE_PATENTS = site_kit.SiteEndpoint(
    name="site_patents", base_url="https://patents.google.com", page=True, timeout=15, per_second=1.0, burst=3
)  # fmt: skip
ENDPOINTS = (GOOGLE_PATENTS,)

_PATENT_NUMBER_PATTERN = re.compile(r"[A-Z]{2}[A-Z]{0,2}\d{3,14}[A-Z]?\d?")
_PATENT_LANGUAGE_PATTERN = re.compile(r"[a-z]{2}")
_PATENT_DATE_PATTERN = re.compile(r"(?:19|20|18)\d\d-\d\d-\d\d")
_PATENT_DROPPED_SELECTOR = (
    ".google-src-text, .notranslate style, .num + .num, .description-line-number, aside"
)
_MAX_CLASSIFICATION_CODES = 12


def find_route(url: str) -> site_kit.SiteRoute | None:
    at = site_kit.parse_site_address(url)
    if at is None or at.host != "patents.google.com" or at.find_part(0) != "patent":
        return None
    number = at.find_part(1).upper().replace("-", "").replace(" ", "")
    language = at.find_part(2) or "en"
    if (
        len(at.parts) > 3
        or not _PATENT_NUMBER_PATTERN.fullmatch(number)
        or not _PATENT_LANGUAGE_PATTERN.fullmatch(language)
    ):
        return None
    return site_kit.SiteRoute(url=url, kind="patent", id=number, name=language)


@site_kit.fall_back_to_ladder
async def read_page(route: site_kit.SiteRoute, kit: site_kit.SiteKit) -> Page | None:
    try:
        response = await kit.fetch_site_page(GOOGLE_PATENTS, f"/patent/{route.id}/{route.name}")
    except NotFound:
        raise page_errors.build_not_found_error(route.url, "HTTP 404") from None
    parts = await kit.run_apart(parse_patent_page, route, response.body)
    return kit.build_parts_page(route, parts)


def parse_patent_page(route: site_kit.SiteRoute, body: bytes) -> site_kit.SitePageParts | None:
    """The parts of a patent's page; None if it shows no patent."""
    html = body.decode("utf-8", "replace")
    tree = site_markdown.parse_site_html(html)
    title = _find_meta_content(tree, "DC.title") or _find_first_text(tree, '[itemprop="title"]')
    abstract = _render_patent_section(html, "abstract") or site_markdown.convert_plain_text(
        _find_meta_content(tree, "DC.description")
    )
    if not title or not abstract:
        return None
    holders = _collect_party_names(tree, "assignee")
    inventors = _collect_party_names(tree, "inventor")
    published = _find_patent_date(tree, "publicationDate") or _find_patent_date(tree, "filingDate")
    content = site_markdown.join_blocks(
        [
            site_markdown.format_heading(title),
            _format_patent_facts(tree, route, holders, inventors),
            "## Abstract",
            abstract,
            *_build_titled_section(
                "Claims", re.sub(r"(?m)^(\d+)\\\.", r"\1.", _render_patent_section(html, "claims"))
            ),
            *_build_titled_section("Description", _render_patent_section(html, "description")),
        ]
    )
    return site_kit.SitePageParts(
        content=content,
        content_type="patent",
        title=title,
        author=", ".join(inventors) or None,
        has_people=True,
        site="Google Patents",
        language=route.name,
        published=published,
        published_basis="meta",
    )


def _format_patent_facts(
    tree: LexborHTMLParser, route: site_kit.SiteRoute, holders: list[str], inventors: list[str]
) -> str:
    current = site_markdown.list_node_texts(tree, 'dd[itemprop="assigneeCurrent"]')
    codes = site_markdown.list_node_texts(
        tree, '[itemprop="classifications"] [itemprop="Code"], [itemprop="cpcs"] [itemprop="Code"]'
    )
    rows = {
        "Number": route.id,
        "Inventors": ", ".join(inventors),
        "Original assignee": ", ".join(holders),
        "Current assignee": ", ".join(current) if current != holders else "",
        "Priority": _find_patent_date(tree, "priorityDate") or "",
        "Filed": _find_patent_date(tree, "filingDate") or "",
        "Published": _find_patent_date(tree, "publicationDate") or "",
        "Status": _find_first_text(tree, '[itemprop="legalStatusIfi"] [itemprop="status"]'),
        "Expires": _find_first_text(tree, '[itemprop="expiration"]'),
        "Classification": ", ".join(
            [code for code in codes if len(code) > 4][:_MAX_CLASSIFICATION_CODES]
        ),
    }
    return "\n".join(
        f"- {name}: {site_markdown.format_inline_text(value)}"
        for name, value in rows.items()
        if value
    )


def _build_titled_section(title: str, text: str) -> list[str]:
    return [f"## {title}", text] if text else []


def _render_patent_section(html: str, name: str) -> str:
    text = site_markdown.convert_html_text(
        html,
        base="https://patents.google.com",
        without=f'{_PATENT_DROPPED_SELECTOR}, section[itemprop="{name}"] > h2',
        within=f'section[itemprop="{name}"]',
    )
    return re.sub(r"^(?:Abstract|Claims \(\d+\)|Description)\s*\n", "", text)


def _collect_party_names(tree: LexborHTMLParser, kind: str) -> list[str]:
    """Names from the page's meta tags, else from its list of facts."""
    wanted = f'meta[name="DC.contributor"][scheme="{kind}"]'
    heads = [clean_markup(node.attributes.get("content")) for node in tree.css(wanted)]
    selector = (
        'dd[itemprop="assigneeOriginal"]' if kind == "assignee" else 'dd[itemprop="inventor"]'
    )
    found = [name for name in heads if name] or site_markdown.list_node_texts(tree, selector)
    return list(dict.fromkeys(found))


def _find_patent_date(tree: LexborHTMLParser, name: str) -> str | None:
    node = tree.css_first(f'time[itemprop="{name}"], dd[itemprop="{name}"]')
    if node is None:
        return None
    found = _PATENT_DATE_PATTERN.search(f"{node.attributes.get('datetime') or ''} {node.text()}")
    return found[0] if found else None


def _find_meta_content(tree: LexborHTMLParser, name: str) -> str:
    node = tree.css_first(f'meta[name="{name}"]')
    return clean_markup(node.attributes.get("content")) if node is not None else ""


def _find_first_text(tree: LexborHTMLParser, selector: str) -> str:
    return next(iter(site_markdown.list_node_texts(tree, selector)), "")
