"""How well the entries of feeds fit the words of a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from citewell.model.search_queries import SearchHit
from citewell.text.language.tokens import list_terms
from citewell.text.passages.term_weights import weigh_term

_MIN_WORD_LETTERS = 2  # of a query: EU and AI are words that news are about
_SUMMARY_FACTOR = 0.5  # what a word counts that is not in the title
_NEEDED_SHARE = 0.6  # of the query's words; of two words both


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntry:
    """An entry of a feed, and the language of the feed."""

    hit: SearchHit
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _MatchedEntry:
    entry: ListedEntry
    in_title: frozenset[str]
    in_summary: frozenset[str]  # and not in the title


def rank_entries(text: str, entries: Sequence[ListedEntry]) -> tuple[SearchHit, ...]:
    """The entries that have most words of the query, best first; equal ones newest first."""
    asked = {
        language: frozenset(_list_words(text, language))
        for language in {entry.language for entry in entries}
    }
    matched = [_match_entry(entry, asked[entry.language]) for entry in entries]
    held = Counter(
        (row.entry.language, word) for row in matched for word in row.in_title | row.in_summary
    )

    def weigh_matched_words(row: _MatchedEntry, words: Iterable[str]) -> float:
        language = row.entry.language
        return sum(
            weigh_term(word, held=held[language, word], total=len(entries), language=language)
            for word in words
        )

    scored = [
        (
            weigh_matched_words(row, row.in_title)
            + _SUMMARY_FACTOR * weigh_matched_words(row, row.in_summary),
            row.entry.hit,
        )
        for row in matched
        if _has_enough_words(row, asked[row.entry.language])
    ]
    ordered = sorted(scored, key=lambda pair: (-pair[0], -read_moment(pair[1])))
    return tuple(hit for _, hit in ordered)


def read_moment(hit: SearchHit) -> float:
    """The publication as a Unix time; 0 if it is unknown, so that such hits come last."""
    return hit.published.timestamp() if hit.published else 0.0


def _match_entry(entry: ListedEntry, asked: frozenset[str]) -> _MatchedEntry:
    in_title = asked.intersection(_list_words(entry.hit.title, entry.language))
    in_summary = asked.intersection(_list_words(entry.hit.snippet, entry.language))
    return _MatchedEntry(entry=entry, in_title=in_title, in_summary=in_summary - in_title)


def _has_enough_words(row: _MatchedEntry, asked: frozenset[str]) -> bool:
    found = len(row.in_title) + len(row.in_summary)
    return bool(asked) and found >= ceil(_NEEDED_SHARE * len(asked))


def _list_words(text: str, language: str) -> list[str]:
    return list_terms(text, language=language, min_letters=_MIN_WORD_LETTERS)
