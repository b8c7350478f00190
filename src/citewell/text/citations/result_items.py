"""Turns an item of a tool's answer, such as a paper or a case, into the fields of a cited source.

The answers of the search tools name the same things differently. A list of their items can be
given as it is to the tools that format and check sources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from citewell.model.paper_results import MORE_AUTHORS_PATTERN
from citewell.text.citations.citable_works import mark_literal_names

CSL_KINDS = frozenset(
    [
        "article",
        "article-journal",
        "article-magazine",
        "article-newspaper",
        "book",
        "chapter",
        "dataset",
        "entry-dictionary",
        "entry-encyclopedia",
        "legal_case",
        "legislation",
        "manuscript",
        "paper-conference",
        "patent",
        "post",
        "post-weblog",
        "regulation",
        "report",
        "review",
        "software",
        "standard",
        "thesis",
        "webpage",
    ]
)
SOURCE_FIELDS = (
    *("url", "title", "author", "site", "date", "doi", "kind", "volume", "issue", "pages"),
    *("publisher", "place", "edition", "editor", "language", "number", "authority"),
)
# For each field of a source the keys of other tools that mean the same, the best first.
_FIELD_KEYS = {
    "url": ("url", "website"),
    "title": ("title", "name"),
    "author": ("author", "authors"),
    "site": ("site", "journal", "displayLink", "domain"),
    "date": ("date", "publishedAt", "publishedDate", "published", "year"),
    "doi": ("doi", "detectedDoi"),
}
_PATENT_KEYS = frozenset(
    {"office", "kindCode", "assignee", "inventor", "familyId", "filed", "granted"}
)


def convert_result_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a source, and whatever else the mapping holds that no tool returns.

    A key that a tool returns and a citation does not need is left out. An unknown key stays, so
    that the caller can name it.
    """
    known = list_result_keys()
    kept = {
        name: value
        for name, value in item.items()
        if (name in SOURCE_FIELDS or name not in known) and name not in ("name", "authors")
    }
    read = next((read for holds, read in _ITEM_READERS if holds(item)), _read_plain_item)
    source = kept | {name: value for name, value in read(item).items() if value not in (None, "")}
    for field in ("author", "editor"):
        if isinstance(source.get(field), list | tuple):
            source[field] = _list_person_names(source[field])
    if _is_tool_item(item) and source.get("kind") not in CSL_KINDS:
        source.pop("kind", None)  # a registry's own word, or the kind of a patent
    return source


@cache
def list_result_keys() -> frozenset[str]:
    """Every key of the items that tools return as sources."""
    from citewell.model import paper_results, research, scrape_results, search_results
    from citewell.model.answers import (
        case_results,
        filing_results,
        image_results,
        news_results,
        patent_results,
        place_results,
        research_answers,
        series_results,
        session_answers,
        trial_results,
    )
    from citewell.model.domains import grounded_answer, structured_results

    kinds = (
        paper_results.PaperResult,
        paper_results.FullTextAnswer,
        search_results.SearchResult,
        scrape_results.SourceResult,
        scrape_results.ScrapeOutput,
        news_results.NewsArticle,
        image_results.ImageResult,
        patent_results.PatentResult,
        case_results.CaseResult,
        filing_results.FilingResult,
        trial_results.TrialResult,
        series_results.SeriesItem,
        place_results.PlaceResult,
        session_answers.SourceView,
        research.ResearchSource,
        research_answers.SourceSummary,
        grounded_answer.AnswerCitation,
        structured_results.StructuredResult,
    )
    return frozenset(
        field.serialization_alias or field.alias or name
        for kind in kinds
        for name, field in kind.model_fields.items()
    )


def _is_tool_item(item: Mapping[str, Any]) -> bool:
    """Whether it has a key that only tools write; callers write authors, journal and year too."""
    marks = list_result_keys() - {*SOURCE_FIELDS, "authors", "journal", "year"}
    return not marks.isdisjoint(item)


