"""Finds records of the registries (trials, cases, filings, patents, statistics) for a question.

Deep research and the document connector use these beside their web search.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from typing import NamedTuple

from citewell.core.errors import Misconfigured
from citewell.core.tooling import RequireService
from citewell.core.values.argument_types import MAX_QUERY_CHARS
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchHit
from citewell.text.places import CountryEntry, find_country
from citewell.text.questions import QuestionDomain, find_question_domains, list_key_words

# Given the words of a question and a number, the records of a registry as pages to read.
SearchRecords = Callable[[str, int], Awaitable[Sequence[SearchHit]]]


class Registry(NamedTuple):
    """Where the records of a domain are found, and what the registry is called in notes."""

    name: str
    search: str  # the module and the function in it that takes words and a number
    noise: str = ""  # words that name the registry instead of the subject; it wants every word


REGISTRIES = {
    QuestionDomain.TRIALS: Registry(
        name="the registry of trials",
        search="citewell.domains.trials:search_trial_records",
        noise="clinical trial trials study studies evidence randomized randomised tested test testing"
        " found show shows effective better placebo result results recruiting",
    ),
    QuestionDomain.LAW: Registry(
        name="the registries of law",
        search="citewell.domains.law.case_search:search_case_records",
        noise="case cases law legal court courts supreme appeals ruling rulings rule ruled decide"
        " decided decision decisions hold held holding say said opinion opinions",
    ),
    QuestionDomain.FILINGS: Registry(
        name="the SEC", search="citewell.domains.filings:search_filing_records"
    ),
    QuestionDomain.PATENTS: Registry(
        name="patent search",
        search="citewell.domains.patents.patent_search:search_patent_records",
        noise="patent patents patented patenting prior art invention inventions inventor holds owns",
    ),
    QuestionDomain.STATISTICS: Registry(
        name="the World Bank", search="citewell.domains.record_finders:search_statistics_records"
    ),
}
_STATISTICS_PROVIDER = "worldbank"  # its pages can be read as tables for one country
_MAX_COUNTRY_WORDS = 4
# Words of questions about statistics that are in few names of series.
_ASKING_WORD_LIST = "rate level current latest grow grew grown change changed high low"
_ASKING_WORDS = frozenset(_ASKING_WORD_LIST.split())
_CODE_CHARS = 3  # a word of two or three small letters is a word, not the code of a country
_MAX_RECORDS = 4  # of one registry for one query, beside the pages of the web


class RecordFinder:
    """Asks one kind of registry, and only if a query is about its domain."""

    def __init__(self, domain: QuestionDomain, name: str, search: SearchRecords) -> None:
        self._domain = domain
        self._search = search
        self.name = name

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
        """Records as pages; none if the query is about something else or no registry is set up."""
        if self._domain not in find_question_domains(query):
            return ()
        noise = REGISTRIES[self._domain].noise.split()
        kept = [word for word in list_key_words(query) if word.lower() not in noise]
        words = " ".join(kept)[:MAX_QUERY_CHARS]
        try:
            return await self._search(words or query[:MAX_QUERY_CHARS], min(count, _MAX_RECORDS))
        except Misconfigured:
            return ()  # the registry is optional: the web is searched in any case


def build_record_finders(require_service: RequireService) -> tuple[RecordFinder, ...]:
    """One finder for each domain."""
    return tuple(
        RecordFinder(domain, registry.name, _bind_search(require_service, registry))
        for domain, registry in REGISTRIES.items()
    )


def _bind_search(require_service: RequireService, registry: Registry) -> SearchRecords:
    async def search_registry(words: str, count: int) -> Sequence[SearchHit]:
        # Imported here, because few questions are for a registry.
        module, _, name = registry.search.partition(":")
        hits: Sequence[SearchHit] = await getattr(import_module(module), name)(
            require_service, words, count
        )
        return hits

    return search_registry


async def search_statistics_records(
    require_service: RequireService, words: str, count: int
) -> Sequence[SearchHit]:
    """Indicators of the World Bank, for the country that the words name, else for the world."""
    from citewell.domains.series import SeriesQuery, search_series

    named, country = split_country_name(words)
    subject = " ".join(word for word in named if word.lower() not in _ASKING_WORDS)
    if not subject:
        return ()
    query = SeriesQuery(query=subject, count=count, provider=_STATISTICS_PROVIDER)
    answer = await search_series(query, require_service, trace=RoutingTrace())
    place = f"?locations={country.short_code or country.code}" if country else ""
    return [
        SearchHit(title=series.title or series.series_id, url=f"{series.url}{place}")
        for series in answer.results
        if series.url
    ]


def split_country_name(words: str) -> tuple[list[str], CountryEntry | None]:
    """The words without years and without the country they name, and that country."""
    kept = [word for word in words.split() if not word.isdigit()]
    for length in range(min(_MAX_COUNTRY_WORDS, len(kept)), 0, -1):
        for start in range(len(kept) - length + 1):
            phrase = " ".join(kept[start : start + length]).removesuffix("'s").removesuffix("’s")
            if len(phrase) <= _CODE_CHARS and not phrase.isupper():
                continue
            if country := find_country(phrase):
                return kept[:start] + kept[start + length :], country
    return kept, None
