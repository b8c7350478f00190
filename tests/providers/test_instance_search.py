"""SearXNG's commands in a user's words do nothing; everything else stays as it was."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.core.values.search_queries import SearchQuery
from citewell.providers.searxng.instance_search import build_searxng_params, neutralize_commands
from citewell.text.safety.text_cleaning import extract_visible_text
from tests.requirements import requires

# Every kind of white space that SearXNG's split knows, and some look-alikes that it does not.
SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2003\u2028\u2029\u202f\u205f\u3000"
PIECES = st.sampled_from([
    "!!g", "!!", "!", "!ls", "!!!", "!:de", ":de", ":en_us", ":日本語", ":auto", ":", "::", ":-)",
    "<3", "<850", "<²", "<", "<div>", "<<3", '"', '""', '"!g"', '!g"', "-", "-x", "a", "b!",
    "site:example.org", "\u200b!!g", "\ufeff:de", "\ud800!g", "\x00<3", "！！g", "¡hola!",
])  # fmt: skip
MESSY = st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=8).flatmap(
    lambda pieces: st.lists(
        st.sampled_from(SPACES), min_size=len(pieces), max_size=len(pieces)
    ).map(lambda gaps: "".join(gap + piece for gap, piece in zip(gaps, pieces, strict=True)))
)


def commands(query: str) -> list[str]:
    """Pieces that some instance would obey, whatever its engines are called."""
    pieces = [piece for piece in re.split(r"\s+", query) if piece]
    return [
        piece
        for piece in pieces
        if re.match(r"!.|:[^\W\d_]", piece) or (piece[0] == "<" and piece[1:].isdigit())
    ]


def letters(words: str) -> str:
    return "".join(char for char in words if char.isalnum())


@requires("searxng.no_commands")
@settings(deadline=None, database=None, max_examples=200)
@given(MESSY)
def test_no_command_survives_and_no_word_is_lost(words: str) -> None:
    sent = neutralize_commands(words)

    assert commands(sent) == []
    assert letters(sent) == letters(extract_visible_text(words))
    sent.encode()


@settings(deadline=None, database=None, max_examples=80)
@given(MESSY)
def test_harmless_words_are_left_alone(words: str) -> None:
    sent = neutralize_commands(words)

    assert neutralize_commands(sent) == sent


@settings(deadline=None, database=None, max_examples=80)
@given(MESSY, MESSY, MESSY)
def test_filters_bring_no_command_either(words: str, exact: str, without: str) -> None:
    query = SearchQuery(
        text=words, exact_terms=exact, exclude_terms=without, sites=("a.example.org",)
    )

    assert commands(build_searxng_params(query, limit=500)["q"]) == []


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        ("!!g secret", '"!!g" secret'),
        ("secret !!g", 'secret "!!g"'),
        ("secret\u2003!!g", 'secret "!!g"'),
        ("secret\u00a0:de", 'secret ":de"'),
        ("!! first", '"!!" first'),
        ("i <3 you", 'i "<3" you'),
        ("css !important", 'css "!important"'),
        ('"to !!g be"', '"to g be"'),
        ('"to be !g"', '"to be g"'),
        ("\u200b!g hidden", '"!g" hidden'),
    ],
)
def test_a_command_becomes_a_word(words: str, sent: str) -> None:
    assert neutralize_commands(words) == sent


@pytest.mark.parametrize(
    "words",
    [
        "site:example.org rust -book",
        '"exact phrase" -"other phrase"',
        "(site:a.example.org OR site:b.example.org)",
        "a != b",
        "wow! really?",
        "<div> element",
        "x < 3",
        "smile :-) ::before",
        "C++ std::vector",
        "電池 寿命",
    ],
)
def test_ordinary_words_and_operators_stay_as_they_are(words: str) -> None:
    assert neutralize_commands(words) == words.replace("a != b", 'a "!=" b')


def test_filters_become_operators() -> None:
    query = SearchQuery(
        text="rust",
        exact_terms="borrow checker",
        exclude_terms="game",
        sites=("a.example.org", "b.example.org"),
    )

    assert (
        build_searxng_params(query, limit=500)["q"]
        == 'rust "borrow checker" -game (site:a.example.org OR site:b.example.org)'
    )
