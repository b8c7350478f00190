"""CORE: open copies out of thousands of repositories; a key only raises its limits."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from citewell.errors import InvalidInput
from citewell.model.paper import Copy, Paper, PaperId, PaperQuery, PapersFound, Person, Scheme
from citewell.net import csl
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import fields
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="core",
    title="CORE",
    home="https://core.ac.uk/services/api",
    base_url="https://api.core.ac.uk/v3",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.COPIES}),
    options=(
        Option(
            env="CORE_API_KEY",
            help="Key of CORE; without one few requests a day are answered.",
            secret=True,
        ),
    ),
    max_results=20,  # with a key each result carries its whole text
    max_query=500,
    per_second=1 / 6,  # ten a minute for those without a key
    burst=5,
    rank=60,
    terms="Free for personal and academic use; name CORE.",
)

_SYNTAX = re.compile(r"[:()\[\]{}^~*?\\/\"<>=!]")
_KINDS = {"thesis": "thesis", "presentation": "speech"}
_DOWNLOAD, _DISPLAY = "download", "display"

# Identifiers come as numbers in some records and as text in others.
_Text = Annotated[str, BeforeValidator(lambda said: str(said) if type(said) is int else said)]


class _Camel(Part):
    model_config = ConfigDict(alias_generator=to_camel)


class _Named(_Camel):
    name: Maybe[str] = None


class _Journal(_Camel):
    title: Maybe[str] = None


class _Language(_Camel):
    code: Maybe[str] = None


class _Address(_Camel):
    type: Maybe[str] = None
    url: Maybe[Link] = None


class _Work(_Camel):
    id: Maybe[_Text] = None
    title: str
    authors: Maybe[Items[_Named]] = None
    abstract: Maybe[str] = None
    doi: Maybe[str] = None
    arxiv_id: Maybe[_Text] = None
    pubmed_id: Maybe[_Text] = None
    year_published: Maybe[int] = None
    published_date: Maybe[str] = None
    publisher: Maybe[str] = None
    journals: Maybe[Items[_Journal]] = None
    document_type: Maybe[str] = None
    language: Maybe[_Language] = None
    citation_count: Maybe[int] = None
    download_url: Maybe[Link] = None  # "" where CORE holds no file
    source_fulltext_urls: Maybe[Items[Link]] = None
    links: Maybe[Items[_Address]] = None

    def linked(self, kind: str) -> str | None:
        return next((link.url for link in self.links or () if link.type == kind and link.url), None)


class _Found(Answer):
    model_config = ConfigDict(alias_generator=to_camel)

    total_hits: Maybe[int] = None
    results: Items[_Work]


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset({Scheme.DOI})

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream
        key = kit.option("CORE_API_KEY")
        self._key = {"Authorization": f"Bearer {key}"} if key else {}

    async def papers(self, query: PaperQuery) -> PapersFound:
        found = await self._search(_expression(query), query.count, newest=query.sort == "date")
        papers = tuple(_paper(work) for work in found.results)
        return PapersFound(
            papers=papers[: query.count], total=found.total_hits, applied=_applied(query)
        )

    async def paper(self, paper_id: PaperId) -> Paper | None:
        """The one that says itself that it has this DOI: a search may answer with others."""
        if paper_id.scheme is not Scheme.DOI:
            raise InvalidInput("CORE is asked for DOIs only.", provider=SPEC.name)
        wanted = fields.doi(paper_id.value)
        if wanted is None:
            return None
        found = await self._search(f'doi:"{wanted.replace(chr(34), "")}"', 5)
        papers = (_paper(work) for work in found.results)
        return next((paper for paper in papers if paper.doi == wanted), None)

    async def copies(self, doi: str) -> tuple[Copy, ...] | None:
        paper = await self.paper(PaperId(scheme=Scheme.DOI, value=doi))
        return None if paper is None else paper.copies

    async def _search(self, expression: str, count: int, *, newest: bool = False) -> _Found:
        params = {"q": expression, "limit": str(min(count, SPEC.max_results))}
        if newest:
            params["sort"] = "recency"
        response = await self._upstream.get(
            "/search/works", params=params, secret_headers=self._key
        )
        return read(_Found, response)


def _expression(query: PaperQuery) -> str:
    text = shorten(" ".join(_SYNTAX.sub(" ", clean(query.text)).split()), SPEC.max_query)
    bounds = ((">=", query.year_from), ("<=", query.year_to))
    parts = [f"yearPublished{sign}{year}" for sign, year in bounds if year]
    if query.full_text:
        parts.append("_exists_:fullText")
    return f"({text}) AND {' AND '.join(parts)}" if parts else text


def _applied(query: PaperQuery) -> frozenset[str]:
    chosen = {"year": query.year_from or query.year_to, "sort": True}
    return frozenset(name for name, wanted in chosen.items() if wanted)


def _paper(work: _Work) -> Paper:
    ids, copies = _ids(work), _copies(work)
    url = _landing(work, ids)
    year = fields.issued(str(work.year_published))
    exact = fields.issued(work.published_date)
    published = exact if exact and (year is None or exact.startswith(year)) else year
    venues = (clean(journal.title) for journal in work.journals or ())
    return Paper(
        title=fields.title(work.title) or url,
        source=SPEC.name,
        url=url,
        ids=ids,
        authors=tuple(
            _person(name) for author in work.authors or () if (name := clean(author.name))
        ),
        kind=_KINDS.get(clean(work.document_type).lower()),
        year=fields.year(published),
        published=published,
        venue=next((venue for venue in venues if venue), None),
        publisher=clean(work.publisher).strip("'") or None,  # quoted in many records
        abstract=clean(work.abstract) or None,
        language=clean(work.language.code) or None if work.language else None,
        citation_count=work.citation_count if (work.citation_count or 0) > 0 else None,
        open_access=True if copies else None,
        pdf_url=copies[0].url if copies and copies[0].pdf else None,
        copies=copies,
    )


def _ids(work: _Work) -> dict[Scheme, str]:
    found = {
        Scheme.DOI: fields.doi(work.doi),
        Scheme.ARXIV: fields.arxiv(work.arxiv_id),
        Scheme.PMID: fields.pmid(work.pubmed_id),
    }
    return {scheme: value for scheme, value in found.items() if value}


def _landing(work: _Work, ids: dict[Scheme, str]) -> str:
    if Scheme.DOI in ids:
        return csl.address(ids[Scheme.DOI])
    number = clean(work.id)
    own = f"https://core.ac.uk/works/{number}" if number.isalnum() else "https://core.ac.uk/"
    return work.linked(_DISPLAY) or own


def _person(name: str) -> Person:
    """Most repositories write the family name first, with a comma."""
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given and "," not in given:
        return Person(name=f"{given} {family}", family=family, given=given)
    return Person(name=name)


def _copies(work: _Work) -> tuple[Copy, ...]:
    """CORE's own file first: it stays when a repository moves."""
    own = (work.download_url, work.linked(_DOWNLOAD))
    files = {url: True for url in own if url}
    files |= {url: url.lower().endswith(".pdf") for url in work.source_fulltext_urls or ()} | files
    return tuple(
        Copy(url=url, pdf=pdf, host="repository", source=SPEC.name) for url, pdf in files.items()
    )
