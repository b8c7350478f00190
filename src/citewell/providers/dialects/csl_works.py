"""Works as CSL-JSON, in the variants of Crossref and of the DOI resolver; batches of works by identifier."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import AliasChoices, BeforeValidator, Field

from citewell.citations import record_fields
from citewell.citations import record_fields as publisher_markup
from citewell.core.values.paper import IdentifierScheme, Paper, PaperId, WorkAuthor
from citewell.net.upstream import json_responses as wire
from citewell.text.calendar_dates import build_partial_date, extract_year
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup

# The characters Crossref allows in new DOIs; none of them is query syntax of an API.
_PLAIN_DOI_PATTERN = re.compile(r"10\.[0-9]{4,9}/[-._;()/a-z0-9]+", re.IGNORECASE)

_CSL_KIND_PATTERN = re.compile(r"[a-z]+(?:[-_][a-z]+)*")
_ID_PARSERS: Mapping[str, Callable[[str | None], str | None]] = {
    "doi": record_fields.normalize_doi_field,
    "arxiv": record_fields.normalize_arxiv_field,
    "pmid": record_fields.normalize_pmid_field,
    "pmcid": record_fields.normalize_pmcid_field,
}
_PLAUSIBLE_YEARS = range(1000, 2200)
_KINDS_INSIDE_BOOKS = frozenset(
    {"chapter", "paper-conference"}
)  # the series is listed before the book


def _convert_digits(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


TextList = Annotated[
    wire.TolerantItems[str],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
]  # a list in Crossref, a string in CSL
NumberField = Annotated[int, BeforeValidator(_convert_digits)]
TextField = Annotated[
    str, BeforeValidator(lambda value: str(value) if type(value) is int else value)
]


class CslName(wire.ResponsePart):
    given: wire.OptionalField[str] = None
    family: wire.OptionalField[str] = None
    suffix: wire.OptionalField[str] = None
    particle: wire.OptionalField[str] = Field(default=None, alias="non-dropping-particle")
    dropping: wire.OptionalField[str] = Field(default=None, alias="dropping-particle")
    whole: wire.OptionalField[str] = Field(
        default=None, validation_alias=AliasChoices("name", "literal")
    )


class CslDate(wire.ResponsePart):
    parts: wire.OptionalField[list[list[Any]]] = Field(default=None, alias="date-parts")
    stamp: wire.OptionalField[str] = Field(
        default=None, validation_alias=AliasChoices("date-time", "raw")
    )


class CslInstitution(wire.ResponsePart):
    name: wire.OptionalField[str] = None


class CslWork(wire.JsonResponse):
    """The fields of a work that both variants share; every one may be missing."""

    DOI: wire.OptionalField[str] = None
    URL: wire.OptionalField[wire.HttpLink] = None
    type: wire.OptionalField[str] = None
    title: TextList = ()
    subtitle: TextList = ()
    author: wire.TolerantItems[CslName] = ()
    editor: wire.TolerantItems[CslName] = ()
    container: TextList = Field(default=(), alias="container-title")
    institution: wire.TolerantItems[CslInstitution] = ()
    group: wire.OptionalField[str] = Field(default=None, alias="group-title")
    volume: wire.OptionalField[TextField] = None
    issue: wire.OptionalField[TextField] = None
    page: wire.OptionalField[TextField] = None
    article_number: wire.OptionalField[TextField] = Field(default=None, alias="article-number")
    publisher: wire.OptionalField[str] = None
    abstract: wire.OptionalField[str] = None
    language: wire.OptionalField[str] = None
    ISBN: TextList = ()
    published: wire.OptionalField[CslDate] = None
    issued: wire.OptionalField[CslDate] = None
    printed: wire.OptionalField[CslDate] = Field(default=None, alias="published-print")
    online: wire.OptionalField[CslDate] = Field(default=None, alias="published-online")
    posted: wire.OptionalField[CslDate] = None


def build_csl_paper(work: CslWork, *, source: str, doi: str | None = None) -> Paper:
    """Build a Paper; `doi` is the requested DOI, used if the record states none."""
    same = doi is not None and normalize_doi(work.DOI) == doi
    known, sort = (
        doi if same else record_fields.normalize_doi_field(work.DOI) or doi,
        choose_csl_kind(work.type),
    )
    dates = (work.published, work.issued, work.printed, work.online, work.posted)
    published = next(filter(None, map(format_iso_date, dates)), None)
    names = work.container[::-1] if sort in _KINDS_INSIDE_BOOKS else work.container
    institutions = (institution.name for institution in work.institution if institution.name)
    return Paper(
        title=_build_full_title(work),
        source=source,
        url=build_doi_url(known) if known else work.URL or "",
        ids=_collect_identifiers(work, known, sort),
        authors=build_authors(work.author) or build_authors(work.editor),
        kind=sort,
        year=extract_year(published),
        published=published,
        venue=_choose_first_text((*names, *institutions, work.group or "")) or None,
        volume=clean_markup(work.volume) or None,
        issue=clean_markup(work.issue) or None,
        pages=record_fields.expand_page_range(work.page)
        or clean_markup(work.article_number)
        or None,
        publisher=publisher_markup.clean_markup_line(work.publisher) or None,
        abstract=publisher_markup.clean_abstract(work.abstract),
        language=clean_markup(work.language) or None,
    )


def normalize_doi(text: str | None) -> str:
    """A DOI without its URL prefix, in lower case; markup is kept, as old DOIs contain <R1::AID-X>."""
    return (text or "").strip().lower().removeprefix("https://doi.org/")


def build_doi_url(doi: str) -> str:
    """The https://doi.org/ URL of a DOI."""
    return f"https://doi.org/{quote(doi.encode('utf-8', 'replace'), safe='/:;()')}"


