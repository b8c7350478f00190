"""Every pattern and every text function that meets foreign text takes time in proportion to it.

One quadratic pattern lets a page of 66 KB stop the server for everybody.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest

import citewell.text
from tests.meta.pattern_attacks import find_growth, find_slow_attack
from tests.meta.used_patterns import UsedPattern, list_disguised_imports, list_used_patterns

# Patterns that never see more than a bounded piece of text, with what bounds it.
BOUNDED: dict[str, str] = {
    "text/safety/text_cleaning.py:_COMMENT_PATTERN": (
        "is used only up to the last end of a comment, so that every comment ends"
    ),
    "reading/documents/document_markdown.py:_FORMAT_BRACKET": "sees at most 255 characters",
}

pytestmark = pytest.mark.timeout(600)  # a busy machine takes many times the processor's time

GROUP_COUNT = 24
FUNCTION_TEXT_CHARS = 8192  # functions run many patterns, so their texts are shorter
# A reference is cut at 4,000 characters before the tagger, which weighs every token, sees it.
TAGGED_TEXT_CHARS = 1024
TAGGING_FUNCTIONS = frozenset({"parse_entry_text", "parse_prose_reference", "read_tagged_fields"})
PUMPS = (
    *"a \n\t1.,-()[]{<>&\"'`*_#|\\/@$:;=%+~^",
    *("<!--", "<a ", "</", "](", "![", "**", "``", "$$", "\\(", "&#", "&amp", "http://", "www."),
    *("a ", "a. ", "A. B. ", "1,", "1.", "10.", "a@", "a.b", "et al. ", "(1999) ", "doi:10.1/"),
    *("\u4e2d", "\u0627", "\u200b", "\u0301", "\U0001f600", "\u00a0", "\u2028"),
    *("- \n", "| ", "> ", "\n ", "```\n", "# a\n", "the ignore all previous instructions "),
    "word " * 20 + "\n\n",
)


@pytest.mark.parametrize("group", range(GROUP_COUNT))
def test_no_pattern_takes_more_than_linear_time(group: int) -> None:
    slow = [
        f"{pattern.place} ({pattern.method}) {pattern.source:.100}: {problem}"
        for pattern in list_used_patterns()[group::GROUP_COUNT]
        if pattern.place not in BOUNDED and (problem := find_slow_attack(pattern))
    ]

    assert not slow, "\n".join(slow)


def test_the_patterns_are_found() -> None:
    found = {pattern.place for pattern in list_used_patterns()}

    assert len(list_used_patterns()) > 800
    assert "reading/wall_phrases.py:BOT_CHECK_PHRASES" in found  # put together by a function
    assert "reading/wall_phrases.py:STRONG_WALL_MARKS" in found  # in a table
    assert any(pattern.is_bytes for pattern in list_used_patterns())
    assert set(BOUNDED) <= found


def test_patterns_are_compiled_only_in_ways_that_are_found() -> None:
    assert not list_disguised_imports()


def test_a_quadratic_pattern_is_noticed() -> None:
    quadratic = UsedPattern(place="here", source=r"\s+$", flags=0, method="search")
    linear = UsedPattern(place="here", source=r"\s\Z", flags=0, method="search")

    assert find_slow_attack(quadratic)
    assert not find_slow_attack(linear)


@pytest.mark.parametrize(
    "source",
    [r"(?:a+)+b", r"\[[^\]]*\]", r"x\s*\s*\s*y", r"(?<=:)[^;]*;", r"<(\w+)[^>]*>.*?</\1>"],
)
@pytest.mark.parametrize("is_bytes", [False, True])
def test_every_kind_of_slow_pattern_is_noticed(source: str, *, is_bytes: bool) -> None:
    pattern = UsedPattern(
        place="here", source=source, flags=0, method="finditer", is_bytes=is_bytes
    )

    assert find_slow_attack(pattern)


def list_text_functions() -> list[tuple[str, Callable[[str], Any]]]:
    """Public functions of citewell.text that take a text and nothing else that is required."""
    found: dict[str, Callable[[str], Any]] = {}
    for info in pkgutil.walk_packages(citewell.text.__path__, "citewell.text."):
        module = importlib.import_module(info.name)
        for name, function in vars(module).items():
            if name.startswith("_") or not inspect.isfunction(function):
                continue
            if function.__module__ != info.name or inspect.iscoroutinefunction(function):
                continue
            wanted = [
                parameter
                for parameter in inspect.signature(function).parameters.values()
                if parameter.default is parameter.empty
            ]
            if len(wanted) == 1 and wanted[0].annotation in ("str", str):
                found[f"{info.name}.{name}"] = function
    return sorted(found.items())


@pytest.mark.parametrize(
    "function", [function for _, function in list_text_functions()], ids=lambda f: f.__qualname__
)
def test_no_text_function_takes_more_than_linear_time(function: Callable[[str], Any]) -> None:
    def run(text: str) -> None:
        try:
            function(text)
        except ValueError:
            return  # a text that is refused costs no more than one that is read

    tagging = function.__name__ in TAGGING_FUNCTIONS
    size = TAGGED_TEXT_CHARS if tagging else FUNCTION_TEXT_CHARS
    attacks = [("", pump, "\0") for pump in PUMPS]

    assert not find_growth(run, attacks, last_size=size)
