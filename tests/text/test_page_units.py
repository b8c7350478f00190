from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.text.passages.markdown_blocks import (
    BlockKind,
    find_markdown_blocks,
    render_plain_text,
)
from citewell.text.passages.page_units import PageUnit, join_unit_texts, split_page_units

PAGE = """# Reefs

A reef is a ridge of rock. It [lies](/a) below **the water**.

## Kinds

There are three kinds:

- Fringing reefs
  grow along the shore.
\\* Barrier reefs
    * with a lagoon
1. Atolls

| Reef | Length |
|------|-------:|
| Great Barrier | 2,300 km |
| Belize |  |

```
code = 1
```
"""


def units(text: str) -> tuple[PageUnit, ...]:
    return split_page_units(text)


def test_the_text_at_the_offsets_of_a_unit_renders_to_its_words() -> None:
    found = units(PAGE)

    assert len(found) == 10
    for unit in found:
        raw = PAGE[unit.start : unit.end]
        if unit.kind is BlockKind.ROW:
            assert raw.startswith("|")
            assert all(cell in raw for cell in unit.cells)
        elif unit.kind is BlockKind.CODE:
            assert raw == unit.text
        else:
            assert render_plain_text(raw) == unit.text


def test_every_unit_has_the_headings_above_it() -> None:
    found = units(PAGE)

    assert found[0].headings == ("Reefs",)
    assert {unit.headings for unit in found[2:]} == {("Reefs", "Kinds")}


def test_a_heading_closes_the_deeper_ones_before_it() -> None:
    text = "# A\n\n## B\n\n### C\n\nIn c it is so.\n\n## D ##\n\nIn d it is so."

    assert [unit.headings for unit in units(text)] == [("A", "B", "C"), ("A", "D")]


def test_items_are_found_behind_every_kind_of_bullet() -> None:
    items = [unit for unit in units(PAGE) if unit.kind is BlockKind.ITEM]

    assert [(item.text, item.is_ordered) for item in items] == [
        ("Fringing reefs grow along the shore.", False),
        ("Barrier reefs", False),
        ("with a lagoon", False),
        ("Atolls", True),
    ]


def test_rows_have_their_cells_and_the_header_of_their_table() -> None:
    rows = [unit for unit in units(PAGE) if unit.kind is BlockKind.ROW]

    assert [row.cells for row in rows] == [("Great Barrier", "2,300 km"), ("Belize", "")]
    assert {row.table_header for row in rows} == {("Reef", "Length")}
    assert rows[0].text == "Great Barrier; 2,300 km"


def test_a_table_without_a_header_has_rows_only() -> None:
    rows = units("| a1 | b \\| c |\n| a2 | b2 |")

    assert [row.cells for row in rows] == [("a1", "b | c"), ("a2", "b2")]
    assert {row.table_header for row in rows} == {()}


def test_a_second_table_does_not_take_the_header_of_the_first() -> None:
    text = "| A |\n|---|\n| one |\n\nThen comes another table here.\n\n| two |"

    assert [unit.table_header for unit in units(text) if unit.cells] == [("A",), ()]


def test_code_is_one_block_whatever_stands_in_it() -> None:
    text = "~~~\n# no heading\n\n- no item\n~~~\nAfter the code it goes on."
    found = find_markdown_blocks(text)

    assert [block.kind for block in found] == [BlockKind.CODE, BlockKind.PARAGRAPH]
    assert found[1].headings == ()


def test_a_short_label_above_text_is_its_heading() -> None:
    found = units("# Reef\n\nOpening hours\n\nWe open at nine every day.")

    assert [(unit.text, unit.headings) for unit in found] == [
        ("We open at nine every day.", ("Reef", "Opening hours"))
    ]


def test_a_lone_question_above_its_answer_is_its_heading() -> None:
    found = units("**How old is the reef?**\n\nAbout 8,000 years.")

    assert [(unit.text, unit.headings) for unit in found] == [
        ("About 8,000 years.", ("How old is the reef?",))
    ]


def test_labels_with_nothing_below_them_are_text() -> None:
    found = units("Weight 12 kg\n\nHeight 30 cm\n\n# Next")

    assert [unit.text for unit in found] == ["Weight 12 kg", "Height 30 cm"]


def test_a_short_sentence_is_no_label() -> None:
    found = units("It rained.\n\nThe reef grew all year.")

    assert [unit.text for unit in found] == ["It rained.", "The reef grew all year."]
    assert {unit.headings for unit in found} == {()}


def test_a_paragraph_with_a_colon_before_a_list_stays_text() -> None:
    found = units("You need:\n\n- flour\n- water")

    assert [unit.text for unit in found] == ["You need:", "flour", "water"]


@pytest.mark.parametrize("text", ["▢ The reef grows.", "- – The reef grows.", "✓ The reef grows."])
def test_a_bullet_that_is_written_as_text_is_no_part_of_the_unit(text: str) -> None:
    (unit,) = units(text)

    assert unit.text == text[unit.start : unit.end] == "The reef grows."


def test_sentences_are_joined_as_their_script_joins_them() -> None:
    spaced = "The reef grows. It is old."
    unspaced = "サンゴ礁は海の中にある。約8000年前にできた。"

    assert join_unit_texts(units(spaced)) == spaced
    assert join_unit_texts(split_page_units(unspaced, language="ja")) == unspaced


def test_an_image_alone_is_no_unit() -> None:
    assert units("![A photo of a reef](/a.png)") == ()


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("サンゴ礁は海の中にある。約8000年前にできた。", "ja", "約8000年前にできた。"),
        ("珊瑚礁在海里。它有八千年历史。", "zh", "它有八千年历史。"),
        ("Das Riff ist alt. Es hat ca. 8.000 Jahre.", "de", "Es hat ca. 8.000 Jahre."),
        ("El arrecife es antiguo. ¿Cuánto mide?", "es", "¿Cuánto mide?"),
    ],
)
def test_sentences_are_split_in_other_languages(text: str, language: str, words: str) -> None:
    found = split_page_units(text, language=language)

    assert len(found) == 2
    assert found[1].text == words
    assert found[1].stems
    assert text[found[1].start : found[1].end] == words


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab. #*-|1)\n`?:[](é。\\", max_size=120))
def test_units_of_any_text_stand_in_order_and_apart(text: str) -> None:
    found = units(text)

    for before, after in pairwise(found):
        assert before.end <= after.start
    for unit in found:
        assert 0 <= unit.start < unit.end <= len(text)
        if unit.kind in {BlockKind.PARAGRAPH, BlockKind.ITEM}:
            assert render_plain_text(text[unit.start : unit.end]) == unit.text
