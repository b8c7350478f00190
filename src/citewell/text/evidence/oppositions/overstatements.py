"""Finds statements that say more than their source: "all" for "most", "proved" for "may"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from citewell.text.data_tables import load_table
from citewell.text.evidence.oppositions.compared_sentence import ComparedSentence, SentenceWord
from citewell.text.evidence.oppositions.contrary_words import compile_word_list
from citewell.text.evidence.oppositions.word_table import OPPOSITION_LANGUAGES

_MIN_SHARE = 0.5  # of the statement's content words, in the sentence that says it with a limit
_SCOPE = "scope"
_REACH_WORDS = 3  # content words after a word of strength that it may be about


@dataclass(frozen=True, slots=True, kw_only=True)
class Overstatement:
    """The strong word of the statement, and the weaker one that the source has in its place."""

    stated: str
    said: str
    place: int  # of the sentence among those that were compared


def find_overstatement(
    statement: ComparedSentence, said: Sequence[ComparedSentence]
) -> Overstatement | None:
    """What a statement overstates; None if a sentence that is as near says it as strongly."""
    if statement.code not in OPPOSITION_LANGUAGES:
        return None
    for kind in (_SCOPE, "certainty"):
        strong, weak = _compile_strength(kind, statement.code)
        stated = strong.search(weak.sub(_blank, statement.text))
        if stated is None or weak.search(statement.text):
            continue
        near = [
            place
            for place, one in enumerate(said)
            if _shares_statement_words(statement, one, strong, weak)
        ]
        if any(_says_strongly(statement, said[place], strong, weak) for place in near):
            continue
        about = statement.terms
        if kind == _SCOPE:  # "no drug" says nothing against "many effects"
            about = frozenset(one.stem for one in _list_following(statement, stated.end()))
        found = ((place, _find_weaker_word(about, said[place], weak)) for place in near)
        for place, limit in found:
            if limit:
                return Overstatement(stated=stated[0].lower(), said=limit, place=place)
    return None


def _find_weaker_word(about: frozenset[str], said: ComparedSentence, weak: re.Pattern[str]) -> str:
    """The first weak word that is about one of these."""
    for match in weak.finditer(said.text):
        if any(one.stem in about for one in _list_following(said, match.end())):
            return match[0].lower()
    return ""


def _says_strongly(
    statement: ComparedSentence,
    said: ComparedSentence,
    strong: re.Pattern[str],
    weak: re.Pattern[str],
) -> bool:
    """Whether a strong word stands right before something which the statement has too."""
    found = strong.finditer(weak.sub(_blank, said.text))
    about = (_list_following(said, match.end())[:1] for match in found)
    return any(one.stem in statement.terms for words in about for one in words)


def _list_following(said: ComparedSentence, end: int) -> list[SentenceWord]:
    limit = said.find_clause(end)[1]
    return [one for one in said.words if end <= one.start < limit and one.stem][:_REACH_WORDS]


def _shares_statement_words(
    statement: ComparedSentence,
    said: ComparedSentence,
    strong: re.Pattern[str],
    weak: re.Pattern[str],
) -> bool:
    wanted = frozenset(
        one.stem
        for one in statement.words
        if one.stem in statement.terms
        and not strong.fullmatch(one.text)
        and not weak.fullmatch(one.text)
    )
    return bool(wanted) and len(wanted & said.terms) >= _MIN_SHARE * len(wanted)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


@cache
def _compile_strength(kind: str, code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    strong, weak = load_table(__package__, "strength_words")[kind][code]
    return compile_word_list((strong,)), compile_word_list((weak,))
