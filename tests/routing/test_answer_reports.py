"""Answers as reports: active HTML, and offsets in a cleaned text."""

from __future__ import annotations

from citewell.routing.answer_reports import clean_answer_text, relocate_span


def test_active_html_is_taken_out_of_an_answer_and_the_rest_is_left() -> None:
    raw = "Use <b>br</b>: `a < b`.<script src=//evil.example></script><img src=x onerror=y> Done."

    assert clean_answer_text(raw) == "Use <b>br</b>: `a < b`. Done."


def test_offsets_follow_a_text_that_was_cleaned() -> None:
    raw = "\u200b Cold air has heat.  Coils thaw."
    clean = clean_answer_text(raw)

    start, end = relocate_span(raw, clean, raw.find("Coils"), len(raw))

    assert clean[start:end] == "Coils thaw."
    assert relocate_span(raw, clean, None, None) == (None, None)
