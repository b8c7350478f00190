"""Reaching into a study's record, whatever is missing or damaged in it."""

from __future__ import annotations

import pytest

from citewell.reading.sites.clinicaltrials.study_record import (
    RecordPart,
    format_fact_list,
    format_markdown_table,
    format_registry_code,
)


@pytest.mark.parametrize("value", [None, 5, "text", [], {"a": None}, {"a": [{"b": 1}]}])
def test_a_part_that_is_missing_or_damaged_is_empty(value: object) -> None:
    part = RecordPart(value)

    assert part.find_plain_text("a", "b") == ""
    assert part.find_markdown("a") == ""
    assert not part.find_subpart("a", "b")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ACTIVE_NOT_RECRUITING", "active not recruiting"),
        ("PHASE2", "Phase 2"),
        ("EARLY_PHASE1", "Early Phase 1"),
        ("NA", "not applicable"),
        ("As written", "As written"),
    ],
)
def test_a_code_is_shown_in_words(code: str, words: str) -> None:
    assert format_registry_code(code) == words


def test_a_text_of_the_registry_can_start_no_heading() -> None:
    part = RecordPart({"text": "# Not a heading\n* one\n* two"})

    assert part.find_markdown("text").startswith("\\# Not")
    assert part.find_inline_markdown("text") == "\\# Not a heading; one; two"


@pytest.mark.parametrize(("date", "found"), [("2024-01", "2024-01"), ("January 2024", "")])
def test_only_iso_dates_are_dates(date: str, found: str) -> None:
    assert RecordPart({"date": date}).find_date("date") == found


def test_facts_without_a_value_and_tables_without_rows_are_left_out() -> None:
    assert format_fact_list([("Sex", "all"), ("Ages", "")]) == "- Sex: all"
    assert format_markdown_table(["a"], []) == ""
