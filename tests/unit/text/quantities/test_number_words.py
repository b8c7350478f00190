"""The pattern of the words for numbers."""

from __future__ import annotations

import pytest

from citewell.text.quantities.number_words import (
    compile_number_pattern,
    join_alternatives,
    list_number_words,
)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_every_number_word_is_found_whole(language: str) -> None:
    pattern = compile_number_pattern(language)

    for word in list_number_words(language):
        assert [match["word"] for match in pattern.finditer(f"({word.title()} x")] == [word.title()]


def test_a_part_of_a_word_is_no_number() -> None:
    assert compile_number_pattern("en").search("tenor seventeens oneself ") is None


def test_common_beginnings_are_written_once() -> None:
    assert (
        join_alternatives(["six", "sixteen", "sixty"]) == "(?:s(?:i(?:x(?:t(?:e(?:e(?:n))|y))?)))"
    )
