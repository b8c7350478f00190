"""A page of any length keeps all of its main region, and what is cut is said."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from citewell.reading.html.block_choice import guess_blocks, score_blocks
from citewell.reading.html.block_features import FEATURE_COLUMNS
from citewell.reading.html.layout_blocks import MAX_PAGE_BLOCKS
from citewell.reading.html.main_content import MainContent, extract_main_content
from tests.requirements import requires

TRAINING = Path(__file__).parents[2] / "training"

_WORD_LIST = (
    "harbour tide moon water engine valley measure river pressure season stone mirror signal "
    "window lantern pattern method result figure question answer reason surface motion sailor "
    "market village record letter garden bridge winter summer morning evening quarter"
)
_WORDS = _WORD_LIST.split()
_MENU = (
    '<header><nav><ul><li><a href="/">Home</a></li><li><a href="/b">Books</a></li></ul></nav>'
    "</header>"
)
_FOOTER = (
    '<footer class="site-footer"><p>Terms of use and privacy of the example press</p></footer>'
)


def write_sentences(rng: random.Random, number: int) -> str:
    """One to four sentences that name the number of their paragraph."""
    sentences = []
    for _ in range(rng.randint(1, 4)):
        words = rng.choices(_WORDS, k=rng.randint(6, 22))
        sentences.append(f"The {' '.join(words)}, as mark{number}x shows, {rng.choice(_WORDS)}.")
    return " ".join(sentences)


def build_book_page(count: int) -> str:
    rng = random.Random(count)
    body = "".join(f"<p>{write_sentences(rng, number)}</p>\n" for number in range(count))
    return (
        f"<html><head><title>A long book</title></head><body>{_MENU}<main><article>"
        f"<h1>A long book</h1>{body}</article></main>{_FOOTER}</body></html>"
    )


def build_manual_page(count: int) -> str:
    """A manual: every tenth part is a heading, and lists, tables and code stand among the prose."""
    rng = random.Random(count)
    parts = []
    for number in range(count):
        text = write_sentences(rng, number)
        match number % 10:
            case 0:
                parts.append(f"<h2>Chapter mark{number}x</h2>")
            case 3:
                items = "".join(f"<li>{rng.choice(_WORDS)} of item {k}</li>" for k in range(4))
                parts.append(f"<ul>{items}<li>mark{number}x</li></ul>")
            case 5:
                parts.append(f"<pre><code>run --mark{number}x {rng.choice(_WORDS)}</code></pre>")
            case 7:
                row = "".join(f"<td>{rng.choice(_WORDS)}</td>" for _ in range(3))
                head = "<tr><th>Name</th><th>Unit</th><th>Value</th></tr>"
                parts.append(
                    f"<table>{head}<tr>{row}</tr><tr><td>mark{number}x</td><td>m</td><td>{number}"
                    "</td></tr></table>"
                )
            case 8:
                parts.append(f"<dl><dt><code>mark{number}x</code></dt><dd>{text}</dd></dl>")
            case _:
                parts.append(f"<p>{text}</p>")
    return (
        "<html><head><title>The manual</title></head><body>"
        f'{_MENU}<div class="document"><main><div class="body" role="main"><h1>The manual</h1>'
        f"{''.join(parts)}</div></main></div>{_FOOTER}</body></html>"
    )


def list_lost_marks(found: MainContent, count: int) -> list[int]:
    seen = {int(number) for number in re.findall(r"mark(\d+)x", found.markdown)}
    return [number for number in range(count) if number not in seen]


@requires("scrape_page.long_pages")
@pytest.mark.parametrize("count", [100, 200, 1_000, 3_000, 10_000])
def test_no_paragraph_of_a_long_article_is_lost(count: int) -> None:
    found = extract_main_content(build_book_page(count), url="https://press.example/book")

    assert list_lost_marks(found, count) == []
    assert "Terms of use" not in found.markdown
    assert not found.is_partial


@requires("scrape_page.long_pages")
@pytest.mark.parametrize("count", [100, 1_000, 10_000])
def test_no_part_of_a_long_manual_is_lost(count: int) -> None:
    found = extract_main_content(build_manual_page(count), url="https://docs.example/manual.html")

    assert list_lost_marks(found, count) == []
    assert not found.is_partial


@pytest.mark.parametrize("base", [0.0, 0.5, 5.0])
def test_no_tree_asks_beyond_the_limit_of_a_column(base: float) -> None:
    row = [base] * len(FEATURE_COLUMNS)
    limits = json.loads((TRAINING / "column_limits.json").read_text("utf-8"))
    for name, limit in limits.items():
        row[FEATURE_COLUMNS.index(name)] = limit
    endless = [1e9 if name in limits else base for name in FEATURE_COLUMNS]

    assert guess_blocks([row]) == guess_blocks([endless])
    assert score_blocks([row]) == score_blocks([endless])


def test_a_page_with_more_blocks_than_are_read_says_so() -> None:
    page = "<main>" + "<p>word</p>" * (MAX_PAGE_BLOCKS + 10) + "</main>"

    found = extract_main_content(page)

    assert found.is_partial
    assert any("blocks" in note for note in found.notes)
