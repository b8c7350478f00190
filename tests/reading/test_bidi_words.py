"""PDFs in Arabic, Hebrew and Persian are read as they were written, however the file stores them."""

from __future__ import annotations

import pytest

from citewell.reading.documents.pdf.bidi_words import (
    assign_letter_levels,
    measure_mirroring_gain,
    mirror_brackets,
    normalize_letter_forms,
    order_by_levels,
    pair_brackets,
)
from tests.documents import Pdf, open_document
from tests.requirements import requires

ALPHABET = "אבגדהוזחטיכלמנסע ()12.5vuxyz"


def read_seen(seen: str, *, rtl: bool = True) -> str:
    levels = assign_letter_levels(seen, rtl=rtl)
    return "".join(seen[place] for place in order_by_levels(levels))


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        ("הוזח דגבא", "אבגד חזוה"),
        ("חזו Windows 10 דגבא", "אבגד Windows 10 וזח"),
        ("חזו 12.5 דגבא", "אבגד 12.5 וזח"),
        ("חזו 1/2/2024 דגבא", "אבגד 1/2/2024 וזח"),
        ("חזו 50% דגבא", "אבגד 50% וזח"),
        ("34 12 דגבא", "אבגד 12 34"),
        ("٣٤٫٥ لحم", "محل ٣٤٫٥"),
        ("the end", "the end"),
    ],
)
def test_a_line_of_a_right_to_left_paragraph_is_read_from_its_right_end(
    seen: str, read: str
) -> None:
    assert read_seen(seen) == read


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        ("say בא and go", "say אב and go"),
        ("say דג בא and go", "say אב גד and go"),
        ("say דג 12 בא now", "say אב 12 גד now"),
        ("plain words 12", "plain words 12"),
    ],
)
def test_words_from_right_to_left_inside_another_script_are_turned_alone(
    seen: str, read: str
) -> None:
    assert read_seen(seen, rtl=False) == read


def test_brackets_are_turned_where_they_match_only_that_way() -> None:
    drawn, meant = ")אב(", "(אב)"
    levels = [1] * 4

    assert measure_mirroring_gain(drawn, levels) > 0
    assert "".join(mirror_brackets(drawn, levels)) == meant
    assert measure_mirroring_gain(meant, levels) < 0


def test_brackets_that_match_neither_way_open_and_close_by_turns() -> None:
    assert "".join(pair_brackets("אב)גד)", [1] * 6, range(6))) == "אב(גד)"


def test_positional_forms_become_letters() -> None:
    assert normalize_letter_forms("ﻣﺮﺣﺒﺎ ﻻ ﬁ") == "مرحبا لا fi"


@requires("scrape_page.right_to_left_pdf")
def test_letters_stored_as_they_are_seen_are_read_from_the_right() -> None:
    made = Pdf(alphabet=ALPHABET)
    made.text(200, 80, "דגבא", font="F4").text(150, 80, "חזוה", font="F4")

    assert open_document(made.build()).markdown == "אבגד הוזח"


@requires("scrape_page.right_to_left_pdf")
def test_letters_stored_as_they_are_read_are_not_turned_around() -> None:
    made = Pdf(alphabet=ALPHABET)
    for place, letter in enumerate("אבגד"):
        made.text(200 - 7 * place, 80, letter, font="F4")
    for place, letter in enumerate("הוזח"):
        made.text(160 - 7 * place, 80, letter, font="F4")

    assert open_document(made.build()).markdown == "אבגד הוזח"


def test_marks_stay_with_their_letter() -> None:
    made = Pdf(alphabet="שלום\u05b8\u05b9")
    made.text(200, 80, "ש", font="F4").text(201, 81, "\u05b8", font="F4")
    made.text(193, 80, "ל", font="F4").text(194, 79, "\u05b9", font="F4")
    made.text(186, 80, "ו", font="F4").text(179, 80, "ם", font="F4")

    assert open_document(made.build()).markdown == "ש\u05b8ל\u05b9ום"


def test_a_joined_lam_and_alef_are_read_lam_first() -> None:
    made = Pdf(alphabet="ﻻﻣسع")
    made.text(200, 80, "سﻻﻣ", font="F4")

    assert open_document(made.build()).markdown == "ملاس"


def test_lines_of_a_justified_paragraph_are_no_table() -> None:
    made = Pdf(alphabet=ALPHABET)
    rows = [
        "אבגדהוז חטי כלמנ סע",
        "חטי אבגדהוז סע כלמנ",
        "סע כלמנ חטי אבגדהוז",
        "כלמנ סע אבגדהוז חטי",
    ]
    for row, words in enumerate(rows):
        right = 400.0
        for word in words.split():
            right -= 7 * len(word)
            made.text(right, 80 + 12 * row, word[::-1], font="F4")
            right -= 13

    assert open_document(made.build()).markdown == " ".join(rows)


def test_the_first_column_of_a_table_is_the_right_one() -> None:
    made = Pdf(alphabet=ALPHABET)
    made.grid([60, 160, 260], [70, 90, 110, 130])
    for row, (first, second) in enumerate([("בא", "דג"), ("וה", "12"), ("חז", "15")]):
        made.text(200, 84 + 20 * row, first, font="F4")
        made.text(100, 84 + 20 * row, second, font="F4")

    assert (
        open_document(made.build()).markdown
        == "| אב | גד |\n| --- | --- |\n| הו | 12 |\n| זח | 15 |"
    )
