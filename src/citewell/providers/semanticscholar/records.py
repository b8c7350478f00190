"""Semantic Scholar's answers: papers, and the edges between them."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote, urlsplit

from pydantic import BeforeValidator, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from citewell.errors import BadShape
from citewell.model.paper import Copy, Paper, Person, Scheme
from citewell.net import csl
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.net.message import Response
from citewell.net.upstream import parse
from citewell.text import fields
from citewell.text.markup import clean

SOURCE = "semanticscholar"
# The first that applies.
_KINDS = {
    "Conference": "paper-conference",
    "BookSection": "chapter",
    "Book": "book",
    "Dataset": "dataset",
    "JournalArticle": "article-journal",
}
# Servers of preprints, which count as journals here.
_SERVERS = {"arxiv", "arxiv.org", "biorxiv", "medrxiv", "chemrxiv", "psyarxiv", "research square"}

# Identifiers come as text, and the same ones as numbers in other answers.
_Text = Annotated[str, BeforeValidator(lambda said: str(said) if type(said) is int else said)]


class _Camel(Part):
    model_config = ConfigDict(alias_generator=to_camel)


class _Ids(Part):
    DOI: Maybe[_Text] = None
    ArXiv: Maybe[_Text] = None
    PubMed: Maybe[_Text] = None
    PubMedCentral: Maybe[_Text] = None


class _Author(_Camel):
    name: Maybe[str] = None


class _Pdf(_Camel):
    url: Maybe[Link] = None  # "" where there is none, with a disclaimer beside it
    status: Maybe[str] = None
    license: Maybe[str] = None


class _Journal(_Camel):
    name: Maybe[str] = None
    pages: Maybe[_Text] = None
    volume: Maybe[_Text] = None


class _Tldr(_Camel):
    text: Maybe[str] = None


class _Paper(_Camel):
    paper_id: Maybe[str] = None  # null for a reference it cannot place
    title: Maybe[str] = None
    abstract: Maybe[str] = None
    year: Maybe[int] = None
    publication_date: Maybe[str] = None
    authors: Maybe[Items[_Author]] = None
    external_ids: Maybe[_Ids] = None
    open_access_pdf: Maybe[_Pdf] = None
    is_open_access: Maybe[bool] = None
    citation_count: Maybe[int] = None
    reference_count: Maybe[int] = None
    tldr: Maybe[_Tldr] = None
    venue: Maybe[str] = None
    journal: Maybe[_Journal] = None
    publication_types: Maybe[list[str]] = None
    url: Maybe[Link] = None


class Found(_Camel, Answer):
    total: Maybe[int] = None
    data: Items[_Paper] = ()  # absent when nothing was found


class _Record(_Paper, Answer):
    pass


class _Edge(_Camel):
    intents: Maybe[Items[str]] = None
    is_influential: Maybe[bool] = None
    citing_paper: Maybe[_Paper] = None
    cited_paper: Maybe[_Paper] = None


class Edges(_Camel, Answer):
    data: Items[_Edge]  # null where a publisher withholds its references


def denied(response: Response) -> bool:
    """Whether a refusal is the index's own word: {"error": "Paper with id … not found"}."""
    try:
        said = response.parsed()
    except BadShape:
        return False
    return isinstance(said, dict) and isinstance(said.get("error"), str)


def listed(answer: Found) -> tuple[Paper, ...]:
    if answer.total and "data" not in answer.model_fields_set:
        raise BadShape("The answer counts papers and lists none.", provider=SOURCE)
    return tuple(_paper(item) for item in answer.data if _known(item))


def _known(item: _Paper) -> bool:
    return bool(clean(item.paper_id) or clean(item.title))


def whole(response: Response) -> Paper:
    """The record of one paper, which is nothing without its title."""
    record = parse(_Record, response)
    if not record.error and not clean(record.title):
        raise BadShape("The record has no title.", provider=response.provider)
    return _paper(read(_Record, response))


