"""PDFs keep their headings, columns, tables, lists, code and links, and lose what nobody can see."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.errors import InvalidInput
from citewell.fetch.documents.document_text import (
    Broken,
    DocumentLimits,
    DocumentText,
    EncryptedDocument,
    ScannedDocument,
)
from citewell.fetch.documents.readers_by_kind import DocumentRequest, read_document_request
from tests.documents import Pdf, pdf

FILLER = "words that fill the line of a paragraph until its right edge is nearly reached now"


def read_pdf(body: bytes, pages: str | None = None) -> DocumentText:
    return read_document_request(
        DocumentRequest(body, "https://example.org/file", "", DocumentLimits(), pages)
    )


def test_larger_and_bold_lines_become_headings_of_their_rank() -> None:
    made = Pdf(title="The title", author="An author")
    made.text(200, 70, "A Report", size=22, font="F2").text(
        60, 110, "First Part", size=16, font="F2"
    )
    made.lines(60, 135, [FILLER] * 4).text(60, 210, "A detail", size=10, font="F2").lines(
        60, 230, [FILLER] * 3
    )

    found = read_pdf(made.build())

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

    found = read_pdf(made.lines(60, 130, [FILLER] * 3).build())

    assert found.markdown.startswith("# The Title\n\n# Introduction\n\nwords")
    assert found.title == "The Title"


def test_two_columns_are_read_one_after_the_other_though_written_line_by_line() -> None:
    made = Pdf().text(60, 60, "A heading that spans both of the columns", size=16, font="F2")
    for n in range(12):
        made.text(60, 100 + 12 * n, f"L{n} in the left column of the page", size=10)
        made.text(320, 100 + 12 * n, f"R{n} in the right column of the page", size=10)

    found = read_pdf(made.build()).markdown

    places = [found.index(f"{side}{n} ") for side in "LR" for n in range(12)]
    assert places == sorted(places)
    assert found.startswith("# A heading that spans both of the columns")


def test_a_ruled_table_becomes_a_gfm_table_in_its_place() -> None:
    made = Pdf().lines(60, 80, [FILLER])
    made.grid([60, 160, 260, 360], [100, 120, 140, 160])
    for row, cells in enumerate(
        [("Name", "Count", "Note"), ("first", "1", "a | b"), ("second", "2", "")]
    ):
        for column, cell in enumerate(cells):
            made.text(64 + 100 * column, 114 + 20 * row, cell)

    found = read_pdf(made.lines(60, 190, ["After the table."]).build()).markdown

    expected = (
        "| Name | Count | Note |\n| --- | --- | --- |\n| first | 1 | a \\| b |\n| second | 2 |  |"
    )
    assert f"{FILLER}\n\n{expected}\n\nAfter the table." == found


def test_columns_that_keep_in_line_become_a_table_without_rules() -> None:
    made = Pdf().lines(60, 80, [FILLER])
    for row, cells in enumerate(
        [("Land", "People"), ("North", "1007"), ("South", "2040"), ("West", "3")]
    ):
        made.text(60, 120 + 14 * row, cells[0]).text(200, 120 + 14 * row, cells[1])

    found = read_pdf(made.build()).markdown

    assert (
        "| Land | People |\n| --- | --- |\n| North | 1007 |\n| South | 2040 |\n| West | 3 |"
        in found
    )


def test_lists_keep_their_items_and_continuation_lines() -> None:
    made = Pdf().text(60, 80, "\x95 first item that goes on").text(72, 92, "to a second line")
    made.text(60, 104, "\x95 second item").text(60, 130, "1. one").text(60, 142, "2. two")

    found = read_pdf(made.build()).markdown

    assert found == "- first item that goes on to a second line\n- second item\n1. one\n2. two"


def test_code_keeps_its_lines_and_indentation() -> None:
    made = Pdf().lines(60, 60, [FILLER, FILLER]).text(60, 100, "def f(x):", font="F3")
    made.text(84, 112, "return x", font="F3")

    assert read_pdf(made.build()).markdown.endswith("```\ndef f(x):\n    return x\n```")


def test_links_lead_where_the_annotation_says() -> None:
    made = Pdf().text(60, 80, "See").text(80, 80, "the page").text(122, 80, "for more.")
    made.link(79, 70, 120, 83, "https://example.org/a(b)").link(
        121, 70, 160, 83, "javascript:alert(1)"
    )

    assert (
        read_pdf(made.build()).markdown == "See [the page](https://example.org/a%28b%29) for more."
    )


def test_a_word_broken_at_the_line_end_is_made_whole() -> None:
    made = Pdf().lines(60, 80, ["This sentence ends in a hyphen-", "ated word."])

    assert read_pdf(made.build()).markdown == "This sentence ends in a hyphenated word."


def test_hebrew_is_read_from_right_to_left_and_latin_inside_it_is_not() -> None:
    alphabet = "אבגדה vu"
    made = (
        Pdf(alphabet=alphabet).text(310, 80, "אבגד"[::-1], font="F4").text(270, 80, "uv", font="F4")
    )
    made.text(290, 80, "vu", font="F4").text(243, 80, "הגב"[::-1], font="F4")

    assert read_pdf(made.build()).markdown == "אבגד uv vu הגב"


def test_chinese_lines_are_joined_without_a_space() -> None:
    made = (
        Pdf(alphabet="中文測試段落")
        .text(60, 80, "中文測", font="F4")
        .text(60, 92, "試段落", font="F4")
    )

    assert read_pdf(made.build()).markdown == "中文測試段落"


@pytest.mark.parametrize(
    "hide",
    [
        lambda made: made.text(60, 300, "SECRET words", extra="1 1 1 rg"),
        lambda made: made.text(60, 300, "SECRET words", extra="3 Tr"),
        lambda made: made.text(60, 300, "SECRET words", size=0.5),
        lambda made: made.text(-300, 300, "SECRET words"),
        lambda made: made.text(60, 2000, "SECRET words"),
    ],
    ids=["white", "unpainted", "tiny", "left of the page", "below the page"],
)
def test_text_that_nobody_can_see_is_left_out_and_counted(hide: Any) -> None:
    made = Pdf().lines(60, 80, ["What is there to see."])

    found = read_pdf(hide(made).build())

    assert found.markdown == "What is there to see."
    assert found.notes == ("2 words that are invisible on the page were left out.",)


def test_white_text_on_a_dark_ground_is_kept() -> None:
    made = (
        Pdf().draw("0 0 0.5 rg 50 700 300 60 re f").text(60, 110, "A light line", extra="1 1 1 rg")
    )

    assert read_pdf(made.build()).markdown == "A light line"


def test_recognised_text_under_a_scan_is_kept() -> None:
    made = Pdf().image().text(60, 100, "Recognised words", extra="3 Tr")

    assert read_pdf(made.build()).markdown == "Recognised words"


def test_running_headers_and_page_numbers_go_and_headings_stay() -> None:
    made = Pdf()
    for n in range(5):
        made.text(60, 30, "Journal of Examples", size=8).text(
            290, 825, f"Page {n + 1} of 5", size=8
        )
        made.text(60, 75, f"Part {n + 1}", size=16, font="F2").lines(
            60, 110, [f"Text {n}. {FILLER}."]
        )
        if n < 4:
            made.page()

    found = read_pdf(made.build())

    assert "Journal" not in found.markdown
    assert "Page" not in found.markdown
    assert [f"# Part {n}" in found.markdown for n in range(1, 6)] == [True] * 5
    assert found.page_count == 5


def test_a_paragraph_cut_by_a_page_break_is_joined() -> None:
    made = (
        Pdf()
        .text(60, 80, "The sentence begins here and")
        .page()
        .text(60, 80, "ends on the next page.")
    )

    assert read_pdf(made.build()).markdown == "The sentence begins here and ends on the next page."


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ("2", "p2"),
        ("1-2", "p1 p2"),
        ("3-", "p3 p4"),
        ("-1", "p1"),
        ("4,1", "p1 p4"),
        ("2-99", "p2 p3 p4"),
        ("", "p1 p2 p3 p4"),
    ],
)
def test_only_the_pages_asked_for_are_read(pages: str, expected: str) -> None:
    made = Pdf().text(60, 100, "p1.")
    for n in (2, 3, 4):
        made.page().text(60, 100, f"p{n}.")

    found = read_pdf(made.build(), pages)

    assert found.markdown.replace(".", "").split() == expected.split()
    assert found.page_count == 4


@pytest.mark.parametrize("pages", ["0", "3-1", "a", "1;2", "9", "1-2-3", "--"])
def test_page_ranges_that_make_no_sense_are_refused(pages: str) -> None:
    with pytest.raises(InvalidInput):
        read_pdf(pdf(), pages)


def test_an_encrypted_pdf_says_so() -> None:
    with pytest.raises(EncryptedDocument, match="password"):
        read_pdf(Pdf().text(60, 80, "x").build(encrypted=True))


def test_a_scanned_pdf_says_so() -> None:
    with pytest.raises(ScannedDocument, match="scanned"):
        read_pdf(Pdf().image().build())


def test_a_pdf_without_anything_says_so() -> None:
    with pytest.raises(ScannedDocument, match="no text layer"):
        read_pdf(Pdf().build())


@pytest.mark.parametrize("body", [b"%PDF-1.7\n", b"%PDF-1.7\n" + b"garbage " * 500, pdf()[:200]])
def test_a_broken_pdf_says_so(body: bytes) -> None:
    with pytest.raises(Broken, match="damaged"):
        read_pdf(body)


def test_junk_before_the_header_is_passed_over() -> None:
    assert read_pdf(b"junk\r\n" * 20 + pdf("Some text.")).markdown == "Some text."


def test_no_more_pages_are_read_than_the_limit_allows() -> None:
    made = Pdf().text(60, 80, "one.").page().text(60, 80, "two.").page().text(60, 80, "three.")

    found = read_document_request(
        DocumentRequest(made.build(), "", "", DocumentLimits(max_pages=2), None)
    )

    assert found.markdown == "one.\n\ntwo."
    assert found.notes == ("Only the first 2 pages were read.",)


def test_a_page_set_sideways_is_read_along_its_lines() -> None:
    made = Pdf()
    for n, line in enumerate(("The first of the lines", "and the second of them.")):
        made.draw(f"BT /F1 10 Tf 0 1 -1 0 {100 + 12 * n} 100 Tm ({line}) Tj ET")

    assert read_pdf(made.build()).markdown == "The first of the lines and the second of them."


def test_a_watermark_across_the_page_is_left_out() -> None:
    made = Pdf().lines(60, 80, [FILLER, "The end of it."])
    made.draw("BT /F1 60 Tf 0.7 0.7 -0.7 0.7 100 200 Tm (DRAFT) Tj ET")

    assert read_pdf(made.build()).markdown == f"{FILLER} The end of it."
