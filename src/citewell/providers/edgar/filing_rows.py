"""Reads filings: of one filer's submissions, and of EDGAR's full-text search (undocumented; from 2001)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import ConfigDict, Field

from citewell.core.errors import MalformedResponse
from citewell.domains.filings import Filing, FilingCompany, FilingHits, FilingLookup
from citewell.net.upstream import json_responses as wire
from citewell.providers.edgar.company_matching import (
    is_same_company,
    normalize_cik,
    normalize_ticker,
)
from citewell.text.safety.text_cleaning import clean_markup

FIRST_DAY = "2001-01-01"  # earlier filings are not indexed
_CIK_MARK = "(CIK "
_STRAIGHT_QUOTES = str.maketrans("“”", '""')

PROVIDER_NAME = "edgar"
_ARCHIVE_ADDRESS = "https://www.sec.gov/Archives/edgar/data"
_ACCESSION_PATTERN = re.compile(r"\d{10}-\d{2}-\d{6}", re.ASCII)
_DAY_PATTERN = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DOCUMENT_PATTERN = re.compile(r"[\w()+,~@=& .-]{1,150}(?:/[\w()+,~@=& .-]{1,150})?", re.ASCII)
_ITEM_PATTERN = re.compile(r"\d{1,2}(?:\.\d\d)?", re.ASCII)  # orders have days in this column
_MAX_FORM_CHARS = 20
_MAX_VARIANTS = 4
_MIN_STEM_CHARS = 4

Day = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]


class FormerName(wire.CamelCasePart):
    name: str
    to: wire.OptionalField[str] = None


class OlderFilings(wire.CamelCasePart):
    """A further file with filings of the same filer, all from these days."""

    name: Annotated[str, Field(pattern=r"^CIK\d{10}-submissions-\d{3}\.json$")]
    filing_from: wire.OptionalField[Day] = None
    filing_to: wire.OptionalField[Day] = None


class _FilingLists(wire.CamelCasePart):
    recent: dict[str, Any]
    files: wire.OptionalField[wire.TolerantItems[OlderFilings]] = None


class Submissions(wire.JsonResponse, wire.CamelCasePart):
    cik: wire.OptionalField[str | int] = None
    name: wire.OptionalField[str] = None
    tickers: wire.OptionalField[wire.TolerantItems[str]] = None
    former_names: wire.OptionalField[wire.TolerantItems[FormerName]] = None
    filings: _FilingLists

    def build_company(self, cik: str) -> FilingCompany:
        """The filer; `cik` is the number asked for, if the response does not state one."""
        tickers = (normalize_ticker(ticker) for ticker in self.tickers or ())
        return FilingCompany(
            name=clean_markup(self.name) or f"CIK {cik}",
            cik=normalize_cik(str(self.cik)) or cik,
            tickers=tuple(dict.fromkeys(ticker for ticker in tickers if ticker)),
        )

    def find_former_name(self, text: str) -> FormerName | None:
        """The former name that the text means; None if it means none of them."""
        return next(
            (former for former in self.former_names or () if is_same_company(former.name, text)),
            None,
        )


class OlderColumns(wire.JsonResponse):
    """A file of older filings, whose arrays stand at the top."""

    model_config = ConfigDict(extra="allow")

    accessionNumber: list[Any]  # noqa: N815 - the upstream's name


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingRow:
    accession: str
    form: str
    filed: str | None
    period: str | None
    document: str
    description: str
    items: str


def read_filing_rows(columns: Mapping[str, Any]) -> tuple[FilingRow, ...]:
    """The rows of the parallel arrays that have a number and a form.

    Raises MalformedResponse if there are no such arrays, or rows and none of them is valid.
    """
    numbers = columns.get("accessionNumber")
    if not isinstance(numbers, list):
        raise MalformedResponse("The filings have no accession numbers.", provider=PROVIDER_NAME)
    rows = tuple(_read_rows(columns, len(numbers)))
    if numbers and not rows:
        raise MalformedResponse("None of the filings can be read.", provider=PROVIDER_NAME)
    return rows


def _read_rows(columns: Mapping[str, Any], count: int) -> Iterator[FilingRow]:
    def read_cell(name: str, place: int) -> str:
        column = columns.get(name)
        cell = column[place] if isinstance(column, list) and place < len(column) else ""
        return cell.strip() if isinstance(cell, str) else ""

    for place in range(count):
        accession, form = read_cell("accessionNumber", place), read_cell("form", place)
        if not _ACCESSION_PATTERN.fullmatch(accession) or not is_form_name(form):
            continue
        yield FilingRow(
            accession=accession,
            form=form,
            filed=read_day(read_cell("filingDate", place)),
            period=read_day(read_cell("reportDate", place)),
            document=read_cell("primaryDocument", place),
            description=read_cell("primaryDocDescription", place),
            items=read_cell("items", place),
        )


def is_form_name(text: str) -> bool:
    return 0 < len(text) <= _MAX_FORM_CHARS and text.isascii() and text.isprintable()


def read_day(text: str | None) -> str | None:
    """An ISO day that the calendar has; None for anything else."""
    if not text or not _DAY_PATTERN.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def is_within_window(row: FilingRow, query: FilingLookup) -> bool:
    """Whether the row lies between the days of the query, and in its year if it has one.

    The year is that of the period reported on: reports on a year are often filed in the next.
    """
    if query.year is not None and (row.period or row.filed or "")[:4] != str(query.year):
        return False
    filed = row.filed or ""
    return (not query.date_from or filed >= query.date_from) and (
        not query.date_to or ("" < filed <= query.date_to)
    )


def has_wanted_form(form: str, query: FilingLookup) -> bool:
    return not query.forms or form.upper() in query.forms


def describe_variants(forms: Iterable[str], query: FilingLookup) -> tuple[str, ...]:
    """A note on amendments and other variants of the wanted forms that were left out."""
    stems = tuple(form for form in query.forms if not form.endswith("/A"))
    left = Counter(
        form
        for form in forms
        if not has_wanted_form(form, query)
        and any(_is_variant(form.upper(), stem) for stem in stems)
    )
    if not left:
        return ()
    listing = ", ".join(f"{form} ({count})" for form, count in left.most_common(_MAX_VARIANTS))
    return (f"Left out, as other forms: {listing}. Ask for them by form_type.",)


def _is_variant(form: str, stem: str) -> bool:
    """Whether the form is an amendment, or one such as 10-KT; 424B5 is no variant of form 4."""
    return form == f"{stem}/A" or (len(stem) >= _MIN_STEM_CHARS and form.startswith(stem))


def build_company_filing(row: FilingRow, company: FilingCompany) -> Filing:
    return Filing(
        company=company.name,
        cik=company.cik,
        form_type=row.form,
        accession=row.accession,
        url=build_document_address(company.cik, row.accession, row.document),
        source=PROVIDER_NAME,
        filing_date=row.filed,
        period_of_report=row.period,
        description=clean_markup(row.description) or None,
        is_amendment=row.form.endswith("/A"),
        tickers=company.tickers or None,
        items=split_form_items(row.items.split(",")) or None,
    )


def split_form_items(items: Iterable[str]) -> tuple[str, ...]:
    kept = (number.strip() for number in items)
    return tuple(dict.fromkeys(number for number in kept if _ITEM_PATTERN.fullmatch(number)))


def build_document_address(cik: str, accession: str, document: str = "") -> str:
    """The address of a filing's document, or of its index page if the document is unknown."""
    folder = f"{_ARCHIVE_ADDRESS}/{int(normalize_cik(cik) or 0)}/{accession.replace('-', '')}"
    if not _DOCUMENT_PATTERN.fullmatch(document) or ".." in document:
        return f"{folder}/{accession}-index.htm"
    return f"{folder}/{quote(document)}"