def none_valid(response: Response) -> bool:
    """Whether a refused list is the index's own word that it has none of it."""
    return denied(response) and "no valid paper ids" in str(response.parsed()["error"]).lower()


def several(response: Response, *, count: int) -> dict[int, Paper | None]:
    """Papers by their places; null is one that it does not have, an unreadable one is left out."""
    rows = response.parsed()
    if not isinstance(rows, list) or len(rows) != count:
        raise BadShape("The answer is no list of the papers asked for.", provider=response.provider)
    found: dict[int, Paper | None] = {}
    for place, row in enumerate(rows):
        try:
            item = None if row is None else _Paper.model_validate(row)
        except ValidationError:
            continue
        if item is None or clean(item.title):
            found[place] = None if item is None else _paper(item)
    return found


def neighbour(edge: _Edge) -> Paper | None:
    item = edge.citing_paper or edge.cited_paper
    if item is None or not _known(item):
        return None
    intents = tuple(dict.fromkeys(filter(None, map(clean, edge.intents or ()))))
    return _paper(item).with_(influential=edge.is_influential, intents=intents)


def _paper(item: _Paper) -> Paper:
    ids, url = _ids(item), _url(item)
    doi = ids.get(Scheme.DOI)
    journal = item.journal or _Journal()
    volume, pdf = clean(journal.volume), _pdf(item)
    published = fields.issued(item.publication_date) or fields.issued(str(item.year))
    return Paper(
        title=fields.title(item.title) or url,
        source=SOURCE,
        url=csl.address(doi) if doi else url,
        ids=ids,
        authors=_authors(item),
        kind=_kind(item),
        year=fields.year(fields.issued(str(item.year)) or published),
        published=published,
        venue=clean(item.venue) or clean(journal.name) or None,
        volume=volume if volume and not volume.startswith("abs/") else None,  # arXiv's has none
        pages=fields.pages(journal.pages),
        abstract=clean(item.abstract) or None,
        citation_count=_count(item.citation_count),
        reference_count=_count(item.reference_count),
        open_access=item.is_open_access,
        pdf_url=pdf.url if pdf and pdf.pdf else None,
        copies=(pdf,) if pdf else (),
        tldr=(clean(item.tldr.text) or None) if item.tldr else None,
    )


def _ids(item: _Paper) -> dict[Scheme, str]:
    given = item.external_ids or _Ids()
    found = {
        Scheme.DOI: fields.doi(given.DOI),
        Scheme.ARXIV: fields.arxiv(given.ArXiv),
        Scheme.PMID: fields.pmid(given.PubMed),
        Scheme.PMCID: fields.pmcid(given.PubMedCentral),
        Scheme.S2: clean(item.paper_id) or None,
    }
    return {scheme: value for scheme, value in found.items() if value}


def _url(item: _Paper) -> str:
    if item.url or not clean(item.paper_id):
        return item.url or ""
    return f"https://www.semanticscholar.org/paper/{quote(clean(item.paper_id), safe='')}"


def _authors(item: _Paper) -> tuple[Person, ...]:
    names = (clean(author.name) for author in item.authors or ())
    return tuple(Person(name=name) for name in names if name)


def _kind(item: _Paper) -> str | None:
    if clean(item.venue).lower() in _SERVERS:
        return "article"
    said = item.publication_types or ()
    return next((kind for word, kind in _KINDS.items() if word in said), None)


def _pdf(item: _Paper) -> Copy | None:
    """Its open copy, which is a landing page where the address is the DOI's."""
    given = item.open_access_pdf
    if given is None or given.url is None:
        return None
    file = not (urlsplit(given.url).hostname or "").endswith("doi.org")
    return Copy(
        url=given.url, pdf=file, license=clean(given.license) or None, host=_host(given), source=SOURCE
    )  # fmt: skip


def _host(given: _Pdf) -> str | None:
    status = clean(given.status).upper()
    if status == "GREEN":
        return "repository"
    return "publisher" if status in {"GOLD", "HYBRID", "BRONZE"} else None


def _count(number: int | None) -> int | None:
    return number if number is not None and number >= 0 else None
