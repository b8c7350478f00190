from __future__ import annotations

import re

from tests.research.page_sets import answer_texts, take_section


def answer(question: str, *texts: str, titles: tuple[str, ...] = ()) -> str:
    return take_section(answer_texts(question, *texts, titles=titles).synthesis, "Answer")


def test_a_sentence_that_points_back_comes_with_the_one_before() -> None:
    page = (
        "The lining of a cell is thin. It forms on the first charge of the battery and then grows."
    )

    assert answer("When does the lining of a battery cell form?", page).startswith(
        "- The lining of a cell is thin. It forms on the first charge"
    )


def test_without_a_sentence_before_the_subject_stands_in_brackets() -> None:
    page = "# Cell lining\n\nIt forms on the first charge of the battery and then grows slowly."

    assert answer("When does the cell lining form?", page).startswith("- [Cell lining] It forms")


def test_the_subject_is_named_when_only_the_heading_holds_it() -> None:
    page = (
        "# Street trees\n\n## Costs\n\nPlanting and care cost 800 dollars in the first five years."
    )
    text = answer("What do street trees cost?", page)

    assert "Planting and care cost 800 dollars" in text


def test_steps_keep_their_order_and_their_numbers() -> None:
    page = (
        "# Bread\n\nTo bake bread at home, follow these steps:\n\n1. Mix the flour and water.\n"
        "2. Let the dough rest.\n3. Bake the bread in the oven."
    )
    text = answer("How do I bake bread at home?", page)

    assert re.search(
        r"1\. Mix the flour and water\.\n +2\. Let the dough rest\.\n +3\. Bake the bread in the oven\. \[src_1\]",
        text,
    )


def test_a_list_is_a_list_with_a_citation_on_each_line() -> None:
    page = (
        "# Reefs\n\nThere are three kinds of reefs:\n\n- fringing reefs\n- barrier reefs\n- atolls"
    )
    text = answer("What are the kinds of reefs?", page)

    for kind in ("fringing reefs", "barrier reefs", "atolls"):
        assert f"  - {kind} [src_1]" in text
    assert "There are three kinds of reefs: [src_1]" in text


def test_rows_are_a_table_under_the_header_of_the_page() -> None:
    page = (
        "# Reefs of the world\n\n| Reef | Length of reef |\n|---|---|\n"
        "| Great Barrier | 2,300 km |\n| Belize |  |"
    )
    text = answer("What is the length of the Great Barrier reef?", page)

    assert "| Reef | Length of reef |\n|---|---|\n" in text
    assert "| Great Barrier | 2,300 km [src_1] |" in text
    assert "|  |" not in text


def test_rows_without_a_header_are_sentences_without_empty_cells() -> None:
    page = (
        "# Reefs\n\n| Great Barrier reef length | | 2,300 km |\n| Belize reef length | 300 km | |"
    )
    text = answer("What is the length of the Great Barrier reef?", page)

    assert "Great Barrier reef length; 2,300 km" in text
    assert "; ;" not in text


def test_a_bar_inside_a_cell_does_not_break_the_table() -> None:
    page = "# Reefs\n\n| Reef | Length |\n|---|---|\n| Barrier \\| outer reef | 300 km |"

    assert "Barrier \\| outer reef" in answer("How long is the outer barrier reef?", page)


def test_no_markup_of_the_page_is_left_in_a_quotation() -> None:
    page = (
        "# Plants\n\n**Snake Plant:** A [low-maintenance](https://example.org/a_(b)) plant for"
        " *dark* rooms.[3] ![photo](/p.png) It needs water `twice` a month."
    )
    text = answer("Which low-maintenance plant is good for dark rooms?", page)

    assert "Snake Plant: A low-maintenance plant for dark rooms." in text
    for debris in ("**", "](", "![", "`", "[3]", "example.org"):
        assert debris not in text
