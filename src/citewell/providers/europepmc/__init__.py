"""Europe PMC: the life sciences with preprints and books, open copies and retractions; no key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from citewell.errors import BadShape, InvalidInput, Unavailable
from citewell.model.paper import (
    BibliographicQuery,
    Copy,
    Event,
    Paper,
    PaperId,
    PaperQuery,
    PapersFound,
    Scheme,
)
from citewell.net import bundle
from citewell.net.answer import read
from citewell.ports import Kit, Offer, Spec
from citewell.providers.europepmc.records import Found, read_work
from citewell.text import fields, stopwords
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="europepmc",
    title="Europe PMC",
    home="https://europepmc.org/RestfulWebService",
    base_url="https://www.ebi.ac.uk/europepmc/webservices/rest",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.COPIES, Offer.INTEGRITY}),
    max_results=100,
    max_query=1000,
    per_second=5.0,
    burst=5,
    rank=35,
    terms="Abstracts and full texts stay under their publishers' rights.",
    evidence="one recorded answer; the rest shape-tested only",
)

_READERS = {Scheme.DOI: fields.doi, Scheme.PMID: fields.pmid, Scheme.PMCID: fields.pmcid}
_QUERIES = {Scheme.DOI: 'DOI:"{}"', Scheme.PMID: "EXT_ID:{} AND SRC:MED", Scheme.PMCID: "PMCID:{}"}
_BUNDLE = 40  # identifiers of one query: a work may have a record as preprint, too
_SYNTAX = re.compile(r"[:()\[\]{}^~*?\\/\"]")  # a colon in a title would name a field
_WORD = re.compile(r"[^\W_]+")
_TITLE_WORDS = 15


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset(_READERS)
    most: ClassVar[Mapping[Scheme, int]] = MappingProxyType(dict.fromkeys(_READERS, _BUNDLE))

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream

    async def papers(self, query: PaperQuery) -> PapersFound:
        papers, total = await self._search(
            _expression(query), count=query.count, newest=query.sort == "date"
        )
        return PapersFound(papers=papers, total=total, applied=_applied(query))

    async def paper(self, paper_id: PaperId) -> Paper | None:
        """The one that says itself that it has this identifier: a search may answer with others."""
        wanted = _bare(paper_id)
        if wanted is None:
            return None
        asked = _QUERIES[paper_id.scheme].format(wanted.replace('"', ""))
        papers, _total = await self._search(asked, count=5)
        return next((one for one in papers if one.ids.get(paper_id.scheme) == wanted), None)

    async def papers_of(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        asked = {one: _bare(one) for one in ids}
        sound = {one: value for one, value in asked.items() if value and '"' not in value}
        if not sound:
            return {}
        each = (f"({_QUERIES[one.scheme].format(value)})" for one, value in sound.items())
        papers, total = await self._search(" OR ".join(each), count=SPEC.max_results)
        return bundle.placed(list(sound), papers, whole=total == len(papers))

    async def match(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        for expression in _references(query):
            papers, _total = await self._search(expression, count=query.count)
            if papers:
                return papers
        return ()

    async def copies(self, doi: str) -> tuple[Copy, ...] | None:
        paper = await self.paper(PaperId(scheme=Scheme.DOI, value=doi))
        return None if paper is None else paper.copies

    async def events(self, paper_id: PaperId) -> tuple[Event, ...] | None:
        paper = await self.paper(paper_id)
        return None if paper is None else paper.events

    async def _search(
        self, expression: str, *, count: int, newest: bool = False
    ) -> tuple[tuple[Paper, ...], int | None]:
        params = {
            "query": expression,
            "format": "json",
            "resultType": "core",
            "pageSize": str(min(count, SPEC.max_results)),
        }
        if newest:
            params["sort"] = "P_PDATE_D desc"
        answer = read(Found, await self._upstream.get("/search", params=params))
        if answer.err_msg:
            message = "The upstream answered with an error in place of results."
            raise Unavailable(message, provider=SPEC.name)
        if answer.result_list is None:
            raise BadShape("The answer lists no results.", provider=SPEC.name)
        papers = tuple(read_work(work, source=SPEC.name) for work in answer.result_list.result)
        return papers[:count], answer.hit_count


def _bare(paper_id: PaperId) -> str | None:
    if paper_id.scheme not in _READERS:
        raise InvalidInput(f"Europe PMC knows no {paper_id.scheme}.", provider=SPEC.name)
    return _READERS[paper_id.scheme](paper_id.value)


def _expression(query: PaperQuery) -> str:
    parts = [_plain(query.text)]
    if query.year_from or query.year_to:
        parts.append(f"PUB_YEAR:[{query.year_from or 1500} TO {query.year_to or 3000}]")
    if query.open_access:
        parts.append("OPEN_ACCESS:Y")
    if query.full_text:
        parts.append("IN_EPMC:Y")
    if query.source == "pubmed":
        parts.append("SRC:MED")
    return f"({parts[0]}) AND {' AND '.join(parts[1:])}" if len(parts) > 1 else parts[0]


def _applied(query: PaperQuery) -> frozenset[str]:
    chosen = {
        "year": query.year_from or query.year_to,
        "sort": True,
        "open_access": query.open_access,
        "source": query.source == "pubmed",
    }
    return frozenset(name for name, wanted in chosen.items() if wanted)


def _references(query: BibliographicQuery) -> tuple[str, ...]:
    """All words of the title; then the author's works of those years with some of them."""
    found = _WORD.findall(clean(query.title))
    telling = [word for word in found if word.lower() not in stopwords.listed("en")]
    words = list(dict.fromkeys(telling or found))[:_TITLE_WORDS]
    if not words:
        text = shorten(_plain(query.text), 300)
        return (text,) if text else ()
    exact = f"TITLE:({' AND '.join(words)})"
    author = " ".join(_WORD.findall(clean(query.author)))
    if not author:
        return (exact,)
    years = f" AND PUB_YEAR:[{query.year - 1} TO {query.year + 1}]" if query.year else ""
    return exact, f'AUTH:"{author}" AND TITLE:({" OR ".join(words)}){years}'


def _plain(text: str) -> str:
    return shorten(" ".join(_SYNTAX.sub(" ", clean(text)).split()), SPEC.max_query)
