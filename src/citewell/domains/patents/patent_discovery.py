"""Finds patents without a key: a web search of Google Patents, whose pages are then read one by one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote, urlsplit

from citewell.core.errors import CitewellError
from citewell.core.tooling import ProgressCallback, ignore_progress
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import FilterReport, SearchAnswer, SearchResult
from citewell.domains.patents import patent_numbers
from citewell.domains.patents.patent_answers import (
    WEB_DISCOVERY,
    PatentHarvest,
    PatentReply,
    merge_patent_records,
)
from citewell.domains.patents.patent_records import (
    PatentArguments,
    PatentFilter,
    PatentHits,
    PatentQuery,
    PatentRecord,
    PatentSearch,
    match_assignee,
    match_class_code,
    match_inventor,
    strip_company_form,
)
from citewell.search.domain_search import DomainSearch
from citewell.search.result_filters import APPLIED_AFTERWARDS
from citewell.search.search_request import SearchRequest as WebAsk
from citewell.search.search_service import WebSearchService

# Cheap and certain, so they are checked even if the provider applied them.
_ALWAYS_CHECKED = frozenset({PatentFilter.OFFICE, PatentFilter.YEAR_FROM, PatentFilter.YEAR_TO})
_WAYS_TO_CHECK = {
    PatentFilter.ASSIGNEE: ("compared with the assignee's name without its legal form", "an assignee"),
    PatentFilter.INVENTOR: ("compared with the inventors' names", "an inventor"),
    PatentFilter.CPC: ("checked by their CPC codes", "a CPC code"),
    PatentFilter.OFFICE: ("checked by the first letters of their numbers", "an office"),
    PatentFilter.YEAR_FROM: ("checked by filing date", "a filing date"),
    PatentFilter.YEAR_TO: ("checked by filing date", "a filing date"),
}  # fmt: skip

PAGE_PROVIDER = "googlepatents"
_PATENTS_SITE = "patents.google.com"
_MAX_WEB_RESULTS = 20
_LANDSCAPE_PAGES = 12  # read for a landscape, however many are shown
_MAX_SPARE_PAGES = 5  # read beyond those asked for, because filters may drop some
_MAX_PAGE_FAILURES = 2  # in a row; then no further page is tried
_TITLE_NUMBER_PATTERN = re.compile(r"[A-Z]{2}[A-Z]{0,2}\d{4,14}[A-Z]?\d?\s{1,3}[-–:]\s{1,3}")
_TITLE_SUFFIX_PATTERN = re.compile(r"\s{1,3}[-–|]\s{1,3}Google Patents$")
_UNREAD_NOTE = (
    "Some pages of Google Patents could not be read: those patents have a title and a snippet only."
)
_WEB_NOTE = "Found by a web search of Google Patents, which shows some of what there is, not all."


@dataclass(slots=True)
class _PageReading:
    """How the reading of pages went."""

    failures_in_row: int = 0
    error: CitewellError | None = None
    unread_count: int = 0
    found: list[PatentRecord] = field(default_factory=list)

    @property
    def is_stopped(self) -> bool:
        return self.failures_in_row >= _MAX_PAGE_FAILURES


class PatentDiscovery:
    def __init__(self, search: DomainSearch, web: Callable[[], WebSearchService]) -> None:
        self._search = search
        self._web = web

    async def find_publication(
        self, number: patent_numbers.PatentNumber, request: PatentArguments, *, trace: RoutingTrace
    ) -> PatentHarvest:
        """The publication with this number; kinds are tried in turn if the number has none."""
        harvest, sieve = PatentHarvest(), PatentSieve(request)
        tried = patent_numbers.list_kind_candidates(number)
        found = await self._read_page(tuple(number.normalized for number in tried), trace)
        if isinstance(found, CitewellError):
            return await self._find_snippet(number, request, found, trace=trace)
        kept = tuple(patent for patent in found.patents if sieve.fits_request(patent))
        if kept and not number.kind:
            harvest.notes.append(
                f"{number.normalized} has no kind code; {kept[0].number} was found."
            )
        if not found.patents:
            names = ", ".join(number.normalized for number in tried)
            harvest.notes.append(f"Google Patents has no page for {names}.")
        harvest.replies.append(_build_reply(PAGE_PROVIDER, kept, sieve))
        return harvest

    async def _find_snippet(
        self,
        number: patent_numbers.PatentNumber,
        request: PatentArguments,
        failure: CitewellError,
        *,
        trace: RoutingTrace,
    ) -> PatentHarvest:
        """What a search engine says of a publication whose page could not be read."""
        words = request.with_changes(query=number.normalized, search_type="prior_art")
        try:
            harvest = await self.search_pages(words, trace=trace)
        except CitewellError:  # the failure of the page says more
            return PatentHarvest(failures={PAGE_PROVIDER: failure})
        same = tuple(
            patent
            for patent in harvest.list_patents()
            if (found := patent_numbers.parse_patent_number(patent.number)) is not None
            and found.base == number.base
            and number.kind in {None, found.kind}
        )
        if not same:
            return PatentHarvest(failures={PAGE_PROVIDER: failure})
        harvest.replies = [replace(reply, patents=same) for reply in harvest.replies]
        return harvest

    async def search_pages(
        self,
        request: PatentArguments,
        *,
        trace: RoutingTrace,
        provider: str | None = None,
        progress: ProgressCallback = ignore_progress,
    ) -> PatentHarvest:
        """Patents found by a web search, with the fields of their pages; raises if the search failed."""
        await progress(0, None, "searching the web")
        notes: list[str] = []
        words = _build_web_words(request)
        answer = await self._search_site(words, provider, trace)
        if not answer.results and request.search_type == "specific" and words.startswith('"'):
            loose = _build_web_words(request.with_changes(search_type="prior_art"))
            answer = await self._search_site(loose, provider, trace)
            notes.append("Nothing has exactly this title; its words were searched instead.")
        sieve = PatentSieve(request)
        reading = await self._read_results(request, answer.results, sieve, trace, progress)
        harvest = PatentHarvest(
            replies=[_build_reply(provider or WEB_DISCOVERY, tuple(reading.found), sieve)],
            notes=notes,
        )
        if reading.found:
            harvest.notes.append(_WEB_NOTE)
        if reading.unread_count:
            harvest.notes.append(_UNREAD_NOTE)
        if reading.error is not None and not reading.found:
            harvest.failures[PAGE_PROVIDER] = reading.error
        return harvest

    async def _search_site(
        self, words: str, provider: str | None, trace: RoutingTrace
    ) -> SearchAnswer:
        return await self._web().search_web_pages(
            WebAsk(query=words, count=_MAX_WEB_RESULTS, sites=(_PATENTS_SITE,), provider=provider),
            trace=trace,
        )

    async def _read_results(
        self,
        request: PatentArguments,
        results: Sequence[SearchResult],
        sieve: PatentSieve,
        trace: RoutingTrace,
        progress: ProgressCallback,
    ) -> _PageReading:
        """Read the pages of the results until there are enough that fit the request."""
        reading = _PageReading()
        wanted = request.count if request.search_type != "landscape" else _LANDSCAPE_PAGES
        listed = _list_result_numbers(results, request.office)
        most = min(len(listed), wanted + _MAX_SPARE_PAGES)
        for place, (number, result) in enumerate(listed.items()):
            if place >= most or len(merge_patent_records(reading.found)) >= wanted:
                break
            await progress(place, most, f"reading {number}")
            record = await self._read_result(number, result, reading, trace)
            if record is not None and sieve.fits_request(record):
                reading.found.append(record)
        return reading

    async def _read_result(
        self, number: str, result: SearchResult, reading: _PageReading, trace: RoutingTrace
    ) -> PatentRecord | None:
        """The record of the result's page, or what the search engine said of it."""
        if not reading.is_stopped:
            found = await self._read_page((number,), trace)
            if not isinstance(found, CitewellError):
                reading.failures_in_row = 0
                if found.patents:
                    return found.patents[0]
            else:
                reading.failures_in_row += 1
                reading.error = found
        reading.unread_count += 1
        return _build_snippet_record(number, result)

    async def _read_page(
        self, numbers: tuple[str, ...], trace: RoutingTrace
    ) -> PatentHits | CitewellError:
        query = PatentQuery(numbers=numbers, count=1)
        harvest = await self._search.ask_in_turn(
            [PAGE_PROVIDER],
            PatentSearch,
            lambda provider: provider.search_patents(query),
            trace=trace,
        )
        return harvest.failures.get(PAGE_PROVIDER) or harvest.replies[PAGE_PROVIDER]


