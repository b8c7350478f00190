"""Advice about a lookup follows from what was found, not from how its provenance is worded."""

from __future__ import annotations

import pytest

from citewell.core.values.citation_checks import FieldReport
from citewell.core.values.paper import Paper
from citewell.scholar.registry_records import UNCHECKED
from citewell.trust.finding_advice import (
    choose_caveat,
    collect_finding_notes,
    describe_doubt,
    describe_partial_match,
)
from citewell.trust.registry_judgement import HIGH
from citewell.trust.work_lookup import WORK_FOUND, WorkFinding

PROVENANCE = ((), ("x",), ("matched by its words: nobody could be asked",))
PAPER = Paper(title="Of Water and Stone", source="crossref", url="https://doi.org/10.1234/0")


@pytest.mark.parametrize("provenance", PROVENANCE)
@pytest.mark.parametrize(
    ("by_words", "caveat"), [(True, "words in common"), (False, "registered identifier")]
)
def test_a_work_found_by_its_words_is_to_be_compared(
    provenance: tuple[str, ...], caveat: str, *, by_words: bool
) -> None:
    finding = WorkFinding(
        existence=WORK_FOUND,
        paper=PAPER,
        confidence=HIGH,
        searched_by_words=by_words,
        provenance=provenance,
    )

    assert caveat in (choose_caveat(finding) or "")


@pytest.mark.parametrize("provenance", PROVENANCE)
@pytest.mark.parametrize(
    ("asked", "note"), [(True, "Ask again later"), (False, "No configured registry covers it")]
)
def test_a_work_nobody_could_be_asked_about_is_told_from_one_without_an_answer(
    provenance: tuple[str, ...], note: str, *, asked: bool
) -> None:
    finding = WorkFinding(existence=UNCHECKED, has_asked=asked, provenance=provenance)

    [sentence] = collect_finding_notes(finding)

    assert note in sentence


def test_that_nobody_could_say_whether_a_work_was_retracted_is_told() -> None:
    finding = WorkFinding(existence=WORK_FOUND, paper=PAPER, is_retraction_unknown=True)

    assert "retracted could not be checked" in (describe_doubt(finding) or "")
    assert describe_doubt(WorkFinding(existence=WORK_FOUND, paper=PAPER)) is None


@pytest.mark.parametrize(
    ("field", "cited", "record", "sentence"),
    [
        ("volume", "7", "12", "The volume of the record is 12, not 7."),
        ("pages", "1–9", "34–41", "The pages of the record are 34–41, not 1–9."),
        ("venue", "Nature", "Water", "The venue of the record is Water, not Nature."),
    ],
)
def test_a_place_that_differs_is_reported_although_the_work_is_confirmed(
    field: str, cited: str, record: str, sentence: str
) -> None:
    fields = (
        FieldReport(field="title", state="match"),
        FieldReport(field=field, state="differs", cited=cited, record=record),
    )

    finding = WorkFinding(existence=WORK_FOUND, paper=PAPER, fields=fields)

    assert describe_partial_match(finding) == sentence


def test_nothing_is_reported_of_a_place_that_agrees() -> None:
    fields = (FieldReport(field="title", state="match"), FieldReport(field="volume", state="match"))

    finding = WorkFinding(existence=WORK_FOUND, paper=PAPER, fields=fields)

    assert describe_partial_match(finding) is None
