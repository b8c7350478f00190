"""The request of one search for company filings, and its check."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalName, OptionalQuery
from citewell.model.domains.company_filing import FilingQuery
from citewell.services.domains.filings.form_types import extract_text_forms, normalize_form_types
from citewell.services.domains.routing.day_ranges import check_day_range
from citewell.services.web.search_request import clean_query_text, normalize_provider_name

_YEAR_PATTERN = re.compile(r"(?:FY)?(199[3-9]|20[0-4]\d)", re.IGNORECASE | re.ASCII)
_MAX_TICKER_CHARS = 20
# Words around a company's name that are not part of it.
_FRAME_WORDS = frozenset({
    "latest", "newest", "recent", "last", "current", "all", "sec", "edgar", "filing", "filings", "filed",
    "report", "reports", "form", "forms", "for", "of", "from", "by", "in", "the", "a", "fy", "fiscal", "year",
    "annual", "quarterly", "quarter", "q1", "q2", "q3", "q4", "company", "stock",
})  # fmt: skip
_LATEST_WORDS = frozenset({"latest", "newest", "recent"})
_FIGURE_WORDS = frozenset({
    "revenue", "revenues", "sales", "net", "income", "earnings", "eps", "profit", "loss", "assets",
    "liabilities", "equity", "cash", "operating", "financials", "financial", "facts", "data", "per", "share",
    "diluted", "basic", "and",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FilingSearchRequest:
    """One search for filings, as the caller wrote it; the arguments of filing_search."""

    query: Annotated[
        OptionalQuery,
        Field(description='Company, ticker or CIK; or words in the filings, best in "quotes".'),
    ] = None
    form_type: Annotated[
        OptionalName, Field(description="Such as 10-K, 8-K, DEF 14A; amendments are 10-K/A.")
    ] = None
    ticker: Annotated[OptionalName, Field(description="Goes before query.")] = None
    date_from: Annotated[OptionalName, Field(description="Filed from YYYY-MM-DD.")] = None
    date_to: Annotated[OptionalName, Field(description="Filed until YYYY-MM-DD.")] = None
    facts: Annotated[
        bool,
        Field(
            description="Latest year, quarter and twelve months of headline figures instead of filings."
        ),
    ] = False
    count: Annotated[int, Field(ge=1, le=10, validation_alias="num_results")] = 5
    provider: OptionalName = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first."""
        given = {
            "form_type": self.form_type,
            "date_from": self.date_from,
            "date_to": self.date_to,
        }
        return tuple(name for name, value in given.items() if value)


def check_filing_request(ask: FilingSearchRequest) -> FilingSearchRequest:
    """The request with its texts cleaned; raises InvalidInput if a value is invalid or missing."""
    check_declared_bounds(ask)
    if not ask.query and not ask.ticker:
        raise InvalidInput("Give query (a company, CIK or words) or ticker.")
    if ask.ticker and len(ask.ticker) > _MAX_TICKER_CHARS:
        raise InvalidInput("ticker is too long for one; put a company's name into query.")
    start, end = check_day_range(ask.date_from, ask.date_to)
    return replace(
        ask,
        query=clean_query_text(ask.query) if ask.query else None,
        ticker=clean_query_text(ask.ticker, argument="ticker") if ask.ticker else None,
        date_from=start,
        date_to=end,
        provider=normalize_provider_name(ask.provider),
    )


def build_filing_query(ask: FilingSearchRequest) -> tuple[FilingQuery, tuple[str, ...]]:
    """A checked request as the query that providers take, and how its text was understood.

    Forms in the text count if form_type is not given.
    """
    forms = normalize_form_types(ask.form_type)
    named, words = extract_text_forms(ask.query or "")
    is_latest = not ask.ticker and _asks_for_latest(words, forms or named)
    words = "" if is_latest else words
    company, year = _extract_company_words(words, facts=ask.facts, fewest=0 if ask.ticker else 1)
    query = FilingQuery(
        text=words,
        company_text=company,
        year=year if not (ask.date_from or ask.date_to) else None,
        ticker=ask.ticker or "",
        forms=forms or named,
        date_from=ask.date_from,
        date_to=ask.date_to,
        count=ask.count,
    )
    notes = () if forms or not named else (f"Searched for the form {' or '.join(named)}.",)
    return query, notes


def _asks_for_latest(words: str, forms: tuple[str, ...]) -> bool:
    """Whether the text names no company and nothing to search for: "latest 8-K filings"."""
    left = [word.strip(",.:").lower() for word in words.split()]
    if not all(word in _FRAME_WORDS for word in left):
        return False
    return bool(forms) or not _LATEST_WORDS.isdisjoint(left)


def _extract_company_words(text: str, *, facts: bool, fewest: int) -> tuple[str, int | None]:
    """The text without years and frame words at its ends, and the last year among those.

    At least `fewest` words stay.
    """
    words, year = text.split(), None
    frame = _FRAME_WORDS | _FIGURE_WORDS if facts else _FRAME_WORDS
    for end in (-1, 0):
        while len(words) > fewest and _is_frame_word(words[end], frame):
            found = _YEAR_PATTERN.fullmatch(words.pop(end).strip(",.:"))
            year = year or (int(found[1]) if found else None)
    company = " ".join(words).strip(" ,.:")
    return company.removesuffix("'s").removesuffix("’s"), year


def _is_frame_word(word: str, frame: frozenset[str]) -> bool:
    bare = word.strip(",.:").lower()
    return bare in frame or _YEAR_PATTERN.fullmatch(bare) is not None