def _build_reply(name: str, kept: tuple[PatentRecord, ...], sieve: PatentSieve) -> PatentReply:
    title = "Google Patents" if name == PAGE_PROVIDER else "the web search"
    return PatentReply(
        provider=name,
        patents=kept,
        reports=sieve.report_patent_filters(name=name, title=title),
        dropped_count=sieve.dropped_count,
    )


def _build_web_words(request: PatentArguments) -> str:
    """The words of the web search: names are quoted, and a title too if one patent is looked for."""
    text = request.query or ""
    if request.search_type == "specific" and " " in text and '"' not in text:
        text = f'"{text}"'
    inventor = request.inventor or ""
    # Single letters are left out, because pages may spell them out: "E. Muster" becomes "Muster".
    surnames = " ".join(word for word in inventor.split() if len(word.strip(".")) > 1)
    names = (strip_company_form(request.assignee or ""), surnames or inventor)
    quoted = (f'"{name.replace(chr(34), " ").strip()}"' for name in names if name)
    parts = (text, *quoted, request.cpc_code or "", "" if request.query else "patent")
    return " ".join(part for part in parts if part)[:500]


def _list_result_numbers(
    results: Sequence[SearchResult], office: str | None
) -> dict[str, SearchResult]:
    """The results whose address names a publication of the office, by its number."""
    found: dict[str, SearchResult] = {}
    for result in results:
        number = find_address_number(result.url)
        if number is not None and (office is None or number.office == office):
            found.setdefault(number.normalized, result)
    return found


