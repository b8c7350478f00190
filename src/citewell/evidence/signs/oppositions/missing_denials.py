"""Tells when a source that shares the words of a denial does not deny anything itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain

from citewell.evidence.signs.nearest_sentences import remove_mere_emphasis
from citewell.evidence.signs.oppositions.directed_words import (
    COMPARING_WORDS,
    DirectedWord,
    find_directed_words,
    find_word_ways,
)
from citewell.text.data_tables import load_words
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
