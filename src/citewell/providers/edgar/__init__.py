"""SEC EDGAR: filings of US companies, full-text search and reported facts; no key, but a contact."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from citewell.dialects.json_responses import read_json_response
from citewell.errors import MalformedResponse, NotFound
from citewell.model.domains.company_filing import (
    CompanyFiling,
    FactHits,
    FilingCompany,
    FilingHits,
    FilingQuery,
)
from citewell.ports import Offer, ProviderKit, ProviderOption, ProviderSpec
from citewell.providers.edgar import filing_rows, full_text, latest_filings, search_notes
from citewell.providers.edgar.company_facts import CompanyFacts
from citewell.providers.edgar.company_names import is_same_company
from citewell.providers.edgar.company_resolution import (
    CompanyResolution,
    CompanyResolver,
    is_quoted,
)
from citewell.providers.edgar.filing_rows import FilingRow, OlderColumns, OlderFilings
from citewell.providers.edgar.full_text import FilingTextAnswer
from citewell.providers.edgar.sec_client import CONTACT_SETTINGS, SecClient
from citewell.providers.edgar.ticker_list import TickerList
from citewell.workers.worker_tasks import TaskFailure, WorkerTask

SPEC = ProviderSpec(
    name="edgar",
    title="SEC EDGAR",
    homepage="https://www.sec.gov/os/accessing-edgar-data",
    base_url="https://www.sec.gov",
    offers=frozenset({Offer.FILINGS}),
    options=(
        ProviderOption(
            env="EDGAR_CONTACT_EMAIL",
            help="Your mail address, which the SEC requires in the User-Agent of every request.",
        ),
        ProviderOption(env="OPENALEX_EMAIL", help="Used for EDGAR where it is not set."),
        ProviderOption(env="CITEWELL_CONTACT", help="Used for EDGAR if it has a mail address."),
    ),
    requires_any=CONTACT_SETTINGS,
    applied_arguments={
        Offer.FILINGS: frozenset({"ticker", "form_type", "date_from", "date_to", "facts"})
    },
    max_results=10,
    per_second=3.0,  # on each of three hosts; the SEC allows ten on all together
    burst=1,
    rank=10,
    covers_whole_web=False,
    terms="Free; ten requests a second, and a User-Agent with the operator's mail address.",
    test_evidence="recorded submissions of four filers and 30 feeds; full text and facts are shape-tested only",
)

_MAX_OLDER_FILES = 4
_MAX_LATEST_FORMS = 3
_LATEST_NOTE = "These arrived last, of all filers; name a company or words for older ones."
_MAX_FACTS_BYTES = 32 * 2**20
_READ_FACTS: WorkerTask[CompanyFacts] = WorkerTask(
    "citewell.providers.edgar.company_facts:read_company_facts", CompanyFacts
)


class Provider:
    def __init__(self, kit: ProviderKit, *, clock: Callable[[], float] = time.time) -> None:
        self._kit = kit
        self._clock = clock
        self._client = SecClient(kit)
        self._resolver = CompanyResolver(self._client, TickerList(kit, self._client, clock=clock))

    async def search_filings(self, query: FilingQuery) -> FilingHits:
        """Filings of the company that the query names, else those of all filers with its words.

        Without words and ticker, the newest filings of all filers.
        """
        if not query.text and not query.ticker:
            return await self._list_latest(query)
        found = await self._resolver.resolve_company(query)
        if found.company is not None and not is_quoted(query.text):
            return await self._list_filings(found.company, found, query)
        if found.company is None and found.is_single_lookup:
            return FilingHits(notes=(search_notes.describe_unknown_company(query, found),))
        return await self._search_text(found, query)

    async def _list_latest(self, query: FilingQuery) -> FilingHits:
        filings: list[CompanyFiling] = []
        for form in query.forms[:_MAX_LATEST_FORMS] or ("",):
            response = await self._client.fetch_www(
                latest_filings.LATEST_PATH, latest_filings.build_latest_params(form)
            )
            filings += latest_filings.read_latest_filings(response, query)
        wanted = [
            filing
            for filing in filings
            if (not query.date_from or (filing.filing_date or "") >= query.date_from)
            and (not query.date_to or "" < (filing.filing_date or "") <= query.date_to)
        ]
        return FilingHits(filings=tuple(wanted[: query.count]), notes=(_LATEST_NOTE,))

    async def _search_text(self, found: CompanyResolution, query: FilingQuery) -> FilingHits:
        """Filings with the words of the query: of the company if one is named, else of all filers."""
        today = datetime.fromtimestamp(self._clock(), UTC).date().isoformat()
        cik = found.company.cik if found.company else ""
        params = full_text.build_full_text_params(query, cik=cik, today=today)
        answer = found.answer if params == {"q": found.text} else None
        if answer is None:
            response = await self._client.search_full_text(params)
            answer = read_json_response(FilingTextAnswer, response)
        return replace(full_text.read_full_text_hits(answer, query), company=found.company)

    async def list_company_facts(self, query: FilingQuery) -> FactHits:
        """The newest headline figures that the company reported in XBRL."""
        if not query.text and not query.ticker:
            return FactHits(notes=("Facts are those of one company; name it.",))
        found = await self._resolver.resolve_company(query)
        if found.company is None:
            return FactHits(notes=(search_notes.describe_unknown_company(query, found),))
        narrowed = found.narrow_query(query)
        notes = search_notes.describe_company_choice(found, narrowed)
        cik = found.company.cik
        try:
            response = await self._client.fetch_data(
                f"/api/xbrl/companyfacts/CIK{cik}.json", max_bytes=_MAX_FACTS_BYTES
            )
        except NotFound:
            missing = f"The SEC has no XBRL facts under the CIK {cik}."
            return FactHits(company=found.company, notes=(*notes, missing))
        read = await self._read_facts(response.body, cik, narrowed)
        if read.is_outside_filters:
            notes += ("Facts were reported, but none in the forms and dates asked for.",)
        elif not read.facts:
            notes += ("It has reported none of the headline figures in XBRL.",)
        company = replace(found.company, name=read.company or found.company.name)
        return FactHits(facts=read.facts[: query.count], company=company, notes=notes)

    async def _read_facts(self, body: bytes, cik: str, query: FilingQuery) -> CompanyFacts:
        try:
            return await self._kit.require_workers().run_task(
                _READ_FACTS,
                body=body,
                cik=cik,
                forms=query.forms,
                date_from=query.date_from or "",
                date_to=query.date_to or "",
                year=str(query.year or ""),
            )
        except TaskFailure as failure:
            raise MalformedResponse(failure.message, provider=SPEC.name) from None
        except MalformedResponse as error:
            error.provider = error.provider or SPEC.name
            raise

    async def _list_filings(
        self, meant: FilingCompany, found: CompanyResolution, query: FilingQuery
    ) -> FilingHits:
        cik, narrowed = meant.cik, found.narrow_query(query)
        try:
            told = found.submissions or await self._resolver.fetch_submissions(cik)
        except NotFound:
            missing = f"The SEC lists no filings under the CIK {cik}."
            return FilingHits(company=meant, notes=(missing,))
        company = told.build_company(cik)
        former = found.former_name or told.find_former_name(found.text)
        if former is not None and not is_same_company(former.name, company.name):
            found = replace(found, former_name=former)
        rows, left_out = await self._collect_rows(told, narrowed)
        wanted = [row for row in rows if _is_wanted_row(row, narrowed)]
        newest = sorted(wanted, key=lambda row: row.filed or "", reverse=True)[: query.count]
        within = (row.form for row in rows if filing_rows.is_within_window(row, narrowed))
        notes = (
            *search_notes.describe_company_choice(replace(found, company=company), narrowed),
            *filing_rows.describe_variants(within, narrowed),
            *(() if wanted else search_notes.describe_filed_forms(rows, narrowed)),
            *left_out,
        )
        return FilingHits(
            filings=tuple(filing_rows.build_company_filing(row, company) for row in newest),
            company=company,
            notes=notes,
        )

    async def _collect_rows(
        self, told: filing_rows.Submissions, query: FilingQuery
    ) -> tuple[list[FilingRow], tuple[str, ...]]:
        """The newest filings, and older ones while too few are wanted; a note if some were not read."""
        rows = list(filing_rows.read_filing_rows(told.filings.recent))
        files = _choose_older_files(told.filings.files or (), query)
        for number, older in enumerate(files):
            if sum(_is_wanted_row(row, query) for row in rows) >= query.count:
                break
            if number == _MAX_OLDER_FILES:
                day = older.filing_to or "then"
                return rows, (f"Filings before {day} were not looked at; date_to reaches them.",)
            response = await self._client.fetch_data(f"/submissions/{older.name}")
            columns = read_json_response(OlderColumns, response)
            rows += filing_rows.read_filing_rows(columns.model_dump())
        return rows, ()


def _is_wanted_row(row: FilingRow, query: FilingQuery) -> bool:
    return filing_rows.has_wanted_form(row.form, query) and filing_rows.is_within_window(row, query)


def _choose_older_files(files: Sequence[OlderFilings], query: FilingQuery) -> list[OlderFilings]:
    """The files that can hold filings of the time asked for, the newest first."""
    first = query.date_from or (f"{query.year}-01-01" if query.year else "")
    last = query.date_to or (f"{query.year + 2}-12-31" if query.year else "9999-12-31")
    able = [
        one
        for one in files
        if (one.filing_to or "9999-12-31") >= first and (one.filing_from or "") <= last
    ]
    return sorted(able, key=lambda one: one.filing_to or "", reverse=True)
