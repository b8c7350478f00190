"""SEC EDGAR: filings of US companies, full-text search and reported facts; no key, but a contact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

from citewell.core.errors import MalformedResponse, NotFound
from citewell.domains.filings import FactHits, Filing, FilingCompany, FilingHits, FilingLookup
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import read_json_response
from citewell.net.upstream.xml_responses import extract_element_text, read_xml_tree
from citewell.providers.edgar import company_lookup, filing_rows
from citewell.providers.edgar.company_facts import CompanyFacts
from citewell.providers.edgar.company_matching import is_same_company, normalize_cik
from citewell.providers.edgar.filing_rows import (
    PROVIDER_NAME,
    FilingRow,
    FilingTextAnswer,
    OlderColumns,
    OlderFilings,
    build_document_address,
    has_wanted_form,
    is_accession,
    is_form_name,
    is_within_window,
    read_day,
    split_form_items,
)
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec
from citewell.text.safety.text_cleaning import clean_markup
from citewell.workers.worker_tasks import TaskFailure, WorkerTask

LATEST_PATH = "/cgi-bin/browse-edgar"
_ATOM = "{http://www.w3.org/2005/Atom}"
_FILED_PATTERN = re.compile(r"Filed:\s{0,3}(\d{4}-\d\d-\d\d)", re.ASCII)
_ITEM_PATTERN = re.compile(r"Item (\d\.\d\d):", re.ASCII)
_MAX_SUMMARY_CHARS = 4000
_REPORTER_ROLE = "Reporting"  # a person who reports on the issuer's shares, in the same filing

_SEARCH_TEXT_ADVICE = 'To search the text of all filings instead, put the words in "quotes".'
_MAX_LISTED_FORMS = 6

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
    requires_any=company_lookup.CONTACT_SETTINGS,
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


class Provider(KitProvider):
    def _set_up(self) -> None:
        self._client = company_lookup.SecClient(self._kit)
        self._resolver = company_lookup.CompanyResolver(
            self._client, company_lookup.TickerList(self._kit, self._client)
        )

    async def search_filings(self, query: FilingLookup) -> FilingHits:
        """Filings of the company that the query names, else those of all filers with its words.

        Without words and ticker, the newest filings of all filers.
        """
        if not query.text and not query.ticker:
            return await self._list_latest(query)
        found = await self._resolver.resolve_company(query)
        if found.company is not None and not company_lookup.is_quoted(query.text):
            return await self._list_filings(found.company, found, query)
        if found.company is None and found.is_single_lookup:
            return FilingHits(notes=(describe_unknown_company(query, found),))
        return await self._search_text(found, query)

    async def _list_latest(self, query: FilingLookup) -> FilingHits:
        filings: list[Filing] = []
        for form in query.forms[:_MAX_LATEST_FORMS] or ("",):
            # The parameters of the feed; it lists the amendments of a form too.
            kind = form.removesuffix("/A")
            fixed = {"action": "getcurrent", "owner": "include", "count": "100", "output": "atom"}
            response = await self._client.fetch_www(
                LATEST_PATH, (fixed | ({"type": kind} if kind else {}))
            )
            filings += read_latest_filings(response, query)
        wanted = [
            filing
            for filing in filings
            if (not query.date_from or (filing.filing_date or "") >= query.date_from)
            and (not query.date_to or "" < (filing.filing_date or "") <= query.date_to)
        ]
        return FilingHits(filings=tuple(wanted[: query.count]), notes=(_LATEST_NOTE,))

    async def _search_text(
        self, found: company_lookup.CompanyResolution, query: FilingLookup
    ) -> FilingHits:
        """Filings with the words of the query: of the company if one is named, else of all filers."""
        today = self._read_now().date().isoformat()
        cik = found.company.cik if found.company else ""
        params = filing_rows.build_full_text_params(query, cik=cik, today=today)
        answer = found.answer if params == {"q": found.text} else None
        if answer is None:
            response = await self._client.search_full_text(params)
            answer = read_json_response(FilingTextAnswer, response)
        return filing_rows.read_full_text_hits(answer, query).with_changes(company=found.company)

    async def list_company_facts(self, query: FilingLookup) -> FactHits:
        """The newest headline figures that the company reported in XBRL."""
        if not query.text and not query.ticker:
            return FactHits(notes=("Facts are those of one company; name it.",))
        found = await self._resolver.resolve_company(query)
        if found.company is None:
            return FactHits(notes=(describe_unknown_company(query, found),))
        narrowed = found.narrow_query(query)
        notes = describe_company_choice(found, narrowed)
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
        company = found.company.with_changes(name=read.company or found.company.name)
        return FactHits(facts=read.facts[: query.count], company=company, notes=notes)

    async def _read_facts(self, body: bytes, cik: str, query: FilingLookup) -> CompanyFacts:
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
        self, meant: FilingCompany, found: company_lookup.CompanyResolution, query: FilingLookup
    ) -> FilingHits:
        cik, narrowed = meant.cik, found.narrow_query(query)
        try:
            submissions = found.submissions or await self._resolver.fetch_submissions(cik)
        except NotFound:
            missing = f"The SEC lists no filings under the CIK {cik}."
            return FilingHits(company=meant, notes=(missing,))
        company = submissions.build_company(cik)
        former = found.former_name or submissions.find_former_name(found.text)
        if former is not None and not is_same_company(former.name, company.name):
            found = replace(found, former_name=former)
        rows, left_out = await self._collect_rows(submissions, narrowed)
        wanted = [row for row in rows if _is_wanted_row(row, narrowed)]
        newest = sorted(wanted, key=lambda row: row.filed or "", reverse=True)[: query.count]
        within = (row.form for row in rows if filing_rows.is_within_window(row, narrowed))
        notes = (
            *describe_company_choice(replace(found, company=company), narrowed),
            *filing_rows.describe_variants(within, narrowed),
            *(() if wanted else describe_filed_forms(rows, narrowed)),
            *left_out,
        )
        return FilingHits(
            filings=tuple(filing_rows.build_company_filing(row, company) for row in newest),
            company=company,
            notes=notes,
        )

    async def _collect_rows(
        self, submissions: filing_rows.Submissions, query: FilingLookup
    ) -> tuple[list[FilingRow], tuple[str, ...]]:
        """The newest filings, and older ones while too few are wanted; a note if some were not read."""
        rows = list(filing_rows.read_filing_rows(submissions.filings.recent))
        files = _choose_older_files(submissions.filings.files or (), query)
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


def _is_wanted_row(row: FilingRow, query: FilingLookup) -> bool:
    return filing_rows.has_wanted_form(row.form, query) and filing_rows.is_within_window(row, query)


def _choose_older_files(files: Sequence[OlderFilings], query: FilingLookup) -> list[OlderFilings]:
    """The files that can hold filings of the time asked for, the newest first."""
    first = query.date_from or (f"{query.year}-01-01" if query.year else "")
    last = query.date_to or (f"{query.year + 2}-12-31" if query.year else "9999-12-31")
    able = [
        file
        for file in files
        if (file.filing_to or "9999-12-31") >= first and (file.filing_from or "") <= last
    ]
    return sorted(able, key=lambda file: file.filing_to or "", reverse=True)


# Says in a sentence how a query was understood.


def describe_company_choice(
    found: company_lookup.CompanyResolution, query: FilingLookup
) -> tuple[str, ...]:
    """How the company was found, if the query could have meant another."""
    notes: list[str] = []
    company = found.company
    if company is None:
        return ()
    if found.former_name is not None:
        until = f" (until {found.former_name.to[:10]})" if found.former_name.to else ""
        notes.append(
            f"{clean_markup(found.former_name.name)} is a former name of {company.name}{until}."
        )
    if found.basis == "spelling":
        notes.append(f"No company is called {found.text!r}; the nearest name is {company.name}. {_SEARCH_TEXT_ADVICE}")  # fmt: skip
    elif found.basis in {"start", "part"}:
        notes.append(f"{found.text!r} was taken for {company.name}. {_SEARCH_TEXT_ADVICE}")
    if found.others:
        notes.append(f"It could also mean {'; '.join(map(_format_filer, found.others))}.")
    if query.year is not None:
        notes.append(f"{query.year} was read as the year that the filings report on.")
    return tuple(notes)


def describe_unknown_company(query: FilingLookup, found: company_lookup.CompanyResolution) -> str:
    text = query.ticker or query.company_text or query.text
    if found.basis == "cik":
        return f"The SEC has no filer with the CIK {text!r}."
    if query.ticker:
        return f"No filer has the ticker {text!r}; search by the company's name in query."
    return f"No filer is called {text!r}; give its ticker, CIK or registered name."


def describe_filed_forms(rows: Iterable[FilingRow], query: FilingLookup) -> tuple[str, ...]:
    """Which forms were filed in the time asked for, if none of the wanted ones was."""
    counted = Counter(row.form for row in rows if is_within_window(row, query))
    if not counted:
        return ()
    forms = ", ".join(f"{form} ({count})" for form, count in counted.most_common(_MAX_LISTED_FORMS))
    return (f"Filed in this time: {forms}.",)


def _format_filer(company: FilingCompany) -> str:
    known = company.tickers[0] if company.tickers else f"CIK {company.cik}"
    return f"{company.name} ({known})"


# EDGAR's feed of the filings that arrived last, of all filers.


def read_latest_filings(response: HttpResponse, query: FilingLookup) -> list[Filing]:
    """The filings of the feed with the wanted form, once each, in its order: the newest first.

    Raises MalformedResponse if it is no feed, or has entries and none of them can be read.
    """
    feed = read_xml_tree(response)
    if feed.tag != f"{_ATOM}feed":
        raise MalformedResponse("The list of new filings is no feed.", provider=PROVIDER_NAME)
    entries = feed.findall(f"{_ATOM}entry")
    found = [filing for entry in entries if (filing := _read_entry(entry))]
    if entries and not found:
        raise MalformedResponse("None of the new filings can be read.", provider=PROVIDER_NAME)
    ranked = sorted(found, key=lambda pair: pair[0])  # the issuer of shares before its insiders
    unique = {filing.accession: filing for _, filing in reversed(ranked)}
    ordered = dict.fromkeys(filing.accession for _, filing in found)
    return [
        unique[number] for number in ordered if has_wanted_form(unique[number].form_type, query)
    ]


def _read_entry(entry: Element) -> tuple[bool, Filing] | None:
    """Whether the entry stands for somebody who only reports, and its filing; None if unreadable."""
    category = entry.find(f"{_ATOM}category")
    form = (category.get("term") or "").strip() if category is not None else ""
    accession = extract_element_text(entry, f"{_ATOM}id").rpartition("=")[2]
    title = extract_element_text(entry, f"{_ATOM}title").removeprefix(f"{form} - ")
    named, _, role = title.rpartition(" (")
    name, _, number = named.rpartition(" (")
    cik = normalize_cik(number.removesuffix(")"))
    if cik is None or not name or not is_accession(accession) or not is_form_name(form):
        return None
    summary = extract_element_text(entry, f"{_ATOM}summary")[:_MAX_SUMMARY_CHARS]
    filed = _FILED_PATTERN.search(summary)
    _, *items = _ITEM_PATTERN.split(summary)  # numbers and what they are about, by turns
    return role.startswith(_REPORTER_ROLE), Filing(
        company=name,
        cik=cik,
        form_type=form,
        accession=accession,
        url=build_document_address(cik, accession),
        source=PROVIDER_NAME,
        filing_date=read_day(filed[1]) if filed else None,
        description="; ".join(text.strip() for text in items[1::2]) or None,
        is_amendment=form.endswith("/A"),
        items=split_form_items(items[::2]) or None,
    )
