"""DataCite: the registry of arXiv's, Zenodo's and most data archives' DOIs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field

from citewell.errors import InvalidInput, NotFound
from citewell.model.paper import (
    BibliographicQuery,
    Copy,
    Paper,
    PaperId,
    PaperQuery,
    PapersFound,
    Person,
    Scheme,
)
from citewell.net import bundle, csl
from citewell.net.answer import Answer, Items, Maybe, Part, read
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import fields, jats
from citewell.text.markup import clean
from citewell.text.operators import shorten

SPEC = Spec(
    name="datacite",
    title="DataCite",
    home="https://support.datacite.org/docs/api",
    base_url="https://api.datacite.org",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH}),
    options=(
        Option(env="DATACITE_EMAIL", help="Your address; DataCite then answers twice as often."),
    ),
    max_results=100,
    per_second=1.5,
    burst=50,
    rank=70,
    terms="500 requests in five minutes, 1,000 with an address.",
)

_ARXIV = "10.48550/arxiv."
_BUNDLE = 50  # DOIs of one list
_KINDS = {
    "audiovisual": "motion_picture",
    "book": "book",
    "bookchapter": "chapter",
    "collection": "dataset",
    "computationalnotebook": "software",
    "conferencepaper": "paper-conference",
    "conferenceproceeding": "book",
    "datapaper": "article-journal",
    "dataset": "dataset",
    "dissertation": "thesis",
    "journal": "periodical",
    "journalarticle": "article-journal",
    "peerreview": "review",
    "preprint": "article",
    "report": "report",
    "software": "software",
    "standard": "standard",
}
_DATES = ("Issued", "Available", "Submitted", "Created")
_OPERATORS = re.compile(r"[+\-=&|><!(){}\[\]^\"“”~*?:\\/]+|\b(?:AND|OR|NOT|TO)\b")


def _named(value: Any) -> Any:
    """A publisher is a text, or in newer answers an object with a name."""
    return value.get("name") if isinstance(value, dict) else value


def _whole(value: str) -> str:
    doi = fields.doi(value)
    if doi is None:
        raise ValueError("not a DOI")
    return doi


class _Title(Part):
    title: Maybe[str] = None
    kind: Maybe[str] = Field(default=None, alias="titleType")


class _Creator(Part):
    name: Maybe[str] = None
    kind: Maybe[str] = Field(default=None, alias="nameType")
    given: Maybe[str] = Field(default=None, alias="givenName")
    family: Maybe[str] = Field(default=None, alias="familyName")


class _Date(Part):
    date: Maybe[csl.Text] = None
    kind: Maybe[str] = Field(default=None, alias="dateType")


class _Description(Part):
    text: Maybe[str] = Field(default=None, alias="description")
    kind: Maybe[str] = Field(default=None, alias="descriptionType")


class _Types(Part):
    general: Maybe[str] = Field(default=None, alias="resourceTypeGeneral")
    citeproc: Maybe[str] = None


class _Container(Part):
    title: Maybe[str] = None
    volume: Maybe[csl.Text] = None
    issue: Maybe[csl.Text] = None
    first: Maybe[csl.Text] = Field(default=None, alias="firstPage")
    last: Maybe[csl.Text] = Field(default=None, alias="lastPage")


class _Related(Part):
    value: Maybe[str] = Field(default=None, alias="relatedIdentifier")
    kind: Maybe[str] = Field(default=None, alias="relatedIdentifierType")
    relation: Maybe[str] = Field(default=None, alias="relationType")


class _Rights(Part):
    uri: Maybe[str] = Field(default=None, alias="rightsUri")


class _Attributes(Part):
    doi: Annotated[str, AfterValidator(_whole)]
    titles: Items[_Title] = ()
    creators: Items[_Creator] = ()
    publisher: Maybe[Annotated[str, BeforeValidator(_named)]] = None
    year: Maybe[csl.Number] = Field(default=None, alias="publicationYear")
    dates: Maybe[Items[_Date]] = None
    descriptions: Maybe[Items[_Description]] = None
    types: Maybe[_Types] = None
    container: Maybe[_Container] = None
    language: Maybe[str] = None
    related: Maybe[Items[_Related]] = Field(default=None, alias="relatedIdentifiers")
    rights: Maybe[Items[_Rights]] = Field(default=None, alias="rightsList")
    cited: Maybe[Annotated[int, Field(ge=0)]] = Field(default=None, alias="citationCount")
    references: Maybe[Annotated[int, Field(ge=0)]] = Field(default=None, alias="referenceCount")


class _Record(Part):
    attributes: _Attributes


class _One(Answer):
    data: _Record


class _Meta(Part):
    total: Maybe[Annotated[int, Field(ge=0)]] = None


class _Many(Answer):
    data: Items[_Record]
    meta: Maybe[_Meta] = None


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset({Scheme.DOI, Scheme.ARXIV})
    most: ClassVar[Mapping[Scheme, int]] = MappingProxyType({Scheme.DOI: _BUNDLE})

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream
        email = kit.option("DATACITE_EMAIL")
        self._contact = {"mailto": email} if email else {}

    async def papers(self, query: PaperQuery) -> PapersFound:
        years = query.year_from is not None or query.year_to is not None
        terms = _words(query.text)
        if years:
            terms += f" AND publicationYear:[{query.year_from or '*'} TO {query.year_to or '*'}]"
        params = {"query": terms, "sort": "-published" if query.sort == "date" else "relevance"}
        if query.source == "arxiv":
            params["client-id"] = "arxiv.content"
        answer = await self._list(params, count=query.count)
        said = {"year": years, "source": query.source == "arxiv", "sort": query.sort == "date"}
        return PapersFound(
            papers=_papers(answer)[: query.count],
            total=answer.meta.total if answer.meta else None,
            applied=frozenset(name for name, done in said.items() if done),
        )

    async def paper(self, paper_id: PaperId) -> Paper | None:
        path = f"/dois/{csl.segment(_doi(paper_id))}"
        try:
            response = await self._upstream.get(path, params=self._contact)
        except NotFound:
            return None
        return _paper(read(_One, response).data.attributes)

    async def papers_of(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        asked = bundle.plain(ids)
        if not asked:
            return {}
        listed = {"ids": ",".join(one.value for one in asked)}
        answer = await self._list(listed, count=SPEC.max_results)
        papers = [_paper(record.attributes) for record in answer.data]
        whole = answer.meta is not None and answer.meta.total == len(papers)
        return bundle.placed(asked, papers, whole=whole)

    async def match(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        words = _words(query.title or query.text)
        terms = f"titles.title:({words})" if query.title else words
        answer = await self._list({"query": terms, "sort": "relevance"}, count=query.count)
        return _papers(answer)[: query.count]

    async def _list(self, params: dict[str, str], *, count: int) -> _Many:
        paging = {
            "page[size]": str(min(count, SPEC.max_results)),
            "page[number]": "1",  # a cursor would bring them by age whatever the sort
            "disable-facets": "true",
        }
        response = await self._upstream.get("/dois", params=params | paging | self._contact)
        return read(_Many, response)


def _doi(paper_id: PaperId) -> str:
    if paper_id.scheme is Scheme.DOI:
        return paper_id.value
    if paper_id.scheme is Scheme.ARXIV:
        return f"{_ARXIV}{paper_id.value.lower()}"
    raise InvalidInput("DataCite knows DOIs and arXiv numbers only.", provider=SPEC.name)


def _words(text: str) -> str:
    """Words alone: its query language has operators of many characters."""
    words = " ".join(_OPERATORS.sub(" ", clean(text)).split())
    return shorten(words, SPEC.max_query) or "*"


def _papers(answer: _Many) -> tuple[Paper, ...]:
    papers = (_paper(record.attributes) for record in answer.data)
    return tuple(paper for paper in papers if paper.title)


def _paper(work: _Attributes) -> Paper:
    doi = work.doi
    arxiv = fields.arxiv(f"/{doi.removeprefix(_ARXIV)}") if doi.startswith(_ARXIV) else None
    inside, copy = work.container or _Container(), _copy(arxiv)
    published = _published(work)
    publisher = jats.line(work.publisher) or None
    return Paper(
        title=_title(work),
        source=SPEC.name,
        url=csl.address(doi),
        ids={Scheme.DOI: doi} | ({Scheme.ARXIV: arxiv} if arxiv else {}),
        authors=tuple(filter(None, map(_person, work.creators))),
        kind=_kind(work),
        year=fields.year(published),
        published=published,
        venue=jats.line(inside.title) or publisher,
        volume=clean(inside.volume) or None,
        issue=clean(inside.issue) or None,
        pages=_pages(inside),
        publisher=publisher,
        abstract=_abstract(work),
        language=clean(work.language) or None,
        citation_count=work.cited,
        reference_count=work.references,
        open_access=_open(work, arxiv),
        pdf_url=copy.url if copy else None,
        copies=(copy,) if copy else (),
        preprint_of=_preprint_of(work, doi),
    )


def _title(work: _Attributes) -> str:
    """The main one, which has no type; its subtitle follows it."""
    main = next((jats.line(one.title) for one in work.titles if not one.kind), "")
    main = main or next(filter(None, (jats.line(one.title) for one in work.titles)), "")
    under = next((jats.line(one.title) for one in work.titles if one.kind == "Subtitle"), "")
    if not under or under.casefold() in main.casefold():
        return fields.title(main)
    return fields.title(f"{main}: {under}")


def _person(creator: _Creator) -> Person | None:
    name, family, given = map(jats.line, (creator.name, creator.family, creator.given))
    if creator.kind == "Organizational":
        return Person(name=name, organisation=True) if name else None
    if not family and name.count(", ") == 1:  # Family, Given: the registry's own order
        family, given = name.split(", ")
    spoken = f"{given} {family}".strip() or name
    return Person(name=spoken, family=family, given=given) if spoken else None


def _published(work: _Attributes) -> str | None:
    """The exact date of the year of publication, where one is given."""
    stated = fields.issued(str(work.year))
    for kind in _DATES:
        for one in work.dates or ():
            found = fields.issued(one.date) if one.kind == kind else None
            if found and (stated is None or found.startswith(stated)):
                return found
    return stated


def _kind(work: _Attributes) -> str | None:
    if work.types is None:
        return None
    return _KINDS.get(clean(work.types.general).lower()) or csl.kind(work.types.citeproc)


def _pages(inside: _Container) -> str | None:
    first, last = clean(inside.first), clean(inside.last)
    return fields.pages(f"{first}-{last}" if first and last and first != last else first)


def _abstract(work: _Attributes) -> str | None:
    texts = (jats.abstract(one.text) for one in work.descriptions or () if one.kind == "Abstract")
    return next(filter(None, texts), None)


def _copy(arxiv: str | None) -> Copy | None:
    if arxiv is None:
        return None
    url = f"https://arxiv.org/pdf/{arxiv}"
    return Copy(url=url, pdf=True, version="submittedVersion", host="repository", source=SPEC.name)


def _open(work: _Attributes, arxiv: str | None) -> bool | None:
    uris = (clean(one.uri).lower() for one in work.rights or ())
    return True if arxiv or any("creativecommons.org/" in uri for uri in uris) else None


def _preprint_of(work: _Attributes, doi: str) -> str | None:
    """The published version; versions of data sets are related by the same word."""
    if _kind(work) != "article":
        return None
    related = (
        fields.doi(one.value)
        for one in work.related or ()
        if one.kind == "DOI" and one.relation in {"IsVersionOf", "IsPreviousVersionOf"}
    )
    return next((found for found in related if found and found != doi), None)
