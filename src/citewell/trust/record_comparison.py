"""Compares a citation with its book, the page at its address, and field by field with the record of its work."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from citewell.citations import title_matching
from citewell.citations.title_matching import compare_venues
from citewell.core.values.citation_checks import FieldCorrection, FieldReport
from citewell.core.values.paper import Paper, WorkAuthor
from citewell.links.link_checks import LinkState
from citewell.text.language import detection
from citewell.text.language.scripts import classify_script
from citewell.text.safety.text_cleaning import clean_markup
from citewell.trust.work_identity import (
    CitedWork,
    FieldAgreement,
    FieldVerdict,
    WorkIdentity,
    compare_with_record,
)

_MIN_CITED_WORDS = 3  # significant words of a cited title; a shorter one may name anything
_MATCHED_SHARE = 0.6  # of the words of the cited title in those of the page
_FOREIGN_SHARE = 0.2  # up to it the page speaks of something else
_MAX_SHOWN_CHARS = 120
_NOT_CHECKED = FieldVerdict(state=FieldAgreement.NOT_CHECKED)

_PART_KINDS = frozenset(
    {"chapter", "paper-conference", "entry", "entry-encyclopedia", "entry-dictionary", "article-journal"}
)  # fmt: skip
_PART_REASON = "the ISBN names the book, the citation a part of it"

MATCH, DIFFERS, DIFFERS_SLIGHTLY = "match", "differs", "differs slightly"
NOT_GIVEN, NOT_IN_RECORD, NOT_COMPARED = "not given", "not in record", "not compared"
_MAX_NAMES = 3  # authors that are shown
_MAX_VALUE_CHARS = 300  # characters of a value that are shown
_FIRST_NUMBER_PATTERN = re.compile(r"\d+")
_PLACE_FIELDS = frozenset({"volume", "pages"})


def list_field_reports(
    cited: CitedWork, identity: WorkIdentity, paper: Paper
) -> tuple[FieldReport, ...]:
    """One report for each of title, authors, year, venue, volume and pages."""
    dated = cited.year or identity.year.state is FieldAgreement.NOT_CHECKED
    stated = cited.year if dated else paper.year
    words = f"{cited.text} {cited.volume} {cited.pages}"
    numbers = set(_FIRST_NUMBER_PATTERN.findall(words))
    return (
        _report_verdict("title", identity.title, cited.title, clean_markup(paper.title)),
        _report_verdict(
            "authors",
            identity.author,
            _join_reported_names(cited.authors),
            _join_reported_names(paper.authors),
        ),
        _report_verdict("year", identity.year, str(stated or ""), str(paper.year or "")),
        _report_value(paper, "venue", cited.venue, lambda known: _compare_venue(cited, known)),
        *(
            _report_value(
                paper, name, getattr(cited, name), lambda known: _has_number(known, numbers)
            )
            for name in ("volume", "pages")
        ),
    )


def list_corrections(reports: tuple[FieldReport, ...]) -> tuple[FieldCorrection, ...]:
    """The fields that differ; venue, volume and pages only of the work whose title is cited."""
    titled = any(report.field == "title" and report.state == MATCH for report in reports)
    return tuple(
        FieldCorrection(
            field=field_report.field, cited=field_report.cited, record=field_report.record
        )
        for field_report in reports
        if field_report.state == DIFFERS
        and field_report.cited
        and field_report.record
        and (titled or field_report.field in {"title", "authors", "year"})
    )


def is_elsewhere(reports: tuple[FieldReport, ...]) -> bool:
    """Whether the citation names another venue, and another volume or page in it, than the record."""
    wrong = {report.field for report in reports if report.state == DIFFERS}
    return "venue" in wrong and bool(wrong & _PLACE_FIELDS)


def _report_verdict(field: str, verdict: FieldVerdict, cited: str, record: str) -> FieldReport:
    if verdict.state is FieldAgreement.MISMATCH or verdict.is_open:
        state = DIFFERS
    elif verdict.state is FieldAgreement.MATCH:
        state = DIFFERS_SLIGHTLY if field == "year" and verdict.reason else MATCH
    else:
        state = NOT_IN_RECORD if not record else NOT_COMPARED if cited else NOT_GIVEN
    return _build_report(field, state, cited, record)


def _report_value(
    paper: Paper, field: str, cited: str, compare: Callable[[str], bool | None]
) -> FieldReport:
    """The report on a field of the place; a registry that agrees with the citation counts."""
    known = [clean_markup(getattr(reading, field) or "") for reading in paper.list_readings()]
    values = [
        paper_id for paper_id in dict.fromkeys((getattr(paper, field) or "", *known)) if paper_id
    ]
    record = values[0] if values else ""
    if not cited or not values:
        return _build_report(field, NOT_GIVEN if not cited else NOT_IN_RECORD, cited, record)
    found = [compare(value) for value in values]
    state = MATCH if True in found else NOT_COMPARED if None in found else DIFFERS
    return _build_report(field, state, cited, record)


def _compare_venue(cited: CitedWork, known: str) -> bool | None:
    if title_matching.measure_title_coverage(known, f"{cited.venue} {cited.text}") == 1:
        return True
    return compare_venues(cited.venue, known)


def _has_number(known: str, numbers: set[str]) -> bool | None:
    """Whether the citation has the first number of the record's volume or pages, wherever it stands."""
    first = _FIRST_NUMBER_PATTERN.search(known)
    return first[0] in numbers if first and numbers else None


