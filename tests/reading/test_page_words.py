"""Words of a PDF page: seen and unseen, with their links and in every script."""

from __future__ import annotations

from typing import Any

import pytest

from tests.documents import Pdf, open_document


def test_links_lead_where_the_annotation_says() -> None:
    made = Pdf().text(60, 80, "See").text(80, 80, "the page").text(122, 80, "for more.")
    made.link(79, 70, 120, 83, "https://example.org/a(b)").link(
        121, 70, 160, 83, "javascript:alert(1)"
    )

    assert (
        open_document(made.build()).markdown
        == "See [the page](https://example.org/a%28b%29) for more."
    )


def test_hebrew_is_read_from_right_to_left_and_latin_inside_it_is_not() -> None:
    alphabet = "אבגדה vu"
    made = (
        Pdf(alphabet=alphabet).text(310, 80, "אבגד"[::-1], font="F4").text(270, 80, "uv", font="F4")
    )
    made.text(290, 80, "vu", font="F4").text(243, 80, "הגב"[::-1], font="F4")

    assert open_document(made.build()).markdown == "אבגד uv vu הגב"


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

    found = open_document(hide(made).build())

    assert found.markdown == "What is there to see."
    assert found.notes == ("2 words that are invisible on the page were left out.",)


def test_white_text_on_a_dark_ground_is_kept() -> None:
    made = (
        Pdf().draw("0 0 0.5 rg 50 700 300 60 re f").text(60, 110, "A light line", extra="1 1 1 rg")
    )

    assert open_document(made.build()).markdown == "A light line"


def test_recognised_text_under_a_scan_is_kept() -> None:
    made = Pdf().image().text(60, 100, "Recognised words", extra="3 Tr")

    assert open_document(made.build()).markdown == "Recognised words"


def test_text_of_a_negative_size_is_read() -> None:
    made = Pdf().draw("BT /F1 -10 Tf -1 0 0 -1 60 700 Tm (Turned twice and so upright.) Tj ET")

    assert open_document(made.build()).markdown == "Turned twice and so upright."
