"""EDGAR's full-text search (undocumented; filings from 2001): its request, and what it returns."""

from __future__ import annotations

from pydantic import Field

from citewell.dialects.json_responses import (
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    drop_negative_count,
)
from citewell.errors import MalformedResponse
from citewell.model.domains.company_filing import (
    CompanyFiling,
    FilingCompany,
    FilingHits,
    FilingQuery,
)
from citewell.providers.edgar.company_names import normalize_cik, normalize_ticker
from citewell.providers.edgar.filing_rows import (
    PROVIDER_NAME,
    build_document_address,
    describe_variants,
    has_wanted_form,
    is_accession,
    is_form_name,
    read_day,
    split_form_items,
)
from citewell.text.safety.markup_cleaning import clean_markup

FIRST_DAY = "2001-01-01"  # earlier filings are not indexed
_CIK_MARK = "(CIK "
_STRAIGHT_QUOTES = str.maketrans("“”", '""')


class _FullTextSource(ResponsePart):
    ciks: OptionalField[TolerantItems[str]] = None
    display_names: OptionalField[TolerantItems[str]] = None
    form: OptionalField[str] = None
    file_type: OptionalField[str] = None
    file_description: OptionalField[str] = None
    file_date: OptionalField[str] = None
    period_ending: OptionalField[str] = None
    items: OptionalField[TolerantItems[str]] = None
    adsh: str


class _FullTextHit(ResponsePart):
    id: OptionalField[str] = Field(default=None, alias="_id")
    source: _FullTextSource = Field(alias="_source")


class _FullTextTotal(ResponsePart):
    value: OptionalField[int] = None


class _FullTextHits(ResponsePart):
    total: OptionalField[_FullTextTotal] = None
    hits: TolerantItems[_FullTextHit]


class _EntityBucket(ResponsePart):
    key: str


class _EntityFilter(ResponsePart):
    buckets: OptionalField[TolerantItems[_EntityBucket]] = None


class _Aggregations(ResponsePart):
    entity_filter: OptionalField[_EntityFilter] = None


class FilingTextAnswer(JsonResponse):
    hits: _FullTextHits
    aggregations: OptionalField[_Aggregations] = None

    def list_filers(self) -> tuple[FilingCompany, ...]:
        """The filers of the results: those with the most documents first, then those of the hits."""
        counted = self.aggregations.entity_filter if self.aggregations else None
        names = [one.key for one in (counted.buckets or () if counted else ())]
        names += [name for hit in self.hits.hits for name in hit.source.display_names or ()]
        found = filter(None, map(parse_display_name, names))
        return tuple({company.cik: company for company in found}.values())


def build_full_text_params(query: FilingQuery, *, cik: str = "", today: str) -> dict[str, str]:
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


def read_full_text_hits(answer: FilingTextAnswer, query: FilingQuery) -> FilingHits:
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
    total = answer.hits.total
    return FilingHits(
        filings=tuple(wanted[: query.count]),
        total=drop_negative_count(total.value) if total else None,
        notes=describe_variants((filing.form_type for filing in unique.values()), query),
    )


def _parse_full_text_hit(hit: _FullTextHit) -> CompanyFiling | None:
    source = hit.source
    form = (source.form or source.file_type or "").strip()
    filer = _choose_filer(source)
    if filer is None or not is_accession(source.adsh) or not is_form_name(form):
        return None
    number, _, document = (hit.id or "").partition(":")
    described = clean_markup(source.file_description) or clean_markup(source.file_type)
    return CompanyFiling(
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
        tickers=filer.tickers,
        items=split_form_items(source.items or ()),
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
    name, tickers = _split_display_tickers(before.strip())
    cleaned = clean_markup(name)
    return FilingCompany(name=cleaned, cik=cik, tickers=tickers) if cleaned else None


def _split_display_tickers(name: str) -> tuple[str, tuple[str, ...]]:
    head, mark, inside = name.removesuffix(")").rpartition("(")
    tickers = tuple(normalize_ticker(one) or "" for one in inside.split(","))
    is_ticker_list = name.endswith(")") and inside == inside.upper() and all(tickers)
    return (head.strip(), tickers) if mark and head.strip() and is_ticker_list else (name, ())