def _build_report(field: str, state: str, cited: str, record: str) -> FieldReport:
    return FieldReport(
        field=field,
        state=state,
        cited=cited[:_MAX_VALUE_CHARS] or None,
        record=record[:_MAX_VALUE_CHARS] or None,
    )


def _join_reported_names(authors: tuple[WorkAuthor, ...]) -> str:
    names = ", ".join(clean_markup(author.name or author.family) for author in authors[:_MAX_NAMES])
    return f"{names} et al." if len(authors) > _MAX_NAMES else names


# Compares a citation with the book that its ISBN names, which may be the book around the cited part.


def compare_with_book(cited: CitedWork, book: Paper) -> WorkIdentity:
    """The comparison with the cited title or, if that differs, with the title of its container.

    Authors of a chapter are not those of its book, and editions of a book have different years.
    """
    whole = compare_with_record(cited, book)
    if whole.title.state is not FieldAgreement.MISMATCH:
        return whole
    if cited.venue:
        around = compare_with_record(
            CitedWork(title=cited.venue, year=cited.year, structured=True), book
        )
        if around.title.state is FieldAgreement.MATCH:
            return around
    if cited.kind in _PART_KINDS:
        unsaid = FieldVerdict(state=FieldAgreement.NOT_CHECKED, reason=_PART_REASON)
        return replace(whole, title=unsaid, author=unsaid)
    return whole


# Compares the title that a reference gives for an address with the titles of the page there.


def compare_page_title(cited: str, link: LinkState | None) -> FieldVerdict:
    """Whether the page has the cited title; a mismatch only if hardly a word is shared.

    Pages are renamed, translated and abbreviated, so most differences say nothing.
    """
    words = title_matching.extract_title_words(cited)
    if link is None or link.state != "live" or not link.titles or not words:
        return _NOT_CHECKED
    shown = " ".join(link.titles)
    shared = title_matching.measure_title_coverage(cited, shown)
    if shared >= _MATCHED_SHARE:
        return FieldVerdict(state=FieldAgreement.MATCH)
    telling = len(words) >= _MIN_CITED_WORDS and shared <= _FOREIGN_SHARE
    if (
        not telling
        or _are_in_other_languages(cited, shown)
        or len(title_matching.extract_title_words(link.titles[0])) < _MIN_CITED_WORDS
    ):
        return _NOT_CHECKED
    title = link.titles[0]
    title = title if len(title) <= _MAX_SHOWN_CHARS else f"{title[: _MAX_SHOWN_CHARS - 1]}…"
    return FieldVerdict(
        state=FieldAgreement.MISMATCH,
        reason=f"The page at the address is titled “{title}”: compare it with the citation.",
    )


def describe_page_title(compared: FieldVerdict) -> str | None:
    return compared.reason or None if compared.state is FieldAgreement.MISMATCH else None


def show_page_agreement(compared: FieldVerdict) -> str | None:
    """The word for a result; None if the titles could not be compared."""
    return None if compared.state is FieldAgreement.NOT_CHECKED else compared.state.value


def _are_in_other_languages(this: str, other: str) -> bool:
    """Whether the languages differ; short English titles are often taken for no language at all."""
    if classify_script(this) != classify_script(other):
        return True
    spoken = (detection.detect_language(text) or "en" for text in (this, other))
    return len(set(spoken)) > 1
