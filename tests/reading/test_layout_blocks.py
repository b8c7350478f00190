"""Which blocks are kept, given their chances, and when the choice is said to be partial."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from citewell.reading.html.block_features import PageHints
from citewell.reading.html.layout_blocks import PageLayout
from citewell.reading.html.main_content import choose_blocks, find_likely_losses, read_page_layout

_KINDS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_NO_HINTS = PageHints(title_words=frozenset())


def build_layout(*paragraphs: str) -> PageLayout:
    body = LexborHTMLParser("".join(f"<div>{text}</div>" for text in paragraphs)).body
    assert body is not None
    return read_page_layout(body)


def test_a_clear_choice_is_not_partial() -> None:
    page = build_layout("word " * 100, "menu " * 30)

    chosen = choose_blocks(page, [0.98, 0.02], _KINDS, _NO_HINTS)

    assert [block.text[:4] for block in chosen.kept] == ["word"]
    assert find_likely_losses(page, chosen) == ()


def test_a_choice_that_leaves_out_much_of_the_likely_text_is_partial() -> None:
    sections = [f"<p>{'maybe ' * 30}</p>" for _ in range(10)]
    page = build_layout("word " * 100, *sections)

    chosen = choose_blocks(page, [1.0, *[0.3] * 10], _KINDS, _NO_HINTS)

    assert len(chosen.kept) == 1
    assert chosen.expected_recall < 0.6
    (note,) = find_likely_losses(page, chosen)
    assert "left out" in note


def test_a_page_without_a_likely_block_is_partial() -> None:
    page = build_layout("word " * 100, "else " * 100)

    chosen = choose_blocks(page, [0.2, 0.15], _KINDS, _NO_HINTS)

    (note,) = find_likely_losses(page, chosen)
    assert "hard to tell" in note
