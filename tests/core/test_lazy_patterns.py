"""Patterns that are compiled on use behave as compiled ones do."""

from __future__ import annotations

import re

import pytest

from citewell.core.lazy_patterns import compile_on_use


def test_it_is_used_like_a_compiled_pattern() -> None:
    pattern = compile_on_use(r"(?P<word>[a-z]+)\d", re.IGNORECASE)

    assert [match["word"] for match in pattern.finditer("A1 b2")] == ["A", "b"]
    assert pattern.sub("-", "A1 b2") == "- -"
    assert pattern.pattern == r"(?P<word>[a-z]+)\d"
    assert pattern.groupindex["word"] == 1


def test_nothing_is_compiled_before_it_is_used() -> None:
    pattern = compile_on_use("(")

    with pytest.raises(re.error):
        pattern.search("x")


def test_a_method_is_looked_up_once() -> None:
    pattern = compile_on_use("x")

    assert pattern.search is pattern.search
