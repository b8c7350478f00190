"""What nobody would see goes; what only looks hidden stays."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.hidden_text import RemovedText, remove_hidden_text
from tests.reading import hidden_pages
from tests.reading.hidden_pages import MARKER, SHOWN, page
from tests.reading.hidden_technique_pages import MORE_HIDDEN
from tests.reading.look_alike_pages import MORE_SEEN
from tests.requirements import requires

HIDDEN = {**hidden_pages.HIDDEN, **MORE_HIDDEN}
SEEN = {**hidden_pages.SEEN, **MORE_SEEN}


def cleaned(html: str) -> tuple[str, RemovedText]:
    tree = LexborHTMLParser(html)
    removed = remove_hidden_text(tree)
    assert tree.body is not None
    return tree.body.html or "", removed


@requires("scrape_page.sanitised", "scrape_page.hidden_by_layout", "defect.hidden_text")
@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_text_goes_and_the_rest_stays(name: str) -> None:
    html, removed = cleaned(HIDDEN[name])

    assert MARKER not in html
    assert SHOWN in html
    assert name == "input-hidden" or sum(removed.counts.values()) >= 1


@requires("scrape_page.hidden_by_layout", "defect.hidden_text")
@pytest.mark.parametrize("name", SEEN)
def test_what_can_be_seen_stays(name: str) -> None:
    html, _ = cleaned(SEEN[name])

    assert MARKER in html


def test_the_suite_is_as_large_as_promised() -> None:
    assert len(HIDDEN) >= 410
    assert len(SEEN) >= 255
    assert not hidden_pages.HIDDEN.keys() & MORE_HIDDEN.keys()
    assert not hidden_pages.SEEN.keys() & MORE_SEEN.keys()


@requires("scrape_page.sanitised")
def test_counts_name_the_technique() -> None:
    _, removed = cleaned(
        page("<p hidden>one</p><p style='opacity:0'>two</p><!-- c --><p hidden></p>")
    )

    assert removed.counts == {"display": 1, "opacity": 1, "comment": 1}
    assert removed.removed_chars == len("one") + len("two")


def test_a_page_without_tricks_is_left_as_it_was() -> None:
    tree = LexborHTMLParser(page("<p>One</p><ul><li>Two</li></ul>"))
    before = tree.html

    removed = remove_hidden_text(tree)

    assert tree.html == before
    assert removed.counts == {}


def test_only_the_hidden_words_of_a_paragraph_go() -> None:
    html, _ = cleaned(page('<p style="color:#fff">lost <b style="color:#000">kept</b> lost</p>'))

    assert "kept" in html
    assert "lost" not in html


def test_a_page_that_was_nearly_all_hidden_says_so() -> None:
    _, removed = cleaned(f"<body><p>Wait</p><div style='display:none'>{SHOWN * 20}</div></body>")

    assert removed.is_mostly_hidden


def test_nested_hidden_elements_are_removed_once() -> None:
    deep = '<div style="display:none">' * 50 + "x" + "</div>" * 50

    html, removed = cleaned(page(deep))

    assert removed.counts == {"display": 1}
    assert "display:none" not in html


@pytest.mark.slow
def test_a_hostile_sheet_costs_little() -> None:
    rules = "".join(
        f".a{n} .b{n} > .c:nth-child({n}){{color:#fff;display:none}}" for n in range(20_000)
    )
    body = "".join(f'<div class="a{n} b{n} c">word</div>' for n in range(3000))

    started = time.process_time()
    cleaned(page(body, style=rules))

    assert time.process_time() - started < 20


_STYLE = st.text(alphabet="abcdisplay:none;{}()#.!-%01px \\\"'/*@<>&", max_size=60)


@settings(max_examples=150, deadline=None)
@given(style=_STYLE, sheet=_STYLE, text=st.text(max_size=20))
def test_no_style_breaks_it_and_no_text_is_added(style: str, sheet: str, text: str) -> None:
    tree = LexborHTMLParser(f'<style>{sheet}</style><p style="{style}">{text}</p><p>stays</p>')
    before = tree.body.text(deep=True) if tree.body is not None else ""

    remove_hidden_text(tree)

    after = tree.body.text(deep=True) if tree.body is not None else ""
    rest = iter(before)
    assert all(char in rest for char in after)
