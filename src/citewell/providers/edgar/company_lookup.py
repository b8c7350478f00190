"""Finds the company that a query means, with the SEC's list of tickers, fetched once a day."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

import citewell
from citewell.core import errors
from citewell.domains.filings import FilingCompany, FilingLookup
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import read_json_response
from citewell.providers.edgar import company_matching, filing_rows
from citewell.providers.edgar.company_matching import CompanyChoice
from citewell.routing.ports import ProviderKit
from citewell.workers.worker_tasks import TaskFailure, WorkerTask

_MAX_NAME_WORDS = 4  # a longer text is no name that the list of tickers merely lacks
_MAX_FORMER_NAME_CHECKS = 3
_QUOTES = '"“”'

CONTACT_SETTINGS = ("EDGAR_CONTACT_EMAIL", "OPENALEX_EMAIL", "CITEWELL_CONTACT")
_NO_PARAMS: Mapping[str, str] = MappingProxyType({})
_MAIL_PATTERN = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}", re.ASCII)
_WWW_HOST = "//www.sec.gov"
_REFUSED = 403
_LIMIT_MARKS = (b"Undeclared Automated Tool", b"Request Rate Threshold Exceeded")
_MISSING_FILE_MARK = (
    b"<Code>AccessDenied</Code>"  # what the storage says of a file it does not have
)
_LIMIT_REST_SECONDS = 600.0
_MARK_BYTES = 20_000  # of a refusal, in which the marks are looked for

_LIST_PATH = "/files/company_tickers.json"
_FACT_KEY = "company_tickers"
_FRESH_SECONDS = 24 * 3600.0
_MATCH_COMPANY: WorkerTask[CompanyChoice] = WorkerTask(
    "citewell.providers.edgar.company_matching:match_company", CompanyChoice
)


@dataclass(frozen=True, slots=True)
class _KeptList:
    body: bytes
    fetched_at: float


class TickerList:
    """A list is kept only after a worker has read it; a failure to get one is never kept."""

    def __init__(self, kit: ProviderKit, client: SecClient) -> None:
        self._kit = kit
        self._client = client
        self._kept: _KeptList | None = None
        self._fetching = asyncio.Lock()

    async def look_up_company(
        self, *, ticker: str = "", texts: Sequence[str] = ()
    ) -> CompanyChoice:
        """The company with this ticker, or the one that the first matching text names."""
        if (kept := self._find_fresh()) is None:
            async with self._fetching:  # the others wait for the first
                if self._find_fresh() is None:
                    return await self._renew_and_match(ticker, texts)
            kept = self._find_fresh() or kept
        return await self._run_match(kept.body if kept else b"", ticker, texts)

    def _find_fresh(self) -> _KeptList | None:
        kept = self._kept
        is_fresh = kept is not None and self._kit.clock() - kept.fetched_at < _FRESH_SECONDS
        return kept if is_fresh else None

    async def _renew_and_match(self, ticker: str, texts: Sequence[str]) -> CompanyChoice:
        """Match with the list of an earlier process, else with a new one, and keep what was read."""
        recalled = await self._recall_list()
        if recalled is not None:
            with suppress(errors.MalformedResponse):
                choice = await self._run_match(recalled.body, ticker, texts)
                self._kept = recalled
                return choice
        try:
            body = (await self._client.fetch_www(_LIST_PATH)).body
            choice = await self._run_match(body, ticker, texts)
        except errors.UpstreamError:
            if self._kept is None:
                raise
            return await self._run_match(self._kept.body, ticker, texts)  # yesterday's still serves
        self._kept = _KeptList(body, self._kit.clock())
        with suppress(errors.CitewellError):
            fact = b"%d\n%b" % (self._kept.fetched_at, self._kept.body)
            await self._kit.memory.remember_fact(_FACT_KEY, fact, ttl=_FRESH_SECONDS)
        return choice

    async def _recall_list(self) -> _KeptList | None:
        """The list that an earlier process kept; None if it is old or this one has had its own."""
        if self._kept is not None:
            return None
        with suppress(errors.CitewellError, ValueError):
            stamp, _, body = (await self._kit.memory.recall_fact(_FACT_KEY) or b"").partition(b"\n")
            kept = _KeptList(body, float(stamp))
            return kept if 0 <= self._kit.clock() - kept.fetched_at < _FRESH_SECONDS else None
        return None

    async def _run_match(self, body: bytes, ticker: str, texts: Sequence[str]) -> CompanyChoice:
        try:
            return await self._kit.require_workers().run_task(
                _MATCH_COMPANY, body=body, ticker=ticker, texts=tuple(texts)
            )
        except TaskFailure as failure:
            raise errors.MalformedResponse(
                failure.message, provider=filing_rows.PROVIDER_NAME
            ) from None
        except errors.MalformedResponse as error:
            error.provider = error.provider or filing_rows.PROVIDER_NAME
            raise


# Requests to the three hosts of the SEC, with the contact it requires and its own refusals.


class SecClient:
    """Sends GET requests; without a contact address none goes out."""

    def __init__(self, kit: ProviderKit) -> None:
        self._upstream = kit.upstream
        # The first mail address in the settings; a setting without one does not count.
        found = (_MAIL_PATTERN.search(kit.find_option(name) or "") for name in CONTACT_SETTINGS)
        self._contact = next((match[0] for match in found if match), None)

    async def fetch_www(self, path: str, params: Mapping[str, str] = _NO_PARAMS) -> HttpResponse:
        """A file or list that is always there; it is a failure if it is not."""
        return await self._fetch_present("www", path, params)

    async def fetch_data(self, path: str, *, max_bytes: int | None = None) -> HttpResponse:
        return await self._fetch_sec_answer("data", path, max_bytes=max_bytes)

    async def search_full_text(self, params: Mapping[str, str]) -> HttpResponse:
        return await self._fetch_present("efts", "/LATEST/search-index", params)

    async def _fetch_present(self, host: str, path: str, params: Mapping[str, str]) -> HttpResponse:
        try:
            return await self._fetch_sec_answer(host, path, params=params)
        except errors.NotFound:
            message = "A service of the SEC is not where it used to be."
            raise errors.UpstreamUnavailable(message, provider=filing_rows.PROVIDER_NAME) from None

    async def _fetch_sec_answer(
        self,
        host: str,
        path: str,
        *,
        params: Mapping[str, str] = _NO_PARAMS,
        max_bytes: int | None = None,
    ) -> HttpResponse:
        # The address of one of the hosts; a configured address elsewhere serves all paths.
        response = await self._upstream.send_get(
            path,
            params=params,
            headers={"user-agent": f"Citewell/{_find_version()} {self._require_contact()}"},
            base_url=self._upstream.base_url.replace(_WWW_HOST, f"//{host}.sec.gov", 1),
            max_bytes=max_bytes,
            accept=(_REFUSED,),
        )
        if response.status == _REFUSED:
            raise self._build_refusal(response)
        return response

    def _require_contact(self) -> str:
        if self._contact is None:
            raise errors.Misconfigured(
                "The SEC refuses programs that do not say whom it can reach: set"
                f" {CONTACT_SETTINGS[0]} to your mail address (or {CONTACT_SETTINGS[1]} or"
                f" {CONTACT_SETTINGS[2]}, with one in it).",
                provider=filing_rows.PROVIDER_NAME,
                settings=CONTACT_SETTINGS,
                remedy=f"{CONTACT_SETTINGS[0]}=you@example.org",
                reason=errors.FailureReason.NOT_CONFIGURED,
            )
        return self._contact

    def _build_refusal(
        self, response: HttpResponse
    ) -> errors.RateLimited | errors.NotFound | errors.Blocked:
        body = response.body[:_MARK_BYTES]
        if _MISSING_FILE_MARK in body:
            return errors.NotFound("The SEC has no such file.", provider=filing_rows.PROVIDER_NAME)
        if any(mark in body for mark in _LIMIT_MARKS):
            self._upstream.pause_requests(_LIMIT_REST_SECONDS)
            return errors.RateLimited(
                "The SEC refuses requests from this address for ten minutes: too many were sent,"
                f" or the contact in {CONTACT_SETTINGS[0]} is not a real one.",
                provider=filing_rows.PROVIDER_NAME,
                retry_after=_LIMIT_REST_SECONDS,
                detail="HTTP 403",
                http_status=_REFUSED,
            )
        return errors.Blocked(
            "The SEC refused the request.",
            provider=filing_rows.PROVIDER_NAME,
            detail="HTTP 403",
            http_status=_REFUSED,
        )


def _find_version() -> str:
    try:
        return citewell.__version__
    except ImportError:  # running from a source tree that is not installed
        return "dev"


# Finds the company that a query means: by CIK, ticker, name, former name, or not at all.


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyResolution:
    """The company, if the query means one, and how it was found."""

    company: FilingCompany | None = None
    others: tuple[FilingCompany, ...] = ()
    basis: str = ""  # cik, ticker, name, start, part, spelling, filer or former_name
    text: str = ""  # the words that name it
    former_name: filing_rows.FormerName | None = None
    submissions: filing_rows.Submissions | None = None  # if they were fetched on the way
    answer: filing_rows.FilingTextAnswer | None = (
        None  # of the search for `text`, if no company was found
    )

    @property
    def is_single_lookup(self) -> bool:
        """Whether the query can mean nothing but one filer, so that a search for words is no help."""
        return self.basis in {"cik", "ticker"}

    def narrow_query(self, query: FilingLookup) -> FilingLookup:
        """The query without its year, if the year is part of the company's name."""
        is_part = query.year is not None and self.text == query.text
        return query.with_changes(year=None) if is_part else query


