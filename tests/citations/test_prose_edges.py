"""References in prose at the edges of the rules: whose authors, which title, which date."""

from __future__ import annotations

import pytest

from citewell.citations.references.prose_references import (
    parse_prose_document,
    parse_prose_reference,
)

LIST = """Smith, J. (2019). Trees of the city. Oak Press.

Wood, A. (2020). Roots of the town. Elm Press.

———. (2021). Leaves of the park. Elm Press."""


def test_only_a_dash_repeats_the_authors_of_the_reference_before() -> None:
    found = parse_prose_document(LIST).references

    assert [[author.name for author in reference.authors] for reference in found] == [
        ["J. Smith"],
        ["A. Wood"],
        ["A. Wood"],
    ]


def test_a_dash_in_the_first_reference_stands_for_nobody() -> None:
    assert parse_prose_reference("———. (2021). Leaves of the park. Elm Press.").authors == ()


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("Smith, J. (2019, March 14). Trees of the city. Oak Press.", "2019-03-14"),
        ("Smith, J. (2019). Trees of the city. Oak Press.", "2019"),
        ("Smith, J. Trees of the city. Oak Press, 2019.", "2019"),
        ("“The cooling of streets” by Ann Wood (2019, Journal of Shade)", "2019"),
        ("Wood et al. 2019, The cooling of streets. Journal of 2001, 12, 3-9.", "2019"),
        ("Smith, J. Trees of the city. Oak Press.", ""),
    ],
)
def test_a_reference_has_the_date_that_it_states(text: str, published: str) -> None:
    assert parse_prose_reference(text).published == published


@pytest.mark.parametrize(
    ("text", "title", "venue"),
    [
        (
            "“The cooling of streets” by Ann Wood (2019, Journal of Shade)",
            "The cooling of streets",
            "Journal of Shade",
        ),
        (
            "Wood et al. 2019, The cooling of streets. Journal of Shade, 12, 3-9.",
            "The cooling of streets",
            "Journal of Shade",
        ),
        (
            "Smith J, Wood A. “The cooling of streets by trees,” Journal of Shade 12, 3-9.",
            "The cooling of streets by trees",
            "Journal of Shade",
        ),
    ],
)
def test_title_and_journal_are_found_in_an_unusual_order(text: str, title: str, venue: str) -> None:
    found = parse_prose_reference(text)

    assert (found.title, found.venue) == (title, venue)


@pytest.mark.parametrize(
    "text",
    [
        "Smith J. “Cooling” of streets by trees. Journal of Shade 12.",
        "He wrote “trees are good,” and then left the Journal of Shade 12, 3-9",
    ],
)
def test_quoted_words_within_a_sentence_are_not_the_title(text: str) -> None:
    assert parse_prose_reference(text).title not in {"Cooling", "trees are good", ""}


@pytest.mark.parametrize(("length", "reported"), [(4000, 0), (4001, 1)])
def test_a_reference_is_read_to_its_four_thousandth_character(length: int, reported: int) -> None:
    opening = "Smith, J. (2019). "

    found = parse_prose_document(opening + "x" * (length - len(opening)))

    assert (len(found.references), len(found.malformed)) == (1, reported)
    assert len(found.references[0].raw) == 4000
