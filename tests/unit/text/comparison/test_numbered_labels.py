"""A chapter, a week or a version with another number than the source gives it is found."""

from __future__ import annotations

import pytest

from citewell.text.comparison.value_comparison import compare_values
from citewell.text.evidence.claim_support import SourceText

GUIDE = (
    "Explore the chapters.\n\nChapter 4: Writing Titles for Pages\n\nChapter 6: Link Building and Lasting"
    " Authority\n\nIn week 5 of the marathon plan, a simulation run is scheduled.\n\nWho needs more time"
    " sends Form 4868 to the office.\n\nWe recommend the tool v10.22.1, and then 20.2.0 for tests.\n\n"
    "Part 3 (chapters 14+) will be about algebras."
)


def find_labels(statement: str) -> list[tuple[str, str]]:
    found = compare_values(statement, SourceText(text=GUIDE, language="en"))
    return [(one.draft.text, one.like.text) for one in found.unstated if one.like]


@pytest.mark.parametrize(
    ("statement", "label", "other"),
    [
        ("Link building and authority that is lasting are treated in chapter 4.", "chapter 4", "Chapter 6"),
        ("A simulation run is scheduled for week 3 of the marathon plan.", "week 3", "week 5"),
        ("More time is given to those who send Form 8648.", "Form 8648", "Form 4868"),
        ("The tool is recommended as v12.22.1.", "v12.22.1", "v10.22.1"),
    ],
)  # fmt: skip
def test_a_label_of_another_number_is_found(statement: str, label: str, other: str) -> None:
    assert find_labels(statement) == [(label, other)]


@pytest.mark.parametrize(
    "statement",
    [
        "Link building and authority that is lasting are treated in chapter 6.",
        "Algebras make their entrance in chapter 15.",
        "A simulation run is scheduled for week 5 of the marathon plan.",
        "Writing titles is the matter of chapter 4, and links follow in chapter 6.",
        "The tool is recommended as 10.22.1.",
    ],
)
def test_a_label_of_the_source_is_no_difference(statement: str) -> None:
    assert find_labels(statement) == []
