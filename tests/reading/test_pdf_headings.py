"""Headings of a PDF by their tags, outline, look and number, and its habits with hyphens."""

from __future__ import annotations

import pytest

from tests.documents import FILLER, Pdf, open_document


def test_larger_and_bold_lines_become_headings_of_their_rank() -> None:
    made = Pdf(title="The title", author="An author")
    made.text(200, 70, "A Report", size=22, font="F2").text(
        60, 110, "First Part", size=16, font="F2"
    )
    made.lines(60, 135, [FILLER] * 4).text(60, 210, "A detail", size=10, font="F2").lines(
        60, 230, [FILLER] * 3
    )

    found = open_document(made.build())

    headings = [line for line in found.markdown.splitlines() if line.startswith("#")]
    assert headings == ["# A Report", "## First Part", "### A detail"]
    assert (found.title, found.author, found.created) == (
        "The title",
        "An author",
        "2024-02-03T04:05:06+00:00",
    )


def test_a_title_and_the_heading_under_it_stay_apart() -> None:
    made = (
        Pdf()
        .text(230, 80, "The Title", size=18, font="F2")
        .text(60, 106, "Introduction", size=18, font="F2")
    )

    found = open_document(made.lines(60, 130, [FILLER] * 3).build())

    assert found.markdown.startswith("# The Title\n\n# Introduction\n\nwords")
    assert found.title == "The Title"


def find_headings(made: Pdf) -> list[str]:
    return [
        line for line in open_document(made.build()).markdown.splitlines() if line.startswith("#")
    ]


def test_headings_that_the_file_tags_keep_their_level() -> None:
    made = Pdf().tagged("H1", 60, 60, "The whole").lines(60, 80, [FILLER] * 3)
    made.tagged("H3", 60, 130, "A part").lines(60, 150, [FILLER] * 3)
    made.tagged("H3", 60, 200, "Another part").lines(60, 220, [FILLER] * 3)
    made.text(60, 270, "Only bold", font="F2").lines(60, 290, [FILLER] * 3)

    assert find_headings(made) == ["# The whole", "### A part", "### Another part"]


def test_a_line_that_the_outline_names_is_a_heading() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 3).text(60, 110, "3 Results of the study")
    made.lines(60, 122, [FILLER] * 3).bookmark("Results of the Study")

    assert find_headings(made) == ["# 3 Results of the study"]


@pytest.mark.parametrize(
    "line", ["II. RELATED WORK", "CONCLUSION AND OUTLOOK", "3.2 How the parts were found"]
)
def test_a_line_set_like_the_text_is_a_heading_by_its_number_or_capitals(line: str) -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4).text(60, 128, line).lines(60, 150, [FILLER] * 4)

    assert find_headings(made) == [f"# {line}"]


@pytest.mark.parametrize(
    "line",
    ["the words go on here", "He came in 1999.", "1. The first of some points", "A sentence."],
)
def test_a_short_line_of_the_text_is_no_heading(line: str) -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4).text(60, 128, line).lines(60, 150, [FILLER] * 4)

    assert find_headings(made) == []


def test_numbers_on_the_axis_of_a_figure_are_no_headings() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4)
    for place, number in enumerate(("0.5", "30", "150 s")):
        made.text(60, 200 + 40 * place, number, size=16)

    assert find_headings(made) == []


def test_a_bold_row_of_figures_is_no_heading() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4)
    made.text(60, 150, "Total of all", font="F2").text(300, 150, "24", font="F2")
    made.text(400, 150, "36", font="F2").lines(60, 180, [FILLER] * 3)

    assert find_headings(made) == []


def test_many_bold_names_below_one_another_are_no_headings() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 4)
    for place in range(6):
        made.text(60, 130 + 30 * place, f"Name of Member {place}", font="F2")

    assert find_headings(made.lines(60, 330, [FILLER] * 3)) == []


def test_numbers_tell_the_rank_of_headings_set_alike() -> None:
    made = Pdf().text(60, 60, "1 First", font="F2").lines(60, 80, [FILLER] * 3)
    made.text(60, 130, "1.1 Inner", font="F2").lines(60, 150, [FILLER] * 3)
    made.text(60, 200, "2 Second", font="F2").lines(60, 220, [FILLER] * 3)

    assert find_headings(made) == ["# 1 First", "## 1.1 Inner", "# 2 Second"]


def test_a_hyphen_at_the_line_end_stays_in_a_word_that_has_it_elsewhere() -> None:
    made = Pdf().lines(
        60, 60, ["A well-known word, and it is well-", "known, but the hyphen-", "ation goes."]
    )

    assert open_document(made.build()).markdown == (
        "A well-known word, and it is well-known, but the hyphenation goes."
    )


def test_a_document_that_breaks_no_words_keeps_the_hyphens_at_its_line_ends() -> None:
    made = Pdf()
    for row in range(62):
        made.text(60, 40 + 12 * row, f"Line {row} of a text that goes on and on for a while")
    made.text(60, 784, "and then a double-").text(60, 796, "click on it.")

    assert open_document(made.build()).markdown.endswith("a double-click on it.")


def test_a_hyphen_between_two_words_of_the_document_stays() -> None:
    made = Pdf().lines(
        60, 60, ["The inner part has a border. It is the inner-", "border that is meant here."]
    )

    assert "the inner-border that" in open_document(made.build()).markdown
