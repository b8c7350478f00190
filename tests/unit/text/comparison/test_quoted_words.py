"""Quotations are found as written, with the liberties of who quotes, and altered ones are told."""

from __future__ import annotations

import pytest

from citewell.text.comparison.quoted_words import (
    QuotationState,
    list_quotations,
    match_quotations,
)
from citewell.text.evidence.claim_support import SourceText

SOURCE = SourceText(
    text="Intro.\n\nThe committee found that “the bridge was never inspected by an outside expert”, and"
    " that its own staff had [warned](https://example.org/a) the owner in due time of the grow-\ning damage."
    " Nothing else is known.",
    language="en",
)


@pytest.mark.parametrize(
    "statement",
    [
        "It said “the bridge was never inspected by an outside expert”.",
        'It said "the bridge was never inspected by an outside expert."',
        "It said «The bridge was never inspected by an outside expert».",
        "It said „the bridge was never inspected … outside expert“.",
        "It said “[t]he bridge was never inspected [at all] by an outside expert”.",
        "It said “its own staff had warned the owner in due time of the growing damage”.",
    ],
)
def test_a_quotation_is_verbatim_whatever_its_marks(statement: str) -> None:
    [found] = match_quotations(statement, SOURCE)

    assert found.state is QuotationState.VERBATIM
    assert found.source in SOURCE.text


@pytest.mark.parametrize(
    ("statement", "state"),
    [
        ("It said “the bridge was often inspected by an inside expert”.", QuotationState.ALTERED),
        ("It said “harbour fees were raised twice without a vote”.", QuotationState.ABSENT),
    ],
)
def test_other_words_are_altered_or_absent(statement: str, state: QuotationState) -> None:
    [found] = match_quotations(statement, SOURCE)

    assert found.state is state


@pytest.mark.parametrize(
    "statement", ["A “scare quote” here.", 'It\'s 5" wide and 6" high.', "No."]
)
def test_short_words_in_marks_are_no_quotation(statement: str) -> None:
    assert list_quotations(statement) == ()


def test_the_name_of_a_work_is_no_quotation() -> None:
    statement = 'She filmed "The Silent Harbour: Return of the Herring – Part 2" in the spring.'

    assert list_quotations(statement) == ()