class CompanyResolver:
    def __init__(self, client: SecClient, tickers: TickerList) -> None:
        self._client = client
        self._tickers = tickers

    async def resolve_company(self, query: FilingLookup) -> CompanyResolution:
        if query.ticker:
            return await self._resolve_ticker(query.ticker)
        if is_quoted(query.text):
            return CompanyResolution()
        texts = tuple(dict.fromkeys(filter(None, (query.text, query.company_text))))
        number = next(filter(None, map(company_matching.normalize_cik, texts)), None)
        if number:
            return await self._resolve_number(number, texts[-1])
        choice = await self._tickers.look_up_company(texts=texts)
        if choice.company is not None:
            return CompanyResolution(
                company=choice.company, others=choice.others, basis=choice.basis, text=choice.text
            )
        return await self._find_unlisted(texts[-1])

    async def fetch_submissions(self, cik: str) -> filing_rows.Submissions:
        response = await self._client.fetch_data(f"/submissions/CIK{cik}.json")
        return read_json_response(filing_rows.Submissions, response)

    async def _resolve_ticker(self, text: str) -> CompanyResolution:
        """By ticker or CIK; a ticker that is no longer listed may stand in the index of texts."""
        ticker = company_matching.normalize_ticker(text)
        choice = await self._tickers.look_up_company(ticker=ticker) if ticker else None
        if choice is not None and choice.company is not None:
            return CompanyResolution(company=choice.company, basis="ticker", text=text)
        if number := company_matching.normalize_cik(text):
            return await self._resolve_number(number, text)
        filers = (await self._search_words(ticker)).list_filers() if ticker else ()
        delisted = next((filer for filer in filers if ticker in filer.tickers), None)
        return CompanyResolution(company=delisted, basis="ticker", text=text)

    async def _resolve_number(self, cik: str, text: str) -> CompanyResolution:
        try:
            found = await self.fetch_submissions(cik)
        except errors.NotFound:
            return CompanyResolution(basis="cik", text=text)
        company = found.build_company(cik)
        return CompanyResolution(company=company, basis="cik", text=text, submissions=found)

    async def _find_unlisted(self, text: str) -> CompanyResolution:
        """A filer without a ticker, or under a former name, among those that the words lead to."""
        words = company_matching.split_company_words(text)
        if not words or len(words) > _MAX_NAME_WORDS:
            return CompanyResolution()
        searched = company_matching.trim_legal_form(text)
        answer = await self._search_words(searched)
        filers = answer.list_filers()
        named = [filer for filer in filers if company_matching.is_same_company(filer.name, text)]
        if named:
            return CompanyResolution(
                company=named[0], others=tuple(named[1:4]), basis="filer", text=text
            )
        former = await self._find_former_name(filers[:_MAX_FORMER_NAME_CHECKS], text)
        return former or CompanyResolution(text=searched, answer=answer)

    async def _find_former_name(
        self, filers: Iterable[FilingCompany], text: str
    ) -> CompanyResolution | None:
        for filer in filers:
            found = await self._look_up_filer(filer.cik)
            former = found.find_former_name(text) if found else None
            if found and former:
                return CompanyResolution(
                    company=found.build_company(filer.cik),
                    basis="former_name",
                    text=text,
                    former_name=former,
                    submissions=found,
                )
        return None

    async def _look_up_filer(self, cik: str) -> filing_rows.Submissions | None:
        try:
            return await self.fetch_submissions(cik)
        except errors.NotFound:
            return None

    async def _search_words(self, text: str) -> filing_rows.FilingTextAnswer:
        return read_json_response(
            filing_rows.FilingTextAnswer, await self._client.search_full_text({"q": text})
        )


def is_quoted(text: str) -> bool:
    """Whether the text holds a phrase to search the filings for, and is no name."""
    return any(mark in text for mark in _QUOTES)
