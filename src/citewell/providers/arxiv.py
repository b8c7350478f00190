"""arXiv: preprints of physics, mathematics, computing and their neighbours; no key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar
from xml.etree.ElementTree import Element

from citewell.errors import BadShape, InvalidInput, RejectedRequest, Unavailable
from citewell.model.paper import (
    BibliographicQuery,
    Copy,
    Event,
    Notice,
    Paper,
    PaperId,
    PaperQuery,
    PapersFound,
    Person,
    Scheme,
)
from citewell.net import bundle
from citewell.net.message import Response
from citewell.net.tree import read_tree, said
from citewell.ports import Kit, Offer, Spec
from citewell.text import fields, stopwords
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="arxiv",
    title="arXiv",
    home="https://info.arxiv.org/help/api/index.html",
    base_url="https://export.arxiv.org/api",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH}),
    max_results=100,
    max_query=300,
    per_second=1 / 3,
    rank=45,
    terms="One request every three seconds. Thank arXiv for use of its open access interoperability.",
    evidence="recorded answers",
)

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_ERRORS = "api/errors"
_BAD_ID = b"api/errors#incorrect_id_format"
_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 12
_BUNDLE = 50  # numbers in one list
_REMARK = 300  # characters of the reason given for a withdrawal
_THIS = r"(?:(?:this|the|our) )?(?:paper|article|manuscript|submission|preprint|work|note|draft)s?"
_GONE = r"(?:has|have|had|is|was|were)(?: now| been| being| temporarily)* withdrawn\b"
# Of the paper itself: not of another one that it corrects, of an earlier version, or of a drug.
_COMMENT = re.compile(
    rf"(?:^|[.;,(])\s*(?:{_THIS} )?withdrawn\b|\b{_THIS} {_GONE}"
    r"|\b(?:authors?|we|i) (?:have |has )?(?:withdraw|withdrew|withdrawn) (?:this|the|our|my)\b",
    re.IGNORECASE,
)
_SUMMARY = re.compile(rf"^\W*(?:{_THIS} {_GONE}|(?:{_THIS} )?withdrawn\b)", re.IGNORECASE)


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset({Scheme.ARXIV})
    most: ClassVar[Mapping[Scheme, int]] = MappingProxyType({Scheme.ARXIV: _BUNDLE})

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream

    async def papers(self, query: PaperQuery) -> PapersFound:
        """Works with all the words; where there are none, works with some of them."""
        words = _words(query.text)
        if not words:
            return PapersFound(papers=(), applied=_applied(query))
        found = await self._search(_all(words, "all"), query)
        if not found.papers and len(words) > 2:
            found = await self._search(f"({_some(words, 'all')})", query)
        return found

    async def paper(self, paper_id: PaperId) -> Paper | None:
        if paper_id.scheme is not Scheme.ARXIV:
            raise InvalidInput("arXiv knows papers by its own numbers only.", provider=SPEC.name)
        params = {"id_list": paper_id.value, "max_results": "1"}
        response = await self._upstream.get("/query", params=params, accept=(400,))
        if _BAD_ID in response.body:  # nothing can have such a number
            return None
        if response.status == 400:
            raise RejectedRequest("The upstream refused this request.", provider=SPEC.name)
        papers, _total = _read(response)
        return next((one for one in papers if _is(one, paper_id)), None)

    async def papers_of(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """Without numbers of another form: one of them and the whole list is refused."""
        asked = [one for one in ids if fields.arxiv(one.value) == one.value]
        if not asked:
            return {}
        numbers = ",".join(one.value for one in asked)
        params = {"id_list": numbers, "max_results": str(len(asked))}
        papers, total = _read(await self._upstream.get("/query", params=params))
        return bundle.placed(asked, papers, whole=total == len(papers))

    async def match(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        """By all words of the title; then by the author and some of them."""
        words = _words(query.title or query.text)
        if not words:
            return ()
        asked = PaperQuery(text=query.title, count=query.count)
        found = await self._search(_all(words, "ti"), asked)
        family = " ".join(_WORD.findall(clean(query.author)))
        if not found.papers and family:
            loose = f'au:"{family}" AND ({_some(words, "ti")})'
            found = await self._search(loose, asked)
        return found.papers

    async def _search(self, expression: str, query: PaperQuery) -> PapersFound:
        response = await self._upstream.get("/query", params=_params(expression, query))
        papers, total = _read(response)
        return PapersFound(papers=papers[: query.count], total=total, applied=_applied(query))


def _params(expression: str, query: PaperQuery) -> dict[str, str]:
    if query.year_from or query.year_to:
        since, until = query.year_from or 1991, query.year_to or 2999
        expression += f" AND submittedDate:[{since}01010000 TO {until}12312359]"
    return {
        "search_query": expression,
        "start": "0",
        "max_results": str(min(query.count, SPEC.max_results)),
        "sortBy": "submittedDate" if query.sort == "date" else "relevance",
        "sortOrder": "descending",
    }


def _applied(query: PaperQuery) -> frozenset[str]:
    """Everything here is arXiv's and open."""
    chosen = {
        "year": query.year_from or query.year_to,
        "sort": True,
        "open_access": query.open_access,
        "source": query.source == "arxiv",
    }
    return frozenset(name for name, wanted in chosen.items() if wanted)