def is_accession(text: str) -> bool:
    return bool(_ACCESSION_PATTERN.fullmatch(text))


# EDGAR's full-text search (undocumented; filings from 2001): its request, and what it returns.


class _FullTextSource(wire.ResponsePart):
    ciks: wire.OptionalField[wire.TolerantItems[str]] = None
    display_names: wire.OptionalField[wire.TolerantItems[str]] = None
    form: wire.OptionalField[str] = None
    file_type: wire.OptionalField[str] = None
    file_description: wire.OptionalField[str] = None
    file_date: wire.OptionalField[str] = None
    period_ending: wire.OptionalField[str] = None
    items: wire.OptionalField[wire.TolerantItems[str]] = None
    adsh: str


class _FullTextHit(wire.ResponsePart):
    id: wire.OptionalField[str] = Field(default=None, alias="_id")
    source: _FullTextSource = Field(alias="_source")


class _EntityBucket(wire.ResponsePart):
    key: str


class _FullTextHits(wire.ResponsePart):
    total: wire.OptionalField[int] = wire.nested_field("total.value")
    hits: wire.TolerantItems[_FullTextHit]


class FilingTextAnswer(wire.JsonResponse):
    hits: _FullTextHits
    entities: wire.OptionalField[wire.TolerantItems[_EntityBucket]] = wire.nested_field(
        "aggregations.entity_filter.buckets"
    )

    def list_filers(self) -> tuple[FilingCompany, ...]:
        """The filers of the results: those with the most documents first, then those of the hits."""
        names = [entity.key for entity in self.entities or ()]
        names += [name for hit in self.hits.hits for name in hit.source.display_names or ()]
        found = filter(None, map(parse_display_name, names))
        return tuple({company.cik: company for company in found}.values())


