"""arXiv papers: what the archive says of them, and the full text where a copy can be read."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError, fromstring

from citewell.errors import BadShape, CitewellError, NotFound, Refused, UpstreamError
from citewell.fetch import complaints
from citewell.fetch.sites import prose
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit, address, day, from_iso, or_ladder
from citewell.model.page import Page
from citewell.net.message import Response
from citewell.text.markup import clean

API = Endpoint(name="site_arxiv", base_url="https://export.arxiv.org/api/query", per_second=0.34, burst=3)  # fmt: skip
HTML = Endpoint(name="site_arxiv_html", base_url="https://arxiv.org", page=True, timeout=15)
AR5IV = Endpoint(name="site_ar5iv", base_url="https://ar5iv.labs.arxiv.org", page=True, timeout=15)
ENDPOINTS = (API, HTML, AR5IV)

_HOSTS = {"arxiv.org", "www.arxiv.org", "export.arxiv.org"}
_ID = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,3})?")
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_FURNITURE = (
    "nav, header.ltx_page_header, footer, .ltx_page_footer, .ltx_TOC, .package-alerts,"
    " .ltx_title_document, .ltx_authors, .ltx_abstract, .ltx_dates, .ltx_bibliography,"
    " .ltx_role_footnotemark, .ltx_tag_bibitem, button"
)
_LEAST = 2000  # characters; less is an error page or a stub


@dataclass(frozen=True, slots=True, kw_only=True)
class _Paper:
    title: str
    abstract: str
    authors: tuple[str, ...]
    published: str | None
    updated: str | None
    doi: str
    journal: str
    comment: str
    subjects: tuple[str, ...]


def matches(url: str) -> Route | None:
    at = address(url)
    if at is None or at.host not in _HOSTS or at.part(0) not in {"abs", "pdf", "html"}:
        return None
    number = "/".join(at.parts[1:]).removesuffix(".pdf")
    return Route(url=url, kind="paper", id=number) if _ID.fullmatch(number) else None


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    response = await kit.upstream(API).get(
        params={"id_list": route.id, "max_results": "1"}, accept=(400,)
    )
    paper = read_feed(response)
    if paper is None:
        raise complaints.gone(route.url, "arXiv has no paper of this number")
    full, note = await _full_text(route, kit)
    content = prose.blocks(
        [_head(paper, route), "## Abstract", prose.from_text(paper.abstract), full]
    )
    return kit.page(
        route,
        content=content,
        content_type="arxiv",
        title=paper.title,
        author=", ".join(paper.authors) or None,
        site="arXiv",
        language="en",
        published=paper.published,
        modified=paper.updated,
        quality="complete" if full else "partial",
        notes=(note,),
    )


def read_feed(response: Response) -> _Paper | None:
    """The paper of an answer with one entry; None when arXiv has none."""
    if response.status == 400 and b"api/errors" in response.body:
        return None
    entry = _feed(response).find(f"{_ATOM}entry")
    if entry is None:
        return None
    if "api/errors" in _text(entry, f"{_ATOM}id"):
        return None
    title = _text(entry, f"{_ATOM}title")
    if not title:
        raise BadShape("The entry has no title.", provider=response.provider)
    names = (_text(one, f"{_ATOM}name") for one in entry.iterfind(f"{_ATOM}author"))
    terms = (clean(one.get("term")) for one in entry.iterfind(f"{_ATOM}category"))
    return _Paper(
        title=title,
        abstract=_text(entry, f"{_ATOM}summary"),
        authors=tuple(name for name in names if name),
        published=from_iso(_text(entry, f"{_ATOM}published")),
        updated=from_iso(_text(entry, f"{_ATOM}updated")),
        doi=_text(entry, f"{_ARXIV}doi"),
        journal=_text(entry, f"{_ARXIV}journal_ref"),
        comment=_text(entry, f"{_ARXIV}comment"),
        subjects=tuple(dict.fromkeys(term for term in terms if term)),
    )


def _feed(response: Response) -> Element:
    text = response.text()
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadShape("The feed declares a document type.", provider=response.provider)
    try:
        feed = fromstring(text)  # noqa: S314 - no document type, so no entity can grow
    except (ParseError, ValueError):
        raise BadShape("Expected an Atom feed.", provider=response.provider) from None
    if feed.tag != f"{_ATOM}feed":
        raise BadShape("Expected an Atom feed.", provider=response.provider)
    return feed


def _text(node: Element, name: str) -> str:
    return clean(node.findtext(name))


def _head(paper: _Paper, route: Route) -> str:
    revised = day(paper.updated) if day(paper.updated) != day(paper.published) else ""
    bare = re.sub(r"v\d+$", "", route.id)
    return prose.blocks(
        [
            prose.heading(paper.title),
            prose.inline(", ".join(paper.authors)),
            prose.facts(
                prose.link(f"arXiv:{route.id}", f"https://arxiv.org/abs/{route.id}"),
                day(paper.published),
                f"revised {revised}" if revised else "",
                prose.link("PDF", f"https://arxiv.org/pdf/{route.id}"),
                prose.link(f"doi:{paper.doi}", f"https://doi.org/{paper.doi}") if paper.doi else "",
                "" if paper.doi else f"doi:10.48550/arXiv.{bare}",
            ),
            f"Published in: {prose.inline(paper.journal)}" if paper.journal else "",
            f"Comments: {prose.inline(paper.comment)}" if paper.comment else "",
            f"Subjects: {prose.inline(', '.join(paper.subjects))}" if paper.subjects else "",
        ]
    )


async def _full_text(route: Route, kit: SiteKit) -> tuple[str, str]:
    """The text and where it came from; an empty text with the reason when there is none."""
    for endpoint in (HTML, AR5IV):
        if text := await _converted(route, kit, endpoint):
            return (
                f"## Full text\n\n{text}",
                f"Full text from {kit.base(endpoint)}/html/{route.id}.",
            )
    if kit.read_document is None:
        return "", "Only the abstract: no HTML copy was found, and no PDF reader is at hand."
    try:
        page = await kit.read_document(f"https://arxiv.org/pdf/{route.id}")
    except CitewellError as error:
        return "", f"Only the abstract: the PDF could not be read. {error.message}"
    return f"## Full text\n\n{page.content}", "Full text from the PDF."


async def _converted(route: Route, kit: SiteKit, endpoint: Endpoint) -> str:
    try:
        response = await kit.get_page(endpoint, f"/html/{route.id}")
    except (UpstreamError, NotFound, Refused):
        return ""
    text = await asyncio.to_thread(
        prose.from_html,
        response.text(),
        base=f"https://arxiv.org/html/{route.id}",
        without=_FURNITURE,
        within="article.ltx_document",
    )
    return text if len(text) >= _LEAST else ""
