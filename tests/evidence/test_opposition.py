"""Statements that say of all, or as proved, what their source says of some, or with caution."""

from __future__ import annotations

import pytest

from citewell.evidence.signs.oppositions.compared_sentence import ComparedSentence
from citewell.evidence.signs.oppositions.opposition import find_overstatement


def compare(language: str, statement: str, *sentences: str) -> tuple[str, str] | None:
    found = find_overstatement(
        ComparedSentence(text=statement, code=language),
        [ComparedSentence(text=text, code=language) for text in sentences],
    )
    return (found.stated, found.given) if found else None


@pytest.mark.parametrize(
    ("language", "statement", "source", "words"),
    [
        ("en", "All ferries carry bicycles.", "Most ferries carry bicycles free of charge.", ("all", "most")),
        ("en", "Copper roofs always turn green.", "Copper roofs usually turn green.", ("always", "usually")),
        ("en", "Every kiln was rebuilt.", "Almost every kiln was rebuilt in spring.", ("every", "almost every")),
        ("en", "The trial proved that moss cleans the river.", "The trial suggests that moss cleans the river.", ("proved", "suggests")),
        ("en", "The dike will certainly hold the flood.", "The dike might hold the flood.", ("certainly", "might")),
        ("de", "Alle Fähren befördern Fahrräder.", "Fast alle Fähren befördern Fahrräder.", ("alle", "fast alle")),
        ("es", "Todos los molinos fueron restaurados.", "La mayoría de los molinos fueron restaurados.", ("todos", "la mayoría")),
        ("fr", "Tous les moulins furent restaurés.", "Certains moulins furent restaurés.", ("tous", "certains")),
    ],
)  # fmt: skip
def test_a_stronger_word_than_that_of_the_source_is_found(
    language: str, statement: str, source: str, words: tuple[str, str]
) -> None:
    assert compare(language, statement, source) == words


@pytest.mark.parametrize(
    ("statement", "sentences"),
    [
        ("Most ferries carry bicycles.", ("Most ferries carry bicycles free of charge.",)),
        ("Not all ferries carry bicycles.", ("Some ferries carry bicycles.",)),
        ("All ferries carry bicycles.", ("Some ferries carry bicycles.", "All ferries carry bicycles.")),
        ("All ferries carry bicycles.", ("Many tourists visit the islands.",)),
        ("Every year the ferries carry bicycles.", ("The ferries carry some bicycles.",)),
        ("All ferries carry bicycles of passengers.", ("Ferries carry bicycles of many passengers.",)),
        ("All ferries carry bicycles.", ("The most popular ferries of all carry bicycles.", "Ferries carry bicycles.")),
    ],
)  # fmt: skip
def test_what_the_source_says_as_strongly_or_not_at_all_is_no_overstatement(
    statement: str, sentences: tuple[str, ...]
) -> None:
    assert compare("en", statement, *sentences) is None


def test_other_languages_have_no_words_of_strength() -> None:
    assert (
        compare("it", "Tutti i mulini furono restaurati.", "Alcuni mulini furono restaurati.")
        is None
    )
