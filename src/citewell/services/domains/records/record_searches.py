"""Puts the words of a question to one registry, and gives its records as pages to read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from citewell.model.routing_trace import RoutingTrace
from citewell.model.search_queries import SearchHit
from citewell.services.domains.filings.filing_search import (
    FilingSearchRequest,
    FilingSearchService,
)
from citewell.services.domains.law.case_search import CaseSearchRequest, CaseSearchService
from citewell.services.domains.patents.patent_search import (
    PatentSearchRequest,
    PatentSearchService,
)
from citewell.services.domains.series.series_search import (
    SeriesSearchRequest,
    SeriesSearchService,
)
from citewell.services.domains.trials.trial_search import TrialSearchRequest, TrialSearchService
from citewell.text.countries.country_codes import CountryEntry, find_country
from citewell.text.questions.question_domains import QuestionDomain
from citewell.tooling import RequireService

_STATISTICS_PROVIDER = "worldbank"  # its pages can be read as tables for one country
_MAX_COUNTRY_WORDS = 4
# Words of questions about statistics that are in few names of series.
_ASKING_WORD_LIST = "rate level current latest grow grew grown change changed high low"
_ASKING_WORDS = frozenset(_ASKING_WORD_LIST.split())
_CODE_CHARS = 3  # a word of two or three small letters is a word, not the code of a country


async def search_trial_records(
    require_service: RequireService, words: str, count: int
) -> Sequence[SearchHit]:
    ask = TrialSearchRequest(query=words, count=count)
    answer = await require_service(TrialSearchService).search_trials(ask, trace=RoutingTrace())
    return [
        SearchHit(
            title=trial.title,
            url=trial.url,
            snippet=", ".join((*trial.conditions, *trial.interventions)),
            engine=trial.source,
        )
        for trial in answer.trials
    ]


async def search_case_records(
    require_service: RequireService, words: str, count: int
) -> Sequence[SearchHit]:
    answer = await require_service(CaseSearchService).search_cases(
        CaseSearchRequest(query=words, count=count), trace=RoutingTrace()
    )
    return [
        SearchHit(
            title=case.citation or case.case_name,
            url=case.url,
            snippet=case.snippet or "",
            engine=case.source,
        )
        for case in answer.cases
    ]


async def search_filing_records(
    require_service: RequireService, words: str, count: int
) -> Sequence[SearchHit]:
    answer = await require_service(FilingSearchService).search_filings(
        FilingSearchRequest(query=words, count=count), trace=RoutingTrace()
    )
    return [
        SearchHit(
            title=f"{filing.company}, form {filing.form_type}, {filing.period_of_report or ''}",
            url=filing.url,
            snippet=filing.description or "",
            engine=filing.source,
        )
        for filing in answer.filings
        if filing.url
    ]


async def search_patent_records(
    require_service: RequireService, words: str, count: int
) -> Sequence[SearchHit]:
    answer = await require_service(PatentSearchService).search_patents(
        PatentSearchRequest(query=words, count=count), trace=RoutingTrace()
    )
    return [
        SearchHit(
            title=patent.title, url=patent.url, snippet=patent.abstract or "", engine=answer.source
        )
        for patent in answer.patents
    ]


async def search_statistics_records(
    require_service: RequireService, words: str, count: int
) -> Sequence[SearchHit]:
    """Indicators of the World Bank, for the country that the words name, else for the world."""
    named, country = split_country_name(words)
    subject = " ".join(word for word in named if word.lower() not in _ASKING_WORDS)
    if not subject:
        return ()
    ask = SeriesSearchRequest(query=subject, count=count, provider=_STATISTICS_PROVIDER)
    answer = await require_service(SeriesSearchService).search_series(ask, trace=RoutingTrace())
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


RECORD_SEARCHES: Mapping[
    QuestionDomain, Callable[[RequireService, str, int], Awaitable[Sequence[SearchHit]]]
] = {
    QuestionDomain.TRIALS: search_trial_records,
    QuestionDomain.LAW: search_case_records,
    QuestionDomain.FILINGS: search_filing_records,
    QuestionDomain.PATENTS: search_patent_records,
    QuestionDomain.STATISTICS: search_statistics_records,
}
