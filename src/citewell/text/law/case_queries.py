"""Builds the query that finds a case by its name."""

from __future__ import annotations

from citewell.text.law.name_matching import list_party_words

_MAX_PARTY_WORDS = 2  # words of a party that are searched for: registries abbreviate the others
_MAX_QUERY_CHARS = 120


def build_name_query(name: str) -> str:
    """The most telling words of each party, as "Brown v. Board"; empty if there are none.

    Only words of the name itself go into it, never other words of the text.
    """
    parties = [words for words in list_party_words(name) if words]
    if len(parties) == 2:
        # Registries write agencies in full, so an acronym would find nothing.
        parties = [words for words in parties if not words[0].isupper()] or parties
    chosen = [" ".join(words[:_MAX_PARTY_WORDS]) for words in parties]
    return " v. ".join(chosen)[:_MAX_QUERY_CHARS]
