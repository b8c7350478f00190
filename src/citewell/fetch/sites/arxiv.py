"""Reads arXiv papers: their metadata, and the full text from an HTML copy or the PDF."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.dialects.xml_responses import read_xml_tree
from citewell.errors import (
    CitewellError,
    MalformedResponse,
    NotFound,
    RefusedByPolicy,
    UpstreamError,
)
from citewell.fetch import page_errors
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    normalize_iso_time,
    parse_site_address,
    trim_to_date,
)
from citewell.model.page import Page
from citewell.net.http.messages import HttpResponse
from citewell.text.safety.markup_cleaning import clean_markup

ARXIV_API = SiteEndpoint(name="site_arxiv", base_url="https://export.arxiv.org/api/query", per_second=0.34, burst=3)  # fmt: skip
ARXIV_HTML = SiteEndpoint(
    name="site_arxiv_html", base_url="https://arxiv.org", page=True, timeout=15
)
AR5IV = SiteEndpoint(
    name="site_ar5iv", base_url="https://ar5iv.labs.arxiv.org", page=True, timeout=15
)
ENDPOINTS = (ARXIV_API, ARXIV_HTML, AR5IV)

_ARXIV_HOSTS = {"arxiv.org", "www.arxiv.org", "export.arxiv.org"}
_ARXIV_ID_PATTERN = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?")
_ATOM_NAMESPACE = "{http://www.w3.org/2005/Atom}"
_ARXIV_NAMESPACE = "{http://arxiv.org/schemas/atom}"
_ARXIV_DROPPED_SELECTOR = (
    "nav, header.ltx_page_header, footer, .ltx_page_footer, .ltx_TOC, .package-alerts,"
    " .ltx_title_document, .ltx_authors, .ltx_abstract, .ltx_dates, .ltx_role_footnotemark, button"
)
_MIN_FULL_TEXT_CHARS = 2000  # characters; less is an error page or a stub


@dataclass(frozen=True, slots=True, kw_only=True)
class _ArxivPaper:
    title: str
    abstract: str
    authors: tuple[str, ...]
    published: str | None
    updated: str | None
    doi: str
    journal: str
    comment: str
    subjects: tuple[str, ...]


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    if at is None or at.host not in _ARXIV_HOSTS or at.find_part(0) not in {"abs", "pdf", "html"}:
        return None
    number = "/".join(at.parts[1:]).removesuffix(".pdf")
    return (
        SiteRoute(url=url, kind="paper", id=number) if _ARXIV_ID_PATTERN.fullmatch(number) else None
    )


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    response = await kit.open_upstream(ARXIV_API).send_get(
        params={"id_list": route.id, "max_results": "1"}, accept=(400,)
    )
    paper = parse_arxiv_paper(response)
    if paper is None:
        raise page_errors.build_soft_404_error(route.url, "arXiv has no paper with this number")
    full, note = await _fetch_full_text(route, kit)
    content = markdown_parts.join_blocks(
        [
            _render_paper_heading(paper, route),
            "## Abstract",
            markdown_parts.convert_plain_text(paper.abstract),
            full,
        ]
    )
    return kit.build_page(
        route,
        content=content,
        content_type="arxiv",
        title=paper.title,
        author=", ".join(paper.authors) or None,
        has_people=True,
        site="arXiv",
        language="en",
        published=paper.published,
        modified=paper.updated,
        quality="complete" if full else "partial",
        notes=(note,),
    )


def parse_arxiv_paper(response: HttpResponse) -> _ArxivPaper | None:
    """The paper in an API response, or None if arXiv has no such paper; raises BadShape."""
    if response.status == 400 and b"api/errors" in response.body:
        return None
    entry = _parse_atom_feed(response).find(f"{_ATOM_NAMESPACE}entry")
    if entry is None:
        return None
    if "api/errors" in _read_atom_text(entry, f"{_ATOM_NAMESPACE}id"):
        return None
    title = _read_atom_text(entry, f"{_ATOM_NAMESPACE}title")
    if not title:
        raise MalformedResponse("The entry has no title.", provider=response.provider)
    names = (
        _read_atom_text(one, f"{_ATOM_NAMESPACE}name")
        for one in entry.iterfind(f"{_ATOM_NAMESPACE}author")
    )
    terms = (clean_markup(one.get("term")) for one in entry.iterfind(f"{_ATOM_NAMESPACE}category"))
    return _ArxivPaper(
        title=title,
        abstract=_read_atom_text(entry, f"{_ATOM_NAMESPACE}summary"),
        authors=tuple(name for name in names if name),
        published=normalize_iso_time(_read_atom_text(entry, f"{_ATOM_NAMESPACE}published")),
        updated=normalize_iso_time(_read_atom_text(entry, f"{_ATOM_NAMESPACE}updated")),
        doi=_read_atom_text(entry, f"{_ARXIV_NAMESPACE}doi"),
        journal=_read_atom_text(entry, f"{_ARXIV_NAMESPACE}journal_ref"),
        comment=_read_atom_text(entry, f"{_ARXIV_NAMESPACE}comment"),
        subjects=tuple(dict.fromkeys(term for term in terms if term)),
    )


def _parse_atom_feed(response: HttpResponse) -> Element:
    feed = read_xml_tree(response)
    if feed.tag != f"{_ATOM_NAMESPACE}feed":
        raise MalformedResponse("Expected an Atom feed.", provider=response.provider)
    return feed


def _read_atom_text(node: Element, name: str) -> str:
    return clean_markup(node.findtext(name))


def _render_paper_heading(paper: _ArxivPaper, route: SiteRoute) -> str:
    revised = (
        trim_to_date(paper.updated)
        if trim_to_date(paper.updated) != trim_to_date(paper.published)
        else ""
    )
    bare = re.sub(r"v\d+$", "", route.id)
    return markdown_parts.join_blocks(
        [
            markdown_parts.format_heading(paper.title),
            markdown_parts.format_inline_text(", ".join(paper.authors)),
            markdown_parts.join_facts(
                markdown_parts.format_markdown_link(
                    f"arXiv:{route.id}", f"https://arxiv.org/abs/{route.id}"
                ),
                trim_to_date(paper.published),
                f"revised {revised}" if revised else "",
                markdown_parts.format_markdown_link("PDF", f"https://arxiv.org/pdf/{route.id}"),
                markdown_parts.format_markdown_link(
                    f"doi:{paper.doi}", f"https://doi.org/{paper.doi}"
                )
                if paper.doi
                else "",
                "" if paper.doi else f"doi:10.48550/arXiv.{bare}",
            ),
            f"Published in: {markdown_parts.format_inline_text(paper.journal)}"
            if paper.journal
            else "",
            f"Comments: {markdown_parts.format_inline_text(paper.comment)}"
            if paper.comment
            else "",
            f"Subjects: {markdown_parts.format_inline_text(', '.join(paper.subjects))}"
            if paper.subjects
            else "",
        ]
    )


async def _fetch_full_text(route: SiteRoute, kit: SiteKit) -> tuple[str, str]:
    """The full text and its origin; an empty text and the reason if there is none."""
    for endpoint in (ARXIV_HTML, AR5IV):
        if text := await _fetch_html_copy(route, kit, endpoint):
            return (
                f"## Full text\n\n{text}",
                f"Full text from {kit.choose_base_url(endpoint)}/html/{route.id}.",
            )
    if kit.read_document is None:
        return "", "Only the abstract: no HTML copy was found, and no PDF reader is available."
    try:
        page = await kit.read_document(f"https://arxiv.org/pdf/{route.id}")
    except CitewellError as error:
        return "", f"Only the abstract: the PDF could not be read. {error.message}"
    return f"## Full text\n\n{page.content}", "Full text from the PDF."


async def _fetch_html_copy(route: SiteRoute, kit: SiteKit, endpoint: SiteEndpoint) -> str:
    try:
        response = await kit.fetch_site_page(endpoint, f"/html/{route.id}")
    except (UpstreamError, NotFound, RefusedByPolicy):
        return ""
    text = await kit.run_apart(
        markdown_parts.convert_html_text,
        response.decode_text(),
        base=f"https://arxiv.org/html/{route.id}",
        without=_ARXIV_DROPPED_SELECTOR,
        within="article.ltx_document",
    )
    return text if len(text) >= _MIN_FULL_TEXT_CHARS else ""
