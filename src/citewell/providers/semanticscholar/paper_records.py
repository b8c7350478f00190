"""Parses Semantic Scholar's responses: papers, and the citations between them."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote, urlsplit

from pydantic import BeforeValidator, ValidationError

from citewell.dialects import csl_works
from citewell.dialects.json_responses import (
    CamelCasePart,
    HttpLink,
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    drop_negative_count,
    read_json_response,
)
from citewell.errors import MalformedResponse
from citewell.model.paper import IdentifierScheme, OpenCopy, Paper, WorkAuthor
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.citations import record_fields
from citewell.text.dates.partial_dates import extract_year
from citewell.text.safety.markup_cleaning import clean_markup

PROVIDER_NAME = "semanticscholar"
# The first type in this order decides.
_PUBLICATION_KINDS = {
    "Conference": "paper-conference",
    "BookSection": "chapter",
    "Book": "book",
    "Dataset": "dataset",
    "JournalArticle": "article-journal",
}
# Preprint servers, which Semantic Scholar treats as journals.
_PREPRINT_SERVERS = {
    "arxiv",
    "arxiv.org",
    "biorxiv",
    "medrxiv",
    "chemrxiv",
    "psyarxiv",
    "research square",
}

# Identifiers are strings in some responses and numbers in others.
_TextOrNumber = Annotated[
    str, BeforeValidator(lambda said: str(said) if type(said) is int else said)
]


class _S2ExternalIds(ResponsePart):
    DOI: OptionalField[_TextOrNumber] = None
    ArXiv: OptionalField[_TextOrNumber] = None
    PubMed: OptionalField[_TextOrNumber] = None
    PubMedCentral: OptionalField[_TextOrNumber] = None


class _S2Author(CamelCasePart):
    name: OptionalField[str] = None


class _S2OpenPdf(CamelCasePart):
    url: OptionalField[HttpLink] = None  # "" if there is none
    status: OptionalField[str] = None
    license: OptionalField[str] = None


class _S2Journal(CamelCasePart):
    name: OptionalField[str] = None
    pages: OptionalField[_TextOrNumber] = None
    volume: OptionalField[_TextOrNumber] = None


class _S2Tldr(CamelCasePart):
    text: OptionalField[str] = None


class _S2Paper(CamelCasePart):
    paper_id: OptionalField[str] = None  # null for a reference it could not identify
    title: OptionalField[str] = None
    abstract: OptionalField[str] = None
    year: OptionalField[int] = None
    publication_date: OptionalField[str] = None
    authors: OptionalField[TolerantItems[_S2Author]] = None
    external_ids: OptionalField[_S2ExternalIds] = None
    open_access_pdf: OptionalField[_S2OpenPdf] = None
    is_open_access: OptionalField[bool] = None
    citation_count: OptionalField[int] = None
    reference_count: OptionalField[int] = None
    tldr: OptionalField[_S2Tldr] = None
    venue: OptionalField[str] = None
    journal: OptionalField[_S2Journal] = None
    publication_types: OptionalField[list[str]] = None
    url: OptionalField[HttpLink] = None


class S2PaperList(CamelCasePart, JsonResponse):
    total: OptionalField[int] = None
    data: TolerantItems[_S2Paper] = ()  # absent when nothing was found


class _S2PaperResponse(_S2Paper, JsonResponse):
    pass


class _S2Edge(CamelCasePart):
    intents: OptionalField[TolerantItems[str]] = None
    is_influential: OptionalField[bool] = None
    citing_paper: OptionalField[_S2Paper] = None
    cited_paper: OptionalField[_S2Paper] = None


class S2EdgeList(CamelCasePart, JsonResponse):
    data: TolerantItems[_S2Edge]  # null if a publisher withholds its references


def has_s2_error(response: HttpResponse) -> bool:
    """Whether the index itself reports an error: {"error": "Paper with id … not found"}."""
    try:
        said = response.parse_json()
    except MalformedResponse:
        return False
    return isinstance(said, dict) and isinstance(said.get("error"), str)


def parse_s2_papers(answer: S2PaperList) -> tuple[Paper, ...]:
    if answer.total and "data" not in answer.model_fields_set:
        raise MalformedResponse(
            "The response counts papers but lists none.", provider=PROVIDER_NAME
        )
    return tuple(_parse_s2_paper(item) for item in answer.data if _is_identifiable(item))


def _is_identifiable(item: _S2Paper) -> bool:
    return bool(clean_markup(item.paper_id) or clean_markup(item.title))


def read_s2_paper(response: HttpResponse) -> Paper:
    """The paper of a single-paper response. Raises BadShape if it has no title."""
    record = parse_json_response(_S2PaperResponse, response)
    if not record.error and not clean_markup(record.title):
        raise MalformedResponse("The record has no title.", provider=response.provider)
    return _parse_s2_paper(read_json_response(_S2PaperResponse, response))


def has_no_valid_ids(response: HttpResponse) -> bool:
    """Whether the index refused a list because it knows none of its ids."""
    return (
        has_s2_error(response)
        and "no valid paper ids" in str(response.parse_json()["error"]).lower()
    )


def read_s2_batch(response: HttpResponse, *, count: int) -> dict[int, Paper | None]:
    """Papers by position; None for one the index does not have. Unreadable ones are left out."""
    rows = response.parse_json()
    if not isinstance(rows, list) or len(rows) != count:
        raise MalformedResponse(
            "The response is not a list of the requested papers.", provider=response.provider
        )
    found: dict[int, Paper | None] = {}
    for place, row in enumerate(rows):
        try:
            item = None if row is None else _S2Paper.model_validate(row)
        except ValidationError:
            continue
        if item is None or clean_markup(item.title):
            found[place] = None if item is None else _parse_s2_paper(item)
    return found


def parse_s2_edge(edge: _S2Edge) -> Paper | None:
    item = edge.citing_paper or edge.cited_paper
    if item is None or not _is_identifiable(item):
        return None
    intents = tuple(dict.fromkeys(filter(None, map(clean_markup, edge.intents or ()))))
    return _parse_s2_paper(item).with_changes(influential=edge.is_influential, intents=intents)


def _parse_s2_paper(item: _S2Paper) -> Paper:
    ids, url = _collect_s2_ids(item), _build_s2_url(item)
    doi = ids.get(IdentifierScheme.DOI)
    journal = item.journal or _S2Journal()
    volume, pdf = clean_markup(journal.volume), _build_s2_copy(item)
    published = record_fields.parse_issued_date(
        item.publication_date
    ) or record_fields.parse_issued_date(str(item.year))
    return Paper(
        title=record_fields.clean_title_field(item.title) or url,
        source=PROVIDER_NAME,
        url=csl_works.build_doi_url(doi) if doi else url,
        ids=ids,
        authors=_list_s2_authors(item),
        kind=_choose_s2_kind(item),
        year=extract_year(record_fields.parse_issued_date(str(item.year)) or published),
        published=published,
        venue=clean_markup(item.venue) or clean_markup(journal.name) or None,
        volume=volume if volume and not volume.startswith("abs/") else None,  # arXiv has none
        pages=record_fields.expand_page_range(journal.pages),
        abstract=clean_markup(item.abstract) or None,
        citation_count=drop_negative_count(item.citation_count),
        reference_count=drop_negative_count(item.reference_count),
        open_access=item.is_open_access,
        pdf_url=pdf.url if pdf and pdf.pdf else None,
        copies=(pdf,) if pdf else (),
        tldr=(clean_markup(item.tldr.text) or None) if item.tldr else None,
    )


def _collect_s2_ids(item: _S2Paper) -> dict[IdentifierScheme, str]:
    given = item.external_ids or _S2ExternalIds()
    found = {
        IdentifierScheme.DOI: record_fields.normalize_doi_field(given.DOI),
        IdentifierScheme.ARXIV: record_fields.normalize_arxiv_field(given.ArXiv),
        IdentifierScheme.PMID: record_fields.normalize_pmid_field(given.PubMed),
        IdentifierScheme.PMCID: record_fields.normalize_pmcid_field(given.PubMedCentral),
        IdentifierScheme.S2: clean_markup(item.paper_id) or None,
    }
    return {scheme: value for scheme, value in found.items() if value}


def _build_s2_url(item: _S2Paper) -> str:
    if item.url or not clean_markup(item.paper_id):
        return item.url or ""
    return f"https://www.semanticscholar.org/paper/{quote(clean_markup(item.paper_id), safe='')}"


def _list_s2_authors(item: _S2Paper) -> tuple[WorkAuthor, ...]:
    names = (clean_markup(author.name) for author in item.authors or ())
    return tuple(WorkAuthor(name=name) for name in names if name)


def _choose_s2_kind(item: _S2Paper) -> str | None:
    if clean_markup(item.venue).lower() in _PREPRINT_SERVERS:
        return "article"
    said = item.publication_types or ()
    return next((kind for word, kind in _PUBLICATION_KINDS.items() if word in said), None)


def _build_s2_copy(item: _S2Paper) -> OpenCopy | None:
    """The open copy. An address at doi.org is a landing page, not a PDF."""
    given = item.open_access_pdf
    if given is None or given.url is None:
        return None
    file = not (urlsplit(given.url).hostname or "").endswith("doi.org")
    return OpenCopy(
        url=given.url, pdf=file, license=clean_markup(given.license) or None, host=_find_copy_host(given), source=PROVIDER_NAME
    )  # fmt: skip


def _find_copy_host(given: _S2OpenPdf) -> str | None:
    status = clean_markup(given.status).upper()
    if status == "GREEN":
        return "repository"
    return "publisher" if status in {"GOLD", "HYBRID", "BRONZE"} else None