def encode_doi_segment(doi: str) -> str:
    """A DOI as one URL path segment, with slashes and query characters escaped."""
    return quote(doi.encode("utf-8", "replace"), safe="")


def build_authors(names: tuple[CslName, ...]) -> tuple[WorkAuthor, ...]:
    return tuple(found for found in map(_build_author, names) if found is not None)


def choose_csl_kind(word: str | None) -> str | None:
    """The CSL type for a Crossref or CSL type; None if it does not look like one."""
    bare = clean_markup(word).lower()
    renamed: str | None = load_table(__package__, "csl_kinds").get(bare)
    return renamed or (bare if _CSL_KIND_PATTERN.fullmatch(bare) else None)


def format_iso_date(when: CslDate | None) -> str | None:
    """The date in ISO 8601, as precise as stated; None if it is missing or invalid."""
    if when is None:
        return None
    first = when.parts[0] if when.parts else []
    numbers = [part for part in map(_convert_digits, first) if type(part) is int][:3]
    if numbers and numbers[0] in _PLAUSIBLE_YEARS:
        return build_partial_date(numbers[0], *(part for part in numbers[1:] if 0 < part < 32))
    return record_fields.parse_issued_date(when.stamp) if when.stamp else None


def _build_full_title(work: CslWork) -> str:
    title = _choose_first_text(work.title)
    subtitle = _choose_first_text(work.subtitle)
    if not subtitle or subtitle.casefold() in title.casefold():
        return record_fields.clean_title_field(title)
    return record_fields.clean_title_field(
        f"{title}{'' if title.endswith((':', '?', '!')) else ':'} {subtitle}"
    )


def _choose_first_text(texts: tuple[str, ...]) -> str:
    return next(filter(None, map(publisher_markup.clean_markup_line, texts)), "")


def _collect_identifiers(
    work: CslWork, doi: str | None, sort: str | None
) -> dict[IdentifierScheme, str]:
    ids = {IdentifierScheme.DOI: doi} if doi else {}
    digits = (
        re.sub(r"[^0-9X]", "", clean_markup(isbn).rpartition("/")[2].upper()) for isbn in work.ISBN
    )
    isbn = next((found for found in digits if len(found) in {10, 13}), None)
    if sort == "book" and isbn:  # the ISBN of a chapter belongs to its book
        ids[IdentifierScheme.ISBN] = isbn
    return ids


def _build_author(name: CslName) -> WorkAuthor | None:
    if whole := publisher_markup.clean_markup_line(name.whole):
        return WorkAuthor(name=whole, organisation=True)
    given, suffix = (
        publisher_markup.clean_markup_line(name.given),
        publisher_markup.clean_markup_line(name.suffix),
    )
    parts = (name.dropping, name.particle, name.family)
    family = " ".join(filter(None, map(publisher_markup.clean_markup_line, parts)))
    if not family:
        return WorkAuthor(name=given) if given else None
    spoken = " ".join(filter(None, (given, family, suffix)))
    return WorkAuthor(name=spoken, family=family, given=given, suffix=suffix)


# What records of works have in common, whichever registry they are from.


def collect_ids(**stated: str | None) -> dict[IdentifierScheme, str]:
    """The stated identifiers by scheme, in their bare form; what is none is left out."""
    found = {
        IdentifierScheme(name): _ID_PARSERS.get(name, clean_markup)(value)
        for name, value in stated.items()
    }
    return {scheme: value for scheme, value in found.items() if value}


def name_authors(names: Iterable[str]) -> tuple[WorkAuthor, ...]:
    """Authors of whom only whole names are known."""
    return tuple(WorkAuthor(name=name) for name in names if name)


def name_filters(**applied: object) -> frozenset[str]:
    """The names of the filters that are in effect."""
    return frozenset(name for name, is_applied in applied.items() if is_applied)


def has_open_license(addresses: Iterable[str | None]) -> bool | None:
    """True under a Creative Commons licence, else None, because no other licence decides it."""
    return (
        True
        if any("creativecommons.org/" in clean_markup(url).lower() for url in addresses)
        else None
    )


# Assigns the works of a batch response to the identifiers that were asked for.


def keep_plain_dois(ids: Iterable[PaperId]) -> list[PaperId]:
    """The DOIs that are safe in a list within a URL; old DOIs may contain commas, colons and brackets."""
    return [
        paper_id
        for paper_id in ids
        if paper_id.scheme is IdentifierScheme.DOI and _PLAIN_DOI_PATTERN.fullmatch(paper_id.value)
    ]


def assign_papers(
    ids: Sequence[PaperId], papers: Iterable[Paper], *, is_complete: bool
) -> dict[PaperId, Paper | None]:
    """Each identifier with the first work that states it.

    If the response `is_complete` and every work in it was assigned, the remaining identifiers are
    mapped to None; otherwise they are left out.
    """
    wanted = {(paper_id.scheme, paper_id.value.lower()): paper_id for paper_id in ids}
    found: dict[PaperId, Paper | None] = {}
    strays = False
    for paper in papers:
        keys = ((scheme, value.lower()) for scheme, value in paper.ids.items())
        mine = next((wanted[key] for key in keys if key in wanted), None)
        strays = strays or mine is None
        if mine is not None:
            found.setdefault(mine, paper)
    return dict.fromkeys(ids) | found if is_complete and not strays else found
