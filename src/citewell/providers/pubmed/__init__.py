"""PubMed: the literature of medicine and its neighbours, with abstracts and retractions; no key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from pydantic import Field

from citewell.errors import BadShape, InvalidInput, RateLimited, RejectedRequest, Unavailable
from citewell.model.paper import (
    BibliographicQuery,
    Event,
    Paper,
    PaperId,
    PaperQuery,
    PapersFound,
    Scheme,
)
from citewell.net import bundle
from citewell.net.answer import Answer, Items, Maybe, Part, read
from citewell.net.message import Response
from citewell.ports import Kit, Offer, Option, Spec
from citewell.providers.pubmed.articles import read_articles
from citewell.text import fields, stopwords
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="pubmed",
    title="PubMed",
    home="https://www.ncbi.nlm.nih.gov/books/NBK25497/",
    base_url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.INTEGRITY}),
    options=(
        Option(
            env="PUBMED_API_KEY",
            help="Key of an NCBI account: ten requests a second in place of three.",
            secret=True,
            per_second=10.0,
        ),
        Option(env="PUBMED_EMAIL", help="Your e-mail address, so that NCBI can warn you."),
        Option(env="OPENALEX_EMAIL", help="Used for PubMed where PUBMED_EMAIL is not set."),
    ),
    max_results=50,
    max_query=1000,
    per_second=3.0,
    rank=30,
    terms="No more than three requests a second without a key; the abstracts' rights are their publishers'.",
    evidence="records: recorded answers; search: shape-tested only",
)

A = TypeVar("A", bound=Answer)

_READERS = {Scheme.PMID: fields.pmid, Scheme.DOI: fields.doi, Scheme.PMCID: fields.pmcid}
_BUNDLE = 50  # of 200 that an address may list: fifty abstracts are a megabyte
_TITLE_WORDS = 12  # enough to know a title by
_WORD = re.compile(r"[A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ'’-]*")
_LIMIT = re.compile(r"rate limit", re.IGNORECASE)
_NO_IDS = re.compile(rb"ID list is empty|no correct IDs|UID=[^<]*cannot be retrieved", re.IGNORECASE)  # fmt: skip


class _Result(Part):
    ERROR: Maybe[str] = None
    count: Maybe[int] = None
    idlist: Maybe[list[str]] = None  # empty, never absent, when nothing was found


class _Search(Answer):
    esearchresult: _Result


class _Id(Part):
    idtype: Maybe[str] = None
    value: Maybe[str] = None


class _Summary(Part):
    articleids: Items[_Id] = ()  # absent with an error, for a number that nothing has


class _Summaries(Answer):
    result: dict[str, Maybe[_Summary]] = Field(default_factory=dict)
    esummaryresult: Any = None  # in its place where the number itself is refused


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset(_READERS)
    most: ClassVar[Mapping[Scheme, int]] = MappingProxyType(
        {Scheme.PMID: _BUNDLE, Scheme.DOI: _BUNDLE}
    )

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream
        self._key = kit.option("PUBMED_API_KEY")
        email = kit.option("PUBMED_EMAIL") or kit.option("OPENALEX_EMAIL")
        self._about = {"tool": "citewell"} | ({"email": email} if email else {})

    async def papers(self, query: PaperQuery) -> PapersFound:
        numbers, total = await self._search(_params(query))
        papers = await self._fetch(numbers)
        return PapersFound(papers=papers[: query.count], total=total, applied=_applied(query))

    async def paper(self, paper_id: PaperId) -> Paper | None:
        """The one that says itself that it has this identifier: a search may answer with others."""
        wanted = _bare(paper_id)
        found = await self._fetch(await self._numbers(paper_id.scheme, wanted)) if wanted else ()
        return next((one for one in found if one.ids.get(paper_id.scheme) == wanted), None)

    async def papers_of(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """Records leave out what they do not have without a word, so only a search can deny."""
        asked = [one for one in ids if _bare(one) and '"' not in one.value]
        if not asked:
            return {}
        if asked[0].scheme is Scheme.PMID:
            return bundle.placed(
                asked, await self._fetch([one.value for one in asked]), whole=False
            )
        term = " OR ".join(f'"{one.value}"[aid]' for one in asked)
        numbers, total = await self._search({"term": term, "retmax": str(2 * _BUNDLE)})
        papers = await self._fetch(numbers)
        return bundle.placed(asked, papers, whole=total == len(papers))

    async def match(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        for term in _terms(query):
            asked = {"term": term, "retmax": str(query.count), "sort": "relevance"}
            numbers, _total = await self._search(asked)
            if numbers:
                return (await self._fetch(numbers))[: query.count]
        return ()

    async def events(self, paper_id: PaperId) -> tuple[Event, ...] | None:
        paper = await self.paper(paper_id)
        return None if paper is None else paper.events

    async def _numbers(self, scheme: Scheme, value: str) -> Sequence[str]:
        """The PubMed numbers that may be meant."""
        if scheme is Scheme.PMID:
            return (value,)
        if scheme is Scheme.PMCID:
            return await self._central(value)
        numbers, _total = await self._search({"term": f'"{value}"[aid]', "retmax": "5"})
        return numbers

    async def _central(self, pmcid: str) -> Sequence[str]:
        number = pmcid.removeprefix("PMC")
        response = await self._ask(
            "/esummary.fcgi", {"db": "pmc", "id": number, "retmode": "json"}, accept=(400,)
        )
        summaries = _sound(_Summaries, response)
        summary = summaries.result.get(number) or _Summary()
        given = (fields.pmid(one.value) for one in summary.articleids if one.idtype == "pmid")
        return [pmid for pmid in given if pmid]

    async def _search(self, params: dict[str, str]) -> tuple[Sequence[str], int | None]:
        """The numbers found, the best first, and how many there are in all."""
        asked = {"db": "pubmed", "retmode": "json"} | params
        result = _sound(_Search, await self._ask("/esearch.fcgi", asked)).esearchresult
        if result.ERROR:
            message = "The upstream answered with an error in place of results."
            raise Unavailable(message, provider=SPEC.name)
        if result.idlist is None:
            raise BadShape("The answer lists no numbers.", provider=SPEC.name)
        return result.idlist, result.count

    async def _fetch(self, numbers: Sequence[str]) -> tuple[Paper, ...]:
        """The records, in the order of their numbers."""
        wanted = [number for number in map(fields.pmid, numbers) if number]
        if not wanted:
            return ()
        params = {"db": "pubmed", "id": ",".join(wanted), "retmode": "xml"}
        response = await self._ask("/efetch.fcgi", params, accept=(400,))
        if response.status == 400:
            return _none_of(response)
        if response.body.lstrip().startswith(b"{"):
            _sound(_Search, response)  # an error that did not heed retmode
        found = {paper.ids[Scheme.PMID]: paper for paper in read_articles(response)}
        return tuple(found[number] for number in dict.fromkeys(wanted) if number in found)

    async def _ask(
        self, path: str, params: dict[str, str], *, accept: tuple[int, ...] = ()
    ) -> Response:
        """By POST with a key, so that it stands in no address."""
        asked = params | self._about
        if self._key is None:
            return await self._upstream.get(path, params=asked, accept=accept)
        form = asked | {"api_key": self._key}
        return await self._upstream.post(path, form=form, accept=accept)


def _sound(model: type[A], response: Response) -> A:
    """The answer; the complaint of too many requests may come with any status."""
    answer = response.parsed()
    said = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(said, str) and _LIMIT.search(said):
        raise RateLimited("The upstream asks us to slow down.", provider=response.provider)
    return read(model, response)


def _none_of(response: Response) -> tuple[Paper, ...]:
    """What a 400 means here: no record has these numbers, or the request is wrong."""
    if _NO_IDS.search(response.body):
        return ()
    raise RejectedRequest("The upstream refused this request.", provider=response.provider)


def _bare(paper_id: PaperId) -> str | None:
    if paper_id.scheme not in _READERS:
        raise InvalidInput(f"PubMed knows no {paper_id.scheme}.", provider=SPEC.name)
    return _READERS[paper_id.scheme](paper_id.value)


def _params(query: PaperQuery) -> dict[str, str]:
    term = shorten(clean(query.text), SPEC.max_query)
    if query.open_access:
        term = f'({term}) AND "loattrfree full text"[sb]'
    if query.full_text:
        term = f'({term}) AND "pubmed pmc"[sb]'
    params = {
        "term": term,
        "retmax": str(min(query.count, SPEC.max_results)),
        "sort": "pub_date" if query.sort == "date" else "relevance",
    }
    if query.year_from or query.year_to:  # one bound without the other is ignored
        bounds = {"mindate": str(query.year_from or 1500), "maxdate": str(query.year_to or 3000)}
        params |= {"datetype": "pdat"} | bounds
    return params


def _applied(query: PaperQuery) -> frozenset[str]:
    chosen = {
        "year": query.year_from or query.year_to,
        "sort": True,
        "open_access": query.open_access,
        "source": query.source == "pubmed",
    }
    return frozenset(name for name, wanted in chosen.items() if wanted)


def _terms(query: BibliographicQuery) -> tuple[str, ...]:
    """All words of the title; then the author's works of those years with some of them."""
    words = _words(query.title)
    if not words:
        text = shorten(clean(query.text), 300)
        return (text,) if text else ()
    exact = " AND ".join(f"{word}[ti]" for word in words)
    author = " ".join(_WORD.findall(clean(query.author)))
    if not author:
        return (exact,)
    some = " OR ".join(f"{word}[ti]" for word in words)
    loose = f"{author}[au] AND ({some})"
    years = f" AND {query.year - 1}:{query.year + 1}[dp]" if query.year else ""
    return exact, loose + years


def _words(title: str) -> list[str]:
    found = _WORD.findall(clean(title))
    telling = [
        word for word in found if word.lower() not in stopwords.listed("en") and len(word) > 1
    ]
    return list(dict.fromkeys(telling or found))[:_TITLE_WORDS]