def find_address_number(url: str) -> patent_numbers.PatentNumber | None:
    """The publication in the path of an address such as https://patents.google.com/patent/US7654321B2/en."""
    parts = [unquote(part) for part in urlsplit(url).path.split("/") if part]
    if "patent" not in parts[:-1]:
        return None
    number = patent_numbers.parse_patent_number(parts[parts.index("patent") + 1])
    return number if number and not number.is_filing else None


def _build_snippet_record(number: str, result: SearchResult) -> PatentRecord | None:
    parsed = patent_numbers.parse_patent_number(number)
    if parsed is None:
        return None
    title = _TITLE_SUFFIX_PATTERN.sub("", result.title)
    title = _TITLE_NUMBER_PATTERN.sub("", title, count=1).strip()
    return PatentRecord(
        number=parsed.normalized,
        title=title or parsed.normalized,
        url=result.url,
        source=result.engine or WEB_DISCOVERY,
        office=parsed.office,
        kind_code=parsed.kind,
        abstract=result.snippet or None,
    )


# Applies the filters that a patent provider did not apply itself, and reports who applied which.


class PatentSieve:
    """Drops records that do not fit the request; those that do not state what is asked are kept."""

    def __init__(self, request: PatentArguments, applied: Collection[PatentFilter] = ()) -> None:
        self._request = request
        self._native = frozenset(applied)
        self.unstated: Counter[PatentFilter] = Counter()  # records kept without what is asked for
        self.dropped_count = 0

    def fits_request(self, record: PatentRecord) -> bool:
        request = self._request
        checks: Mapping[PatentFilter, Callable[[], bool | None]] = {  # None: it is not stated
            PatentFilter.ASSIGNEE: lambda: (
                match_assignee(request.assignee or "", record.assignees)
                if record.assignees
                else None
            ),
            PatentFilter.INVENTOR: lambda: (
                match_inventor(request.inventor or "", record.inventors)
                if record.inventors
                else None
            ),
            PatentFilter.CPC: lambda: (
                match_class_code(request.cpc_code or "", record.cpc_codes)
                if record.cpc_codes
                else None
            ),
            PatentFilter.OFFICE: lambda: record.office == request.office,
            PatentFilter.YEAR_FROM: lambda: (
                int(record.filed[:4]) >= (request.year_from or 0) if record.filed else None
            ),
            PatentFilter.YEAR_TO: lambda: (
                int(record.filed[:4]) <= (request.year_to or 9999) if record.filed else None
            ),
        }
        unstated = []
        for name in self._request.list_constraints():
            if name in self._native and name not in _ALWAYS_CHECKED:
                continue
            verdict = checks[name]()
            if verdict is False:
                self.dropped_count += 1
                return False
            if verdict is None:
                unstated.append(name)
        self.unstated.update(unstated)
        return True

    def report_patent_filters(self, *, name: str, title: str) -> tuple[FilterReport, ...]:
        """One report for each filter of the request: who applied it to these results, and how."""
        reports = []
        for constraint in self._request.list_constraints():
            if constraint in self._native:
                reports.append(FilterReport(filter=constraint, by=name))
                continue
            how, what = _WAYS_TO_CHECK[constraint]
            kept = self.unstated[constraint]
            rest = f"; {kept} that do not state {what} were kept" if kept else ""
            note = f"Results of {title} were {how}{rest}."
            reports.append(FilterReport(filter=constraint, by=APPLIED_AFTERWARDS, note=note))
        return tuple(reports)
