"""The keys by which an item of a tool's answer is known are those that the tools declare."""

from __future__ import annotations

from citewell.citations.citable_works import load_result_keys
from citewell.core.values import (
    paper_results,
    research,
    scrape_results,
    search_results,
)
from citewell.domains import filings, place_records, series, trials
from citewell.domains.law import case_search
from citewell.domains.patents import patent_records
from citewell.research import research_answers
from citewell.search import images, news
from citewell.sessions import session_views

KINDS = (
    paper_results.PaperResult,
    paper_results.FullTextAnswer,
    search_results.SearchResult,
    scrape_results.SourceResult,
    scrape_results.ScrapeOutput,
    news.NewsArticle,
    images.ImageResult,
    patent_records.PatentResult,
    case_search.CaseResult,
    filings.Filing,
    trials.Trial,
    series.SeriesItem,
    place_records.Place,
    session_views.SourceView,
    research.ResearchSource,
    research_answers.SourceSummary,
    search_results.AnswerCitation,
    search_results.StructuredResult,
)


def test_the_listed_keys_are_those_of_the_items_that_tools_return() -> None:
    declared = {
        field.serialization_alias or field.alias or name
        for kind in KINDS
        for name, field in kind.model_fields.items()
        if not field.exclude
    }

    assert declared == load_result_keys()
