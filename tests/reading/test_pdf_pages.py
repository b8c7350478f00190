"""Pages of a PDF: running lines, breaks and text at other angles."""

from __future__ import annotations

from tests.documents import FILLER, Pdf, open_document


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

    found = open_document(made.build())

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

    assert (
        open_document(made.build()).markdown
        == "The sentence begins here and ends on the next page."
    )


def test_a_page_set_sideways_is_read_along_its_lines() -> None:
    made = Pdf()
    for n, line in enumerate(("The first of the lines", "and the second of them.")):
        made.draw(f"BT /F1 10 Tf 0 1 -1 0 {100 + 12 * n} 100 Tm ({line}) Tj ET")

    assert open_document(made.build()).markdown == "The first of the lines and the second of them."


def test_a_watermark_across_the_page_is_left_out() -> None:
    made = Pdf().lines(60, 80, [FILLER, "The end of it."])
    made.draw("BT /F1 60 Tf 0.7 0.7 -0.7 0.7 100 200 Tm (DRAFT) Tj ET")

    assert open_document(made.build()).markdown == f"{FILLER} The end of it."


def test_text_up_the_margin_is_a_line_of_its_own() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 3)
    made.draw("BT /F1 10 Tf 0 1 -1 0 40 400 Tm (Label up the margin) Tj ET")

    assert open_document(made.build()).markdown.endswith("\n\nLabel up the margin")


def test_a_watermark_that_is_left_out_is_mentioned() -> None:
    made = Pdf().lines(60, 60, [FILLER] * 3)
    made.draw("BT /F1 60 Tf 0.7 0.7 -0.7 0.7 100 200 Tm (DRAFT) Tj ET")

    assert open_document(made.build()).notes == (
        "1 word at an angle, such as a watermark, was left out.",
    )