def _words(text: str) -> list[str]:
    found = _WORD.findall(clean(text)[: SPEC.max_query])
    telling = [
        word for word in found if len(word) > 1 and word.lower() not in stopwords.listed("en")
    ]
    return list(dict.fromkeys(telling or found))[:_MOST_WORDS]


def _all(words: list[str], field: str) -> str:
    return " AND ".join(f"{field}:{word}" for word in words)


def _some(words: list[str], field: str) -> str:
    return " OR ".join(f"{field}:{word}" for word in words)


def _is(paper: Paper, paper_id: PaperId) -> bool:
    """Whether it is the paper asked for; old numbers may be written with a subject class."""
    wanted = fields.arxiv(paper_id.value) or paper_id.value
    mine = paper.ids.get(Scheme.ARXIV, "")
    return mine.lower() == re.sub(r"\.[A-Za-z]{2}/", "/", wanted).lower()


def _read(response: Response) -> tuple[tuple[Paper, ...], int | None]:
    """The papers of a feed and how many there are in all; its errors are entries too."""
    feed = read_tree(response)
    if feed.tag != f"{_ATOM}feed":
        raise BadShape("Expected an Atom feed.", provider=response.provider)
    entries = feed.findall(f"{_ATOM}entry")
    if any(_ERRORS in said(entry, f"{_ATOM}id") for entry in entries):
        message = "The upstream answered with an error in place of results."
        raise Unavailable(message, provider=response.provider)
    papers = tuple(_papers(entries))
    if entries and not papers:
        raise BadShape("No entry has a number and a title.", provider=response.provider)
    total = said(feed, _TOTAL)
    return papers, int(total) if total.isascii() and total.isdigit() else None


def _papers(entries: list[Element]) -> Iterator[Paper]:
    for entry in entries:
        number = fields.arxiv(said(entry, f"{_ATOM}id"))
        dated = said(entry, f"{_ATOM}published")
        # The feed leaves out the title of papers that are called "0".
        title = said(entry, f"{_ATOM}title") or ("0" if dated else "")
        if number and title:
            yield _paper(entry, number, title)


def _paper(entry: Element, number: str, title: str) -> Paper:
    published = fields.issued(said(entry, f"{_ATOM}published"))
    pdf = _pdf(entry, number)
    return Paper(
        title=title,
        source=SPEC.name,
        url=f"https://arxiv.org/abs/{number}",
        ids={Scheme.ARXIV: number},
        authors=_authors(entry),
        kind="article",
        year=fields.year(published),
        published=published,
        venue=said(entry, f"{_ARXIV}journal_ref") or "arXiv",
        publisher="arXiv",
        abstract=said(entry, f"{_ATOM}summary") or None,
        open_access=True,
        pdf_url=pdf,
        copies=(
            Copy(url=pdf, pdf=True, version="submittedVersion", host="repository", source=SPEC.name),
        ),
        events=_events(entry),
        preprint_of=fields.doi(said(entry, f"{_ARXIV}doi")),
    )  # fmt: skip


def _pdf(entry: Element, number: str) -> str:
    """The file of the version that the entry is about."""
    links = (link for link in entry.findall(f"{_ATOM}link") if link.get("title") == "pdf")
    address = next((link.get("href", "") for link in links), "")
    return (
        address if address.startswith("https://arxiv.org/") else f"https://arxiv.org/pdf/{number}"
    )


def _authors(entry: Element) -> tuple[Person, ...]:
    names = (said(author, f"{_ATOM}name") for author in entry.findall(f"{_ATOM}author"))
    return tuple(Person(name=name) for name in names if name)


def _events(entry: Element) -> tuple[Event, ...]:
    """A withdrawal, which the archive records in the comment or in place of the abstract."""
    comment, summary = said(entry, f"{_ARXIV}comment"), said(entry, f"{_ATOM}summary")
    if _COMMENT.search(comment):
        remark = comment
    elif _SUMMARY.search(summary):
        remark = summary
    else:
        return ()
    return (
        Event(
            kind=Notice.RETRACTION,
            source=SPEC.name,
            label="withdrawal",
            date=fields.issued(said(entry, f"{_ATOM}updated")),
            reasons=(shorten(remark, _REMARK),),
        ),
    )