def build_full_text_params(query: FilingLookup, *, cik: str = "", today: str) -> dict[str, str]:
    """The parameters of a search for the words, in the filings of one filer or of all."""
    params = {
        "q": query.text.translate(_STRAIGHT_QUOTES),
        "forms": ",".join(query.forms),
        "ciks": cik,
    }
    if query.date_from or query.date_to:  # the service wants both ends
        params |= {
            "dateRange": "custom",
            "startdt": query.date_from or FIRST_DAY,
            "enddt": query.date_to or today,
        }
    return {name: value for name, value in params.items() if value}


def read_full_text_hits(answer: FilingTextAnswer, query: FilingLookup) -> FilingHits:
    """The filings, one result for each; amendments come with their forms and are left out here."""
    found = [filing for hit in answer.hits.hits if (filing := _parse_full_text_hit(hit))]
    if answer.hits.hits and not found:
        raise MalformedResponse("None of the filings can be read.", provider=PROVIDER_NAME)
    unique = {filing.accession: filing for filing in reversed(found)}  # the best hit of each
    wanted = [
        filing
        for filing in reversed(unique.values())
        if has_wanted_form(filing.form_type, query)
        and (not query.date_from or (filing.filing_date or "") >= query.date_from)
        and (not query.date_to or "" < (filing.filing_date or "") <= query.date_to)
    ]
    return FilingHits(
        filings=tuple(wanted[: query.count]),
        total=wire.drop_negative_count(answer.hits.total),
        notes=describe_variants((filing.form_type for filing in unique.values()), query),
    )


def _parse_full_text_hit(hit: _FullTextHit) -> Filing | None:
    source = hit.source
    form = (source.form or source.file_type or "").strip()
    filer = _choose_filer(source)
    if filer is None or not is_accession(source.adsh) or not is_form_name(form):
        return None
    number, _, document = (hit.id or "").partition(":")
    described = clean_markup(source.file_description) or clean_markup(source.file_type)
    return Filing(
        company=filer.name,
        cik=filer.cik,
        form_type=form,
        accession=source.adsh,
        url=build_document_address(
            filer.cik, source.adsh, document if number == source.adsh else ""
        ),
        source=PROVIDER_NAME,
        filing_date=read_day(source.file_date),
        period_of_report=read_day(source.period_ending),
        description=described or None,
        is_amendment=form.endswith("/A"),
        tickers=filer.tickers or None,
        items=split_form_items(source.items or ()) or None,
    )


def _choose_filer(source: _FullTextSource) -> FilingCompany | None:
    """The first filer with a name; else the first number, under which it can be looked up."""
    named = next(filter(None, map(parse_display_name, source.display_names or ())), None)
    if named is not None:
        return named
    number = next(filter(None, map(normalize_cik, source.ciks or ())), None)
    return FilingCompany(name=f"CIK {number}", cik=number) if number else None


def parse_display_name(text: str) -> FilingCompany | None:
    """A filer from "APPLE INC  (AAPL)  (CIK 0000320193)"; the tickers may be missing."""
    before, mark, after = text.rpartition(_CIK_MARK)
    cik = normalize_cik(after.strip().removesuffix(")")) if mark else None
    if cik is None:
        return None
    name, tickers = before.strip(), tuple[str, ...]()
    head, opened, inside = name.removesuffix(")").rpartition("(")
    if opened and head.strip() and name.endswith(")") and inside == inside.upper():
        given = [normalize_ticker(ticker) or "" for ticker in inside.split(",")]
        name, tickers = (head.strip(), tuple(given)) if all(given) else (name, ())
    cleaned = clean_markup(name)
    return FilingCompany(name=cleaned, cik=cik, tickers=tickers) if cleaned else None
