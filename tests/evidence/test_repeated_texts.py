from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citewell.evidence.signs.repeated_texts import drop_repeated_paragraphs, split_markdown_blocks

SHARED = "The same paragraph stands in both of them, word for word."
LONG = (
    "The harbour authority said on Monday that the new sea wall will protect the old town from"
    " spring tides and that work is to begin as soon as the council has given its consent"
)


def test_a_paragraph_stays_in_the_first_text_that_has_it() -> None:
    first, second = drop_repeated_paragraphs([f"One.\n\n{SHARED}", f"Two.\n\n{SHARED}\n\nThree."])

    assert first.text == f"One.\n\n{SHARED}"
    assert second.text == "Two.\n\nThree."
    assert (first.dropped_paragraphs, second.dropped_paragraphs, second.main_owner) == (0, 1, 0)


def test_spacing_does_not_hide_a_repetition() -> None:
    _, second = drop_repeated_paragraphs([SHARED, SHARED.replace(" ", "\n", 2)])

    assert second.text == ""


def test_a_repetition_within_one_text_goes_too() -> None:
    (only,) = drop_repeated_paragraphs([f"{SHARED}\n\nBetween.\n\n{SHARED}"])

    assert only.text == f"{SHARED}\n\nBetween."


def test_text_without_repetition_is_returned_as_it_is() -> None:
    text = "One.\n\n\n\nTwo.  \n"

    assert drop_repeated_paragraphs([text])[0].text == text


def test_headings_and_rules_are_no_paragraphs() -> None:
    first, second = drop_repeated_paragraphs(
        ["## Results\n\nOne.\n\n---\n\nx", "## Results\n\nTwo.\n\n---\n\ny"]
    )

    assert second.text == "## Results\n\nTwo.\n\n---\n\ny"
    assert first.dropped_paragraphs == second.dropped_paragraphs == 0


def test_a_heading_goes_with_all_that_stood_below_it() -> None:
    _, second = drop_repeated_paragraphs(
        [
            SHARED,
            f"# Title\n\nOwn.\n\n## A\n\n{SHARED}\n\n## B\n\n### C\n\n{SHARED}\n\n## D\n\nLeft.",
        ]
    )

    assert second.text == "# Title\n\nOwn.\n\n## D\n\nLeft."


def test_a_heading_stays_for_the_sections_below_it() -> None:
    _, second = drop_repeated_paragraphs([SHARED, f"# Title\n\n{SHARED}\n\n## A\n\nOwn."])

    assert second.text == "# Title\n\n## A\n\nOwn."


def test_a_code_block_is_one_piece() -> None:
    code = "```python\nfirst()\n\nsecond()\n```"

    assert list(split_markdown_blocks(f"Before.\n\n{code}\n\nAfter.")) == [
        "Before.",
        code,
        "After.",
    ]


def test_a_fence_within_a_longer_fence_closes_nothing() -> None:
    code = "````md\n```\n\nx\n```\n\ny\n````"

    assert list(split_markdown_blocks(code)) == [code]


def test_lines_within_different_code_blocks_are_not_compared() -> None:
    first = "```\nimport os\n\nrun()\n```"
    second = "```\nimport os\n\nstop()\n```"

    assert [part.text for part in drop_repeated_paragraphs([first, second])] == [first, second]


def test_nearly_equal_paragraphs_stay_unless_asked_for() -> None:
    other = LONG.replace("Monday", "Tuesday")

    assert drop_repeated_paragraphs([LONG, other])[1].text == other
    assert drop_repeated_paragraphs([LONG + " now", LONG], drop_similar=True)[1].text == ""


def test_another_figure_is_another_fact() -> None:
    first, second = f"{LONG}, for 20 million.", f"{LONG}, for 30 million."

    assert drop_repeated_paragraphs([first, second], drop_similar=True)[1].text == second


def test_short_paragraphs_are_never_nearly_equal() -> None:
    assert (
        drop_repeated_paragraphs(["Yes, it is so.", "Yes, it is so!"], drop_similar=True)[1].text
        == "Yes, it is so!"
    )


@given(
    st.lists(st.lists(st.sampled_from(["a b", "c", "# h", "d\ne", "## i"]), max_size=8), max_size=4)
)
def test_what_is_left_holds_every_paragraph_once(texts: list[list[str]]) -> None:
    parts = drop_repeated_paragraphs(["\n\n".join(text) for text in texts])

    left = [
        block
        for part in parts
        for block in split_markdown_blocks(part.text)
        if not block.startswith("#")
    ]
    wanted = {block for text in texts for block in text if not block.startswith("#")}
    assert sorted(left) == sorted(wanted)
