"""Abbreviations and filling words in the names of cases."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from citewell.text.data_tables import load_table

GOVERNMENT_WORDS = frozenset({"people", "state", "commonwealth"})


def find_meanings(word: str) -> tuple[str, ...]:
    """The words that an abbreviation (without its last dot) stands for; empty for any other word."""
    return _load_meanings().get(word, ())


@cache
def load_filling_words() -> frozenset[str]:
    """Words that say nothing about which party it is."""
    return frozenset(load_table(__package__, "name_words")["filling"])


@cache
def load_common_words() -> frozenset[str]:
    """Words that many parties share: they count only if nothing better is there."""
    return frozenset(load_table(__package__, "name_words")["common_party"])


@cache
def load_state_names() -> frozenset[str]:
    return frozenset(load_table(__package__, "name_words")["states"])


@cache
def _load_meanings() -> Mapping[str, tuple[str, ...]]:
    table = load_table(__package__, "name_words")["abbreviations"]
    return {short: tuple(meanings.split()) for short, meanings in table.items()}
