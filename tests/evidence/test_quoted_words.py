"""Quotations are found as written, with the liberties of who quotes, and altered ones are told."""

from __future__ import annotations

import pytest

from citewell.evidence.comparison.quoted_words import (
    QuotationState,
    describe_alteration,
    is_quotation_missing,
    list_quotations,
    match_quotations,
)
from citewell.evidence.signs.claim_support import SourceText

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
    "statement",
    ["A so-called “scare quote” here.", "A “smart” bridge.", 'It\'s 5" wide and 6" high.', "No."],
)
def test_short_words_in_marks_are_no_quotation(statement: str) -> None:
    assert list_quotations(statement) == ()


def test_the_name_of_a_work_is_no_quotation() -> None:
    statement = 'She filmed "The Silent Harbour: Return of the Herring – Part 2" in the spring.'

    assert list_quotations(statement) == ()


@pytest.mark.parametrize(
    ("statement", "quotations"),
    [
        ('The mayor called the plan "mildly annoying".', ("mildly annoying",)),
        ('She said she was "mildly" sorry.', ("mildly",)),
        ('It was "a disgrace", the owner said.', ("a disgrace",)),
        ('The method is known as "deep learning".', ()),
        ('A "smart" bridge was built.', ()),
        ('He said "Silent Harbour" won the prize.', ()),
    ],
)
def test_a_few_words_are_a_quotation_beside_who_says_them(
    statement: str, quotations: tuple[str, ...]
) -> None:
    assert list_quotations(statement) == quotations


@pytest.mark.parametrize(
    ("statement", "difference"),
    [
        (
            "It said “the bridge was often inspected by an outside expert”.",
            "The source has “never” where the quotation has “often”.",
        ),
        (
            "It said “the bridge was never inspected by an expert”.",
            "The quotation leaves out “outside”, which the source has.",
        ),
        (
            "It said “the old bridge was never inspected by an outside expert”.",
            "The quotation has “old”, which the source does not have there.",
        ),
    ],
)
def test_an_altered_quotation_is_described_by_its_first_difference(
    statement: str, difference: str
) -> None:
    [found] = match_quotations(statement, SOURCE)

    assert describe_alteration(found) == difference


def test_errors_of_a_scan_are_no_alteration() -> None:
    scanned = SourceText(text="The rnodern bridge was never lnspected by 0utside experts.")

    [found] = match_quotations(
        "It said “the modern bridge was never inspected by outside experts”.", scanned
    )

    assert found.state is QuotationState.VERBATIM


def test_a_changed_word_among_errors_of_a_scan_is_named() -> None:
    scanned = SourceText(text="The rnodern bridge was never lnspected by 0utside experts.")

    [found] = match_quotations(
        "It said “the modern bridge was often inspected by outside experts”.", scanned
    )

    assert describe_alteration(found) == "The source has “never” where the quotation has “often”."


@pytest.mark.parametrize(
    ("statement", "known", "is_missing"),
    [
        ("It said “harbour fees were raised twice without a vote”.", "", True),
        ("It said “harbour fees were raised”.", "Harbour fees were raised", False),
        ("The owner said he was “furious”.", "", True),
        ("The owner said he was “warning” them.", "", False),
        ("The owner said it was “expertly” done.", "", False),
        ("The owner said they are “out” of it.", "", False),  # outside
        ("People ask “who has ever inspected this bridge?” there.", "", False),
    ],
)
def test_a_quotation_is_missing_if_neither_text_nor_title_has_it(
    statement: str, known: str, is_missing: bool
) -> None:
    [found] = match_quotations(statement, SOURCE)

    assert is_quotation_missing(found, SOURCE, known=known) is is_missing


def test_one_changed_word_of_two_is_an_alteration() -> None:
    source = SourceText(text="The owner was terribly sorry about it. He was sorry.", language="en")

    [found] = match_quotations("The owner said he was “mildly sorry”.", source)

    assert (
        describe_alteration(found) == "The source has “terribly” where the quotation has “mildly”."
    )


@pytest.mark.parametrize(
    ("statement", "state", "reason"),
    [
        (
            'The crew saw it as the "dawn of an era".',
            QuotationState.ALTERED,
            "The source has “end” where the quotation has “dawn”.",
        ),
        (
            'Months of "often-peaceful" protests followed.',
            QuotationState.ALTERED,
            "The source has “often-violent” where the quotation has “often-peaceful”.",
        ),
        ('The board praised its "near-complete repair".', QuotationState.ABSENT, ""),
        ('It was the "end of an era" for the port.', QuotationState.VERBATIM, ""),
    ],
)
def test_a_quotation_of_few_words_needs_no_speaker(
    statement: str, state: QuotationState, reason: str
) -> None:
    source = SourceText(
        text="Captains called it the end of an era. Months of often-violent protests had hit the port.",
        language="en",
    )

    [found] = match_quotations(statement, source)

    assert found.state is state
    if reason:
        assert describe_alteration(found) == reason