def _read_plain_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """A paper, page, place or hit: each field from the first key that has it."""
    return {
        field: next((item[key] for key in keys if item.get(key)), None)
        for field, keys in _FIELD_KEYS.items()
    }


def _list_person_names(people: Sequence[Any]) -> list[str]:
    """The names of a list of texts or of objects with name, literal, or given and family."""
    names = (_name_person(one) for one in people)
    return [name for name in names if name and not MORE_AUTHORS_PATTERN.fullmatch(name)]


def _name_person(person: Any) -> str:
    """The name, family name first where it is known, and in braces where it is literal."""
    if isinstance(person, Mapping):
        if literal := str(person.get("literal") or "").strip("{} "):
            return f"{{{literal}}}"
        parts = ", ".join(str(part) for key in ("family", "given") if (part := person.get(key)))
        person = person.get("name") or parts
    return str(person or "").strip()


def _read_news_item(item: Mapping[str, Any]) -> dict[str, Any]:
    return _read_plain_item(item) | {"site": item.get("site") or item.get("source")}


def _read_page_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """A page that was read: its `citation` has the facts."""
    facts = item["citation"].get("metadata")
    found = _read_plain_item(facts if isinstance(facts, Mapping) else {})
    if isinstance(facts, Mapping) and isinstance(names := facts.get("literalAuthors"), list):
        found["author"] = mark_literal_names(str(found["author"] or ""), map(str, names))
    return _read_plain_item(item) | {name: value for name, value in found.items() if value}


def _read_case_item(item: Mapping[str, Any]) -> dict[str, Any]:
    cited = item.get("citation")
    return {
        "title": cited if isinstance(cited, str) and cited else item.get("caseName"),
        "kind": "legal_case",
        "date": item.get("dateFiled"),
        "authority": None if cited else item.get("court"),  # a citation names the court itself
    }


def _read_patent_item(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "patent",
        "author": item.get("author") or item.get("inventor") or item.get("assignee"),
        "date": item.get("date") or item.get("granted") or item.get("filed"),
    }


def _read_trial_item(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "report",
        "author": item.get("author") or item.get("sponsor"),
        "date": item.get("date") or item.get("startDate"),
        "number": f"ClinicalTrials.gov identifier {item['nctId']}",
        "site": "ClinicalTrials.gov",
        "publisher": "U.S. National Library of Medicine",
    }


def _read_filing_item(item: Mapping[str, Any]) -> dict[str, Any]:
    period = item.get("periodOfReport")
    ended = f" for the period ended {period}" if period else ""
    return {
        "kind": "report",
        "title": item.get("title") or f"Form {item['formType']}{ended}",
        "author": item.get("author") or item.get("company"),
        "date": item.get("date") or item.get("filingDate"),
        "publisher": "U.S. Securities and Exchange Commission",
    }


def _read_series_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """A series of statistics; `date` is the period of its value, so the last update counts."""
    return {
        "title": item.get("title") or item["seriesId"],
        "date": item.get("lastUpdated") or item.get("date"),
    }


def _read_image_item(item: Mapping[str, Any]) -> dict[str, Any]:
    plain = _read_plain_item(item)
    return plain | {"url": plain["url"] or item.get("contextLink") or item.get("link")}


_ITEM_READERS: tuple[
    tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any]], dict[str, Any]]], ...
] = (
    (lambda item: bool(item.get("caseName")), _read_case_item),
    (lambda item: bool(item.get("nctId")), _read_trial_item),
    (lambda item: bool(item.get("formType")), _read_filing_item),
    (lambda item: bool(item.get("seriesId")), _read_series_item),
    (lambda item: not _PATENT_KEYS.isdisjoint(item), _read_patent_item),
    (lambda item: isinstance(item.get("citation"), Mapping), _read_page_item),
    (lambda item: "contextLink" in item or "link" in item, _read_image_item),
    (lambda item: "snippet" in item and "source" in item, _read_news_item),
)
