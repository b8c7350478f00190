"""Reports every field of a citation beside the record of its work: whether they agree, and both values."""

from __future__ import annotations

import re
from collections.abc import Callable

from citewell.model.citation_checks import FieldCorrection, FieldReport
from citewell.model.paper import Paper, RecordReading, WorkAuthor
from citewell.services.trust.work_identity import (
    CitedWork,
    FieldAgreement,
    FieldVerdict,
    WorkIdentity,
)
from citewell.text.citations import title_matching
from citewell.text.citations.venue_matching import compare_venues
from citewell.text.safety.markup_cleaning import clean_markup

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
    said = f"{cited.text} {cited.volume} {cited.pages}"
    numbers = set(_FIRST_NUMBER_PATTERN.findall(said))
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
    titled = any(one.field == "title" and one.state == MATCH for one in reports)
    return tuple(
        FieldCorrection(field=one.field, cited=one.cited, record=one.record)
        for one in reports
        if one.state == DIFFERS
        and one.cited
        and one.record
        and (titled or one.field in {"title", "authors", "year"})
    )


def is_elsewhere(reports: tuple[FieldReport, ...]) -> bool:
    """Whether the citation names another venue, and another volume or page in it, than the record."""
    wrong = {one.field for one in reports if one.state == DIFFERS}
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
    known = [_read_compared_field(one, field) for one in paper.list_readings()]
    values = [one for one in dict.fromkeys((getattr(paper, field) or "", *known)) if one]
    record = values[0] if values else ""
    if not cited or not values:
        return _build_report(field, NOT_GIVEN if not cited else NOT_IN_RECORD, cited, record)
    found = [compare(one) for one in values]
    state = MATCH if True in found else NOT_COMPARED if None in found else DIFFERS
    return _build_report(field, state, cited, record)


def _read_compared_field(reading: RecordReading, field: str) -> str:
    return clean_markup(getattr(reading, field) or "")


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
    names = ", ".join(clean_markup(one.name or one.family) for one in authors[:_MAX_NAMES])
    return f"{names} et al." if len(authors) > _MAX_NAMES else names
