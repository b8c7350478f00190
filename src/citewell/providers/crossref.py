"""Crossref: the registry of most journal articles, books and conference papers, and of their notices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from pydantic import Field

from citewell.errors import BadShape, InvalidInput, NotFound
from citewell.model.paper import (
    BibliographicQuery,
    Event,
    Notice,
    Paper,
    PaperId,
    PaperQuery,
    PapersFound,
    Scheme,
)
from citewell.net import bundle, csl
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.net.message import Response
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import fields
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="crossref",
    title="Crossref",
    home="https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
    base_url="https://api.crossref.org",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.INTEGRITY}),
    options=(
        Option(
            env="CROSSREF_EMAIL",
            help="Your address, for Crossref's polite pool; without it the limits are lower.",
        ),
    ),
    max_results=100,
    per_second=5.0,
    burst=5,
    rank=20,
    terms="Send a contact address; obey the rate limits in the answers' headers.",
    evidence="recorded answers",
)

_TEST_PREFIX = "10.5555/"  # Crossref's own trial records
_POLITE = 3  # requests at the same time, of whoever gives an address
_BUNDLE = 50  # DOIs of one list: more would be a long address
# A list may name the fields it wants; whole records carry hundreds of references each.
_FIELDS = (
    "DOI,URL,type,title,subtitle,author,editor,container-title,group-title,volume,issue,page,"
    "article-number,publisher,abstract,ISBN,published,issued,published-print,published-online,"
    "posted,is-referenced-by-count,references-count,link,license,relation,updated-by"
)
_PUBLISHERS = {"ieee": "member:263", "nature": "prefix:10.1038", "springer": "member:297"}
_SEVERITIES = (
    (Notice.REINSTATEMENT, ("reinstate",)),
    (Notice.RETRACTION, ("retract", "withdraw", "remov")),
    (Notice.CONCERN, ("concern",)),
    (Notice.CORRECTION, ("correct", "corrig", "errat", "addend", "clarif")),
)


class _Update(Part):
    DOI: Maybe[str] = None
    type: Maybe[str] = None
    label: Maybe[str] = None
    source: Maybe[str] = None
    updated: Maybe[csl.When] = None


class _Related(Part):
    id: Maybe[str] = None


class _Relations(Part):
    preprint_of: Maybe[Items[_Related]] = Field(default=None, alias="is-preprint-of")


class _Link(Part):
    URL: Link
    kind: Maybe[str] = Field(default=None, alias="content-type")


class _License(Part):
    URL: Maybe[str] = None


class _Work(csl.Work):
    cited: Maybe[int] = Field(default=None, alias="is-referenced-by-count")
    references: Maybe[int] = Field(default=None, alias="references-count")
    link: Maybe[Items[_Link]] = None
    license: Maybe[Items[_License]] = None
    relation: Maybe[_Relations] = None
    updated_by: Items[_Update] = Field(default=(), alias="updated-by")


class _One(Answer):
    kind: str = Field(alias="message-type")
    message: _Work


class _Works(Part):
    items: Items[_Work]
    total: Maybe[int] = Field(default=None, alias="total-results")


class _Many(Answer):
    kind: str = Field(alias="message-type")
    message: _Works


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset({Scheme.DOI})
    most: ClassVar[Mapping[Scheme, int]] = MappingProxyType({Scheme.DOI: _BUNDLE})

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream
        email = kit.option("CROSSREF_EMAIL")
        self._contact = {"mailto": email} if email else {}
        kit.upstream.at_once(_POLITE if email else 1)  # its own limits; answers state them, too

    async def papers(self, query: PaperQuery) -> PapersFound:
        answer = await self._list(_params(query), count=query.count)
        years = query.year_from is not None or query.year_to is not None
        said = {"year": years, "source": query.source in _PUBLISHERS}
        return PapersFound(
            papers=_papers(answer.items)[: query.count],
            total=_count(answer.total),
            applied=frozenset(name for name, done in said.items() if done),
        )

    async def paper(self, paper_id: PaperId) -> Paper | None:
        work = await self._work(paper_id)
        return None if work is None else _paper(work, doi=paper_id.value.lower())

    async def papers_of(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """By filters of one name, which mean any of them; a comma in a value cannot be escaped."""
        asked = bundle.plain(ids)
        if not asked:
            return {}
        params = {"filter": ",".join(f"doi:{one.value}" for one in asked), "select": _FIELDS}
        answer = await self._list(params, count=len(asked))
        whole = answer.total == len(answer.items)
        return bundle.placed(asked, map(_paper, answer.items), whole=whole)

    async def match(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        answer = await self._list(_reference(query), count=query.count)
        return _papers(answer.items)[: query.count]

    async def events(self, paper_id: PaperId) -> tuple[Event, ...] | None:
        work = await self._work(paper_id)
        return None if work is None else _events(work)

    async def _work(self, paper_id: PaperId) -> _Work | None:
        if paper_id.scheme is not Scheme.DOI:
            raise InvalidInput("Crossref knows works by their DOI only.", provider=SPEC.name)
        path = f"/works/{csl.segment(paper_id.value)}"
        try:
            response = await self._upstream.get(path, params=self._contact)
        except NotFound:  # "Resource not found." as bare text, under application/json
            return None
        answer = read(_One, response)
        _expect(answer.kind, "work", response)
        return answer.message

    async def _list(self, params: dict[str, str], *, count: int) -> _Works:
        rows = {"rows": str(min(count, SPEC.max_results))}
        response = await self._upstream.get("/works", params=params | rows | self._contact)
        answer = read(_Many, response)
        _expect(answer.kind, "work-list", response)
        return answer.message


def _expect(kind: str, wanted: str, response: Response) -> None:
    if kind != wanted:
        raise BadShape("The answer is about something else.", provider=response.provider)


def _params(query: PaperQuery) -> dict[str, str]:
    chosen = (
        f"from-pub-date:{query.year_from}" if query.year_from is not None else "",
        f"until-pub-date:{query.year_to}" if query.year_to is not None else "",
        _PUBLISHERS.get(query.source, ""),
    )
    filters = ",".join(filter(None, chosen))
    # Any one word is enough for Crossref, so that newest first would bring up strangers.
    params = {"query": shorten(clean(query.text), SPEC.max_query)}
    return params | ({"filter": filters} if filters else {})


def _reference(query: BibliographicQuery) -> dict[str, str]:
    if not query.title:
        return {"query.bibliographic": shorten(clean(query.text), SPEC.max_query)}
    params = {"query.title": shorten(clean(query.title), SPEC.max_query)}
    return params | ({"query.author": clean(query.author)} if clean(query.author) else {})


def _papers(works: tuple[_Work, ...]) -> tuple[Paper, ...]:
    papers = (_paper(work) for work in works)
    return tuple(
        paper for paper in papers if paper.title and not (paper.doi or "").startswith(_TEST_PREFIX)
    )


def _paper(work: _Work, *, doi: str | None = None) -> Paper:
    return csl.paper(work, source=SPEC.name, doi=doi).with_(
        citation_count=_count(work.cited),
        reference_count=_count(work.references),
        open_access=_open(work),
        pdf_url=next((link.URL for link in work.link or () if _is_pdf(link)), None),
        events=_events(work),
        preprint_of=_preprint_of(work),
    )


def _events(work: _Work) -> tuple[Event, ...]:
    found = (_event(update) for update in work.updated_by)
    return tuple(event for event in found if event is not None)


def _event(update: _Update) -> Event | None:
    """None for a new edition or version, which says nothing against the old one."""
    word = re.sub(r"[\s-]+", "_", clean(update.type or update.label).lower())
    kind = next((kind for kind, marks in _SEVERITIES if any(m in word for m in marks)), None)
    if kind is None:
        return None
    return Event(
        kind=kind,
        source=clean(update.source) or "publisher",
        label=word,
        date=csl.iso(update.updated),
        notice_doi=fields.doi(update.DOI),
    )


def _preprint_of(work: _Work) -> str | None:
    related = (work.relation.preprint_of or ()) if work.relation else ()
    return next(filter(None, (fields.doi(one.id) for one in related)), None)


def _open(work: _Work) -> bool | None:
    """True under a Creative Commons licence; no other licence settles it."""
    licences = (clean(one.URL).lower() for one in work.license or ())
    return True if any("creativecommons.org/" in url for url in licences) else None


def _is_pdf(link: _Link) -> bool:
    return clean(link.kind).lower() == "application/pdf"


def _count(number: int | None) -> int | None:
    return number if number is not None and number >= 0 else None
