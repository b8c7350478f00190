"""Reads arXiv papers: their metadata, and the full text from an HTML copy or the PDF."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.core import errors
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.xml_responses import read_xml_tree
from citewell.reading import page_errors
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    normalize_iso_time,
    parse_site_address,
    trim_to_date,
)
from citewell.text.safety.text_cleaning import clean_markup

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
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
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
    abstract = site_markdown.convert_plain_text(paper.abstract)
    return kit.build_page(
        route,
        content=(_render_paper_heading(paper, route), "## Abstract", abstract, full),
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
    feed = read_xml_tree(response)
    if feed.tag != f"{_ATOM}feed":
        raise errors.MalformedResponse("Expected an Atom feed.", provider=response.provider)
    entry = feed.find(f"{_ATOM}entry")
    if entry is None or "api/errors" in _read_atom_text(entry, f"{_ATOM}id"):
        return None
    title = _read_atom_text(entry, f"{_ATOM}title")
    if not title:
        raise errors.MalformedResponse("The entry has no title.", provider=response.provider)
    names = (_read_atom_text(row, f"{_ATOM}name") for row in entry.iterfind(f"{_ATOM}author"))
    terms = (clean_markup(row.get("term")) for row in entry.iterfind(f"{_ATOM}category"))
    return _ArxivPaper(
        title=title,
        abstract=_read_atom_text(entry, f"{_ATOM}summary"),
        authors=tuple(name for name in names if name),
        published=normalize_iso_time(_read_atom_text(entry, f"{_ATOM}published")),
        updated=normalize_iso_time(_read_atom_text(entry, f"{_ATOM}updated")),
        doi=_read_atom_text(entry, f"{_ARXIV}doi"),
        journal=_read_atom_text(entry, f"{_ARXIV}journal_ref"),
        comment=_read_atom_text(entry, f"{_ARXIV}comment"),
        subjects=tuple(dict.fromkeys(term for term in terms if term)),
    )


def _read_atom_text(node: Element, name: str) -> str:
    return clean_markup(node.findtext(name))


def _render_paper_heading(paper: _ArxivPaper, route: SiteRoute) -> str:
    published, revised = trim_to_date(paper.published), trim_to_date(paper.updated)
    bare = re.sub(r"v\d+$", "", route.id)
    doi = f"doi:10.48550/arXiv.{bare}"
    if paper.doi:
        doi = site_markdown.format_markdown_link(f"doi:{paper.doi}", f"https://doi.org/{paper.doi}")
    links = {f"arXiv:{route.id}": "abs", "PDF": "pdf"}
    record, pdf = (
        site_markdown.format_markdown_link(name, f"https://arxiv.org/{folder}/{route.id}")
        for name, folder in links.items()
    )
    facts = {
        "Published in": paper.journal,
        "Comments": paper.comment,
        "Subjects": ", ".join(paper.subjects),
    }
    return site_markdown.join_blocks(
        [
            site_markdown.format_heading(paper.title),
            site_markdown.format_inline_text(", ".join(paper.authors)),
            site_markdown.join_facts(
                record,
                published,
                f"revised {revised}" if revised not in {"", published} else "",
                pdf,
                doi,
            ),
            *(
                f"{name}: {site_markdown.format_inline_text(value)}"
                for name, value in facts.items()
                if value
            ),
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
    except errors.CitewellError as error:
        return "", f"Only the abstract: the PDF could not be read. {error.message}"
    return f"## Full text\n\n{page.content}", "Full text from the PDF."


async def _fetch_html_copy(route: SiteRoute, kit: SiteKit, endpoint: SiteEndpoint) -> str:
    try:
        response = await kit.fetch_site_page(endpoint, f"/html/{route.id}")
    except (errors.UpstreamError, errors.NotFound, errors.RefusedByPolicy):
        return ""
    text = await kit.run_apart(
        site_markdown.convert_html_text,
        response.decode_text(),
        base=f"https://arxiv.org/html/{route.id}",
        without=_ARXIV_DROPPED_SELECTOR,
        within="article.ltx_document",
    )
    return text if len(text) >= _MIN_FULL_TEXT_CHARS else ""
