"""Unpaywall: where a work can be read freely and legally; asks for an e-mail address."""

from __future__ import annotations

from typing import ClassVar

from citewell.errors import InvalidInput, Misconfigured, NotFound, RejectedRequest
from citewell.model.paper import Copy, Paper, PaperId, Person, Scheme
from citewell.net import csl
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.net.message import Response
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import fields, jats
from citewell.text.markup import clean

SPEC = Spec(
    name="unpaywall",
    title="Unpaywall",
    home="https://unpaywall.org/products/api",
    base_url="https://api.unpaywall.org/v2",
    offers=frozenset({Offer.COPIES, Offer.LOOKUP}),
    options=(
        Option(
            env="UNPAYWALL_EMAIL",
            help="Your address, which Unpaywall asks for; OPENALEX_EMAIL serves when it is unset.",
        ),
        Option(env="OPENALEX_EMAIL", help="Your address, so that OpenAlex can reach you."),
    ),
    requires_any=("UNPAYWALL_EMAIL", "OPENALEX_EMAIL"),
    per_second=10.0,
    burst=10,
    rank=90,
    terms="A true address; at most 100,000 calls a day.",
    evidence="recorded answers",
)


class _Location(Part):
    url: Maybe[Link] = None
    url_for_pdf: Maybe[Link] = None
    url_for_landing_page: Maybe[Link] = None
    license: Maybe[str] = None
    version: Maybe[str] = None
    host_type: Maybe[str] = None


class _Author(csl.Name):
    raw_author_name: Maybe[str] = None


class _Record(Answer):
    doi: str
    title: Maybe[str] = None
    genre: Maybe[str] = None
    year: Maybe[int] = None
    published_date: Maybe[str] = None
    journal_name: Maybe[str] = None
    journal_is_in_doaj: Maybe[bool] = None
    publisher: Maybe[str] = None
    is_oa: Maybe[bool] = None
    best_oa_location: Maybe[_Location] = None
    oa_locations: Items[_Location] = ()
    z_authors: Maybe[Items[_Author]] = None


class Provider:
    schemes: ClassVar[frozenset[Scheme]] = frozenset({Scheme.DOI})

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream
        self._email = kit.option("UNPAYWALL_EMAIL") or kit.option("OPENALEX_EMAIL") or ""

    async def copies(self, doi: str) -> tuple[Copy, ...] | None:
        record = await self._record(doi)
        return None if record is None else _copies(record)

    async def paper(self, paper_id: PaperId) -> Paper | None:
        if paper_id.scheme is not Scheme.DOI:
            raise InvalidInput("Unpaywall knows works by their DOI only.", provider=SPEC.name)
        record = await self._record(paper_id.value)
        return None if record is None else _paper(record, paper_id.value.lower())

    async def _record(self, doi: str) -> _Record | None:
        params = {"email": self._email}
        try:
            response = await self._upstream.get(csl.segment(doi), params=params, accept=(422,))
        except NotFound:
            return None
        if response.status == 422:
            raise _refused(response)
        return read(_Record, response)


def _refused(response: Response) -> Misconfigured | RejectedRequest:
    """It says 422 of an address it does not believe, and of nothing else that it documents."""
    if "email" in response.text().lower():
        message = "Unpaywall does not accept the address in UNPAYWALL_EMAIL or OPENALEX_EMAIL."
        return Misconfigured(message, provider=SPEC.name)
    message = "The upstream refused this request."
    return RejectedRequest(message, provider=SPEC.name, detail="HTTP 422")


def _copies(record: _Record) -> tuple[Copy, ...]:
    places = (record.best_oa_location, *record.oa_locations)
    copies = (_copy(place) for place in places if place is not None)
    return tuple({copy.url: copy for copy in copies if copy.url}.values())


def _copy(place: _Location) -> Copy:
    return Copy(
        url=place.url_for_pdf or place.url or place.url_for_landing_page or "",
        pdf=place.url_for_pdf is not None,
        version=clean(place.version) or None,
        license=clean(place.license) or None,
        host=clean(place.host_type) or None,
        source=SPEC.name,
    )


def _paper(record: _Record, asked: str) -> Paper:
    copies = _copies(record)
    doi = fields.doi(record.doi) or asked
    published = fields.issued(record.published_date) or fields.issued(str(record.year))
    return Paper(
        title=fields.title(jats.line(record.title)),
        source=SPEC.name,
        url=csl.address(doi),
        ids={Scheme.DOI: doi},
        authors=_authors(record),
        kind=csl.kind(record.genre),
        year=fields.year(fields.issued(str(record.year)) or published),
        published=published,
        venue=jats.line(record.journal_name) or None,
        publisher=jats.line(record.publisher) or None,
        open_access=record.is_oa,
        in_doaj=record.journal_is_in_doaj,
        pdf_url=next((copy.url for copy in copies if copy.pdf), None),
        copies=copies,
    )


def _authors(record: _Record) -> tuple[Person, ...]:
    """In one piece now, and in two in records made before 2025."""
    found: list[Person] = []
    for author in record.z_authors or ():
        name = jats.line(author.raw_author_name)
        found += [Person(name=name)] if name else csl.people((author,))
    return tuple(found)
