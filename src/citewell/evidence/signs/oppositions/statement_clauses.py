"""The clauses of a sentence: what they deny, and which way their words say that things go."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, chain

from citewell.evidence.signs.nearest_sentences import remove_mere_emphasis
from citewell.evidence.signs.oppositions.contrary_words import (
    AMOUNT_WORDS,
    CHANGE,
    LINK,
    WordPolarity,
    find_word_polarities,
)
from citewell.text.data_tables import load_table, load_words
from citewell.text.language import word_forms

_MAX_PARSED_CHARS = 1_500  # a longer sentence is a table or text without full stops
_CLAUSE_BREAK_PATTERN = re.compile(
    r"[;:]|,? ?\b(?:but|whereas|while|although|though|however|despite|except|even if|unless)\b"
    r"|, (?:and|which|who|with|where|thus|thereby|resulting|leading|indicating|suggesting|including|or|not|rather|as|by|in"
    r"|so|because|since|if|when)\b",
    re.IGNORECASE,
)
# A short form in brackets stays: "systemic lupus erythematosus (SLE)".
_BRACKETED_PATTERN = re.compile(r"\((?!\w{2,10}\))[^()]{0,200}\)|\[[^\[\]]{0,200}\]")
_QUOTED_PATTERN = re.compile(r"[\"“”][^\"“”]{1,200}[\"“”]|(?<!\w)['‘][^'‘’]{1,200}['’](?!\w)")
# "Diet-induced obesity" says nothing of what the diet does to it.
_COMPOUND_ENDING_PATTERN = re.compile(
    r"[-‐–](?:induced|mediated|associated|related|linked|driven|activated|regulated|lowering|reducing|promoting"
    r"|inducing|activating|caused|exposed|infected|limited|specific|free)\b",
    re.IGNORECASE,
)
_NON_PREFIX_PATTERN = re.compile(r"\bnon-(?=\w)", re.IGNORECASE)
_NO_EVIDENCE_PATTERN = re.compile(
    r"\b(?:no|little|insufficient|lack of|without|not any|weak|scant)\s(?:\w{1,30}[\s-]{1,3}){0,3}(?:evidence|proof|indication|support|basis|reason)\b"
    r"|\b(?:evidence|proof)\s(?:\w{1,30}\s){0,2}(?:lacking|insufficient|absent)\b"
    r"|\b(?:myth|misconception|hoax|falsehood|debunked|untrue|unfounded|unproven|misinformation|disproved|refuted)\b"
    r"|\bfalse(?:ly)? (?:claim\w{0,3} |rumou?r\w{0,3} )?that\b",
    re.IGNORECASE,
)
# Stems that say nothing of what a claim is about.
_EMPTY_STEMS = frozenset(("significantli", "signific", "also", "show"))
_QUOTATION_MARKS = frozenset("\"“”'‘")
_PLAIN_DENIALS = frozenset(("not", "no", "never", "neither", "nor", "cannot"))


def lacks_denial(claim: Sequence[StatementClause], sentences: Sequence[StatementClause]) -> bool:
    """Whether the clauses said have what a claim denies, and deny or lack nothing themselves."""
    if any(sentence.denied or sentence.is_denied_whole for sentence in sentences):
        return False
    if any(word.sign < 0 for sentence in sentences for word in sentence.directed):
        return False
    words = frozenset().union(*(sentence.terms for sentence in sentences))
    return any(clause.is_denied_whole or not words.isdisjoint(clause.denied) for clause in claim)


# Splits an English sentence into clauses and finds which way each of them says that things go.


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementClause:
    words: tuple[str, ...]
    stems: tuple[str | None, ...]  # None for stop-words
    terms: frozenset[str]
    plain_terms: frozenset[str]  # without those of directing words
    directed: tuple[DirectedWord, ...]
    is_denied_whole: bool  # "there is no evidence that", "it is a myth that"
    denied: tuple[str, ...]  # for each plain denial, the content word next to it
    compared_at: int  # place of "than", or -1


def parse_clauses(text: str) -> tuple[StatementClause, ...]:
    """The clauses of a sentence that have any content, without quotations and brackets."""
    found = map(_parse_clause, _CLAUSE_BREAK_PATTERN.split(_clean_sentence(text)))
    return tuple(row for row in found if row.terms)


def join_denying_prefixes(text: str) -> str:
    """The text with "non-steroidal" as one word."""
    return _NON_PREFIX_PATTERN.sub("non", text)


def _clean_sentence(text: str) -> str:
    """The words of a sentence that say something of their own."""
    plain = text[:_MAX_PARSED_CHARS]
    if "(" in plain or "[" in plain:
        plain = _BRACKETED_PATTERN.sub(" ", plain)
    if "-" in plain or "–" in plain or "‐" in plain:
        plain = _COMPOUND_ENDING_PATTERN.sub(" ", join_denying_prefixes(plain))
    if not _QUOTATION_MARKS.isdisjoint(plain):
        plain = _QUOTED_PATTERN.sub(" ", plain)
    return remove_mere_emphasis(plain)


def _parse_clause(text: str) -> StatementClause:
    parts = [tuple(word_forms.split_words(part)) for part in text.split(", ")]
    words = tuple(chain.from_iterable(parts))
    breaks = frozenset(accumulate(map(len, parts[:-1])))  # places of words after a comma
    stems = tuple(_stem_content(word) for word in words)
    ways = tuple(find_word_ways(words, place) for place in range(len(words)))
    whole = (
        not load_words(__package__, "statement_clauses", "disproof_words").isdisjoint(words)
        and _NO_EVIDENCE_PATTERN.search(text) is not None
    )
    return StatementClause(
        words=words,
        stems=stems,
        terms=frozenset(filter(None, stems)),
        plain_terms=frozenset(
            stem
            for stem, way in zip(stems, ways, strict=True)
            if stem and not way and stem not in _EMPTY_STEMS
        ),
        directed=find_directed_words(words, stems, ways, breaks, is_denied_whole=whole),
        is_denied_whole=whole,
        denied=tuple(_list_denied(words, stems)),
        compared_at=next(
            (at for at, word in enumerate(words) if word in COMPARING_WORDS and at), -1
        ),
    )


@lru_cache(maxsize=2**14)
def _stem_content(word: str) -> str | None:
    if word in word_forms.list_stopwords("en") or not word_forms.is_content_word(word):
        return None
    return word_forms.stem_word(word, "en")


def _list_denied(words: Sequence[str], stems: Sequence[str | None]) -> list[str]:
    """The first content word after each "not" or "no"; the last one before it at the end."""
    found = []
    for place, word in enumerate(words):
        if word in _PLAIN_DENIALS or word.endswith(("n't", "n’t")):
            behind = [stem for stem in stems[place + 1 :] if stem]
            before = [stem for stem in stems[:place] if stem]
            found += behind[:1] or before[-1:]
    return found


# Finds the words of a clause that say which way things go, and what they are about.


_BEING_WORDS = frozenset(["is", "are", "was", "were", "be", "been", "being", "remains", "remained", "remain", "becomes", "became"])  # fmt: skip
COMPARING_WORDS = frozenset(("than", "compared", "versus", "vs", "relative"))
_DENIAL_REACH_WORDS = 4
_MAX_TARGETS_BEHIND, _MAX_TARGETS_BEFORE, _MAX_AMOUNT_TARGETS = 4, 3, 2  # content words


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectedWord:
    """A word such as "reduces" with the stems it is about; `is_denied` after "not", "no", "never"."""

    word: str
    place: int  # among the words of the clause
    axis: str
    sign: int
    is_denied: bool
    targets: frozenset[str]


def find_word_ways(words: Sequence[str], place: int) -> tuple[WordPolarity, ...]:
    """What the word at this place says on each axis."""
    following = words[place + 1] if place + 1 < len(words) else ""
    if words[place] in AMOUNT_WORDS and (following.endswith("ly") or following == "than"):
        return ()  # "more recently", "more than a third"
    return find_word_polarities(words[place])


def find_directed_words(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    breaks: frozenset[int],
    *,
    is_denied_whole: bool,
) -> tuple[DirectedWord, ...]:
    """The words of direction in a clause; `breaks` are the places of words after a comma.

    `stems` and `ways` have one item for each word: its stem, or None for stop-words, and its ways.
    """
    found: list[DirectedWord] = []
    for place in range(len(words)):
        if ways[place]:
            lost = (
                is_denied_whole
                or _is_denied_at(words, ways, place, breaks)
                or _inherits_denial(words, found, place)
            )
            found += _describe_directed(words, stems, ways, place, is_denied=lost)
    return tuple(found)


def _describe_directed(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    place: int,
    *,
    is_denied: bool,
) -> list[DirectedWord]:
    targets = frozenset(_list_targets(words, stems, ways, place))
    every = frozenset(stem for stem, way in zip(stems, ways, strict=True) if stem and not way)
    found = []
    outer = _find_outer_sign(words, stems, ways, place)
    for way in ways[place]:
        link = way.axis == LINK
        lost = is_denied != (link and way.sign < 0)
        found.append(
            DirectedWord(
                word=words[place],
                place=place,
                axis=way.axis,
                sign=1 if link else way.sign * (outer if way.axis == CHANGE else 1),
                is_denied=lost,
                # "No association between A and B" denies it of all that is named.
                targets=every if link and lost else targets,
            )
        )
    return found


def _inherits_denial(words: Sequence[str], earlier: Sequence[DirectedWord], place: int) -> bool:
    """Whether a denial goes on: "not associated with gain or lower risk", "did not help or reduce"."""
    if not earlier or not earlier[-1].is_denied:
        return False
    last = earlier[-1]
    return last.axis == LINK or not {"or", "nor"}.isdisjoint(words[last.place : place])


def _find_outer_sign(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    place: int,
) -> int:
    """The sign of a directing word just before: a "decreased activation" is a decrease."""
    for at in range(place - 1, max(-1, place - 4), -1):
        if words[at] in AMOUNT_WORDS or words[at].endswith(_load_noun_endings()):
            return 1
        for way in ways[at]:
            if way.axis == CHANGE:
                return way.sign
        if stems[at] and not words[at].endswith("ly"):
            return 1
    return 1


def _is_denied_at(
    words: Sequence[str],
    ways: Sequence[tuple[WordPolarity, ...]],
    place: int,
    breaks: frozenset[int],
) -> bool:
    denied = False
    denying = load_words(__package__, "directed_words", "denying_words")
    reach = 1 if words[place] in AMOUNT_WORDS else _DENIAL_REACH_WORDS
    for at in range(place - 1, max(-1, place - 1 - reach), -1):
        # A denial does not reach over a comma, or over another word of direction.
        if at + 1 in breaks or _is_directing(ways[at]):
            break
        denied ^= words[at] in denying or words[at].endswith(("n't", "n’t"))
    return denied


def _is_directing(ways: tuple[WordPolarity, ...]) -> bool:
    return any(way.axis != LINK for way in ways)


def _list_targets(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    place: int,
) -> list[str]:
    """The content words that a directed word is about: its object, or its subject in the passive."""
    behind = _collect_targets(words, stems, ways, range(place + 1, len(words)))
    before = _collect_targets(words, stems, ways, range(place - 1, -1, -1))[:_MAX_TARGETS_BEFORE]
    following = words[place + 1] if place + 1 < len(words) else ""
    if any(way.is_state for way in ways[place]) and following not in {"of", "in", "from"}:
        if place and stems[place - 1]:
            return before[:2]
        return before[:2] + behind
    if words[place] in AMOUNT_WORDS:
        return behind[:_MAX_AMOUNT_TARGETS] or before
    passive = words[place].endswith("ed") and _BEING_WORDS.intersection(
        words[max(0, place - 3) : place]
    )
    if passive or not behind:
        return before + behind[:1]
    if _is_intransitive(words, place):
        return before + behind[:2]
    return behind


def _is_intransitive(words: Sequence[str], place: int) -> bool:
    """Whether a verb such as "fell" or "is declining" has no object: a preposition follows."""
    following = next((word for word in words[place + 1 :] if not word.endswith("ly")), "")
    verbal = words[place].endswith(("ed", "ing")) or words[place] in load_words(
        __package__, "directed_words", "past_verbs"
    )
    return verbal and following in load_words(__package__, "directed_words", "prepositions")


def _collect_targets(
    words: Sequence[str],
    stems: Sequence[str | None],
    ways: Sequence[tuple[WordPolarity, ...]],
    places: range,
) -> list[str]:
    found: list[str] = []
    for at in places:
        if len(found) >= _MAX_TARGETS_BEHIND or words[at] in COMPARING_WORDS:
            break
        stem = stems[at]
        if _is_directing(ways[at]):
            # "The rise is accelerating" is about the rise.
            return found or [stem for stem in (stem,) if stem]
        if stem and not ways[at]:
            found.append(stem)
    return found


@cache
def _load_noun_endings() -> tuple[str, ...]:
    return tuple(load_table(__package__, "directed_words")["noun_endings"])
