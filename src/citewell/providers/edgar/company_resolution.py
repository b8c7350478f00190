"""Finds the company that a query means: by CIK, ticker, name, former name, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from citewell.dialects.json_responses import read_json_response
from citewell.errors import NotFound
from citewell.model.domains.company_filing import FilingCompany, FilingQuery
from citewell.providers.edgar import company_names
from citewell.providers.edgar.filing_rows import FormerName, Submissions
from citewell.providers.edgar.full_text import FilingTextAnswer
from citewell.providers.edgar.sec_client import SecClient
from citewell.providers.edgar.ticker_list import TickerList

_MAX_NAME_WORDS = 4  # a longer text is no name that the list of tickers merely lacks
_MAX_FORMER_NAME_CHECKS = 3
_QUOTES = '"“”'


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyResolution:
    """The company, if the query means one, and how it was found."""

    company: FilingCompany | None = None
    others: tuple[FilingCompany, ...] = ()
    basis: str = ""  # cik, ticker, name, start, part, spelling, filer or former_name
    text: str = ""  # the words that name it
    former_name: FormerName | None = None
    submissions: Submissions | None = None  # if they were fetched on the way
    answer: FilingTextAnswer | None = None  # of the search for `text`, if no company was found

    @property
    def is_single_lookup(self) -> bool:
        """Whether the query can mean nothing but one filer, so that a search for words is no help."""
        return self.basis in {"cik", "ticker"}

    def narrow_query(self, query: FilingQuery) -> FilingQuery:
        """The query without its year, if the year is part of the company's name."""
        is_part = query.year is not None and self.text == query.text
        return replace(query, year=None) if is_part else query


class CompanyResolver:
    def __init__(self, client: SecClient, tickers: TickerList) -> None:
        self._client = client
        self._tickers = tickers

    async def resolve_company(self, query: FilingQuery) -> CompanyResolution:
        if query.ticker:
            return await self._resolve_ticker(query.ticker)
        if is_quoted(query.text):
            return CompanyResolution()
        texts = tuple(dict.fromkeys(filter(None, (query.text, query.company_text))))
        number = next(filter(None, map(company_names.normalize_cik, texts)), None)
        if number:
            return await self._resolve_number(number, texts[-1])
        choice = await self._tickers.look_up_company(texts=texts)
        if choice.company is not None:
            return CompanyResolution(
                company=choice.company, others=choice.others, basis=choice.basis, text=choice.text
            )
        return await self._find_unlisted(texts[-1])

    async def fetch_submissions(self, cik: str) -> Submissions:
        response = await self._client.fetch_data(f"/submissions/CIK{cik}.json")
        return read_json_response(Submissions, response)

    async def _resolve_ticker(self, text: str) -> CompanyResolution:
        """By ticker or CIK; a ticker that is no longer listed may stand in the index of texts."""
        ticker = company_names.normalize_ticker(text)
        choice = await self._tickers.look_up_company(ticker=ticker) if ticker else None
        if choice is not None and choice.company is not None:
            return CompanyResolution(company=choice.company, basis="ticker", text=text)
        if number := company_names.normalize_cik(text):
            return await self._resolve_number(number, text)
        filers = (await self._search_words(ticker)).list_filers() if ticker else ()
        delisted = next((one for one in filers if ticker in one.tickers), None)
        return CompanyResolution(company=delisted, basis="ticker", text=text)

    async def _resolve_number(self, cik: str, text: str) -> CompanyResolution:
        try:
            found = await self.fetch_submissions(cik)
        except NotFound:
            return CompanyResolution(basis="cik", text=text)
        company = found.build_company(cik)
        return CompanyResolution(company=company, basis="cik", text=text, submissions=found)

    async def _find_unlisted(self, text: str) -> CompanyResolution:
        """A filer without a ticker, or under a former name, among those that the words lead to."""
        words = company_names.split_company_words(text)
        if not words or len(words) > _MAX_NAME_WORDS:
            return CompanyResolution()
        searched = company_names.trim_legal_form(text)
        answer = await self._search_words(searched)
        filers = answer.list_filers()
        named = [one for one in filers if company_names.is_same_company(one.name, text)]
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

    async def _look_up_filer(self, cik: str) -> Submissions | None:
        try:
            return await self.fetch_submissions(cik)
        except NotFound:
            return None

    async def _search_words(self, text: str) -> FilingTextAnswer:
        return read_json_response(
            FilingTextAnswer, await self._client.search_full_text({"q": text})
        )


def is_quoted(text: str) -> bool:
    """Whether the text holds a phrase to search the filings for, and is no name."""
    return any(mark in text for mark in _QUOTES)
