"""The sentences of a text that are nearest to a claim; no verdict on the claim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from math import log

from citewell.text.data_tables import load_table
from citewell.text.language import sentences, word_forms
from citewell.text.language.scripts import UNSPACED_LANGUAGES
from citewell.text.language.word_forms import extract_terms

# Phrases that contain a negating word but do not negate.
_NON_NEGATING_PATTERN = re.compile(
    r"\bnot only\b|\bwhether or not\b|\bno doubt\b|\bnot least\b|\bno longer than\b|\bnot to mention\b"
    r"|\bno\. ?\d|\bno (?:less|fewer|more) than\b|\bnothing but\b|\bnot until\b|\bnot just\b"
    r"|\bnicht nur\b|\bnon seulement\b|\bno solo\b|\bno sólo\b|\bnon solo\b|\bnão só\b|\bниче(?:го|м) не\b"
    r"|\bне только\b|\bniet alleen\b|不仅|不但|不僅|だけでなく|\bwithout (?:a )?doubt\b|\bnot surprising\w*",
    re.IGNORECASE,
)
# Negation is part of the verb, so it is unknown which word is negated.
_VERB_NEGATION_LANGUAGES = UNSPACED_LANGUAGES | {"tr"}
_CLAUSE_BREAK_PATTERN = re.compile(r"[;:.!?]|, ")
_NEGATION_REACH_WORDS = 2  # content words after a negating word that it negates

# Added to the weight of shared terms; a word of stance only decides between sentences that share alike.
_NUMBER_BONUS, _STANCE_BONUS = 1.5, 0.3
_CONFIRMING_PATTERN = re.compile(
    r"\b(?:confirm\w*|prov(?:es|ed|en)|demonstrat\w+|support(?:s|ed)|evidence that)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTerms:
    """The terms and numbers of a claim, extracted once to compare it with many texts."""

    terms: frozenset[str]
    numbers: frozenset[str]
    language: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)  # more for a rare term; 1 if unknown


@lru_cache(maxsize=64)
def build_claim_terms(text: str, *, language: str | None = None) -> ClaimTerms:
    found = extract_terms(text, language=language)
    return ClaimTerms(
        terms=found,
        numbers=frozenset(term for term in found if term[0].isdigit()),
        language=language,
    )


def weigh_claim_terms(asked: ClaimTerms, texts: Iterable[str]) -> ClaimTerms:
    """The claim with its terms weighed by how few sentences of the texts have them."""
    split = [sentence for text in texts for sentence in sentences.split_sentences(text)]
    found = Counter(
        term
        for sentence in split
        for term in extract_terms(sentence, language=asked.language) & asked.terms
    )
    return replace(asked, weights={term: log(1 + len(split) / found[term]) for term in found})


def find_nearest_sentence(asked: ClaimTerms, text: str) -> str:
    """The sentence of `text` nearest to the claim; empty if no sentence shares a term with it."""
    best, height = "", 0.0
    for sentence in sentences.split_sentences(text):
        score = _score_claim_sentence(asked, sentence)
        if score > height:
            best, height = sentence, score
    return best


def find_nearest_sentences(
    asked: ClaimTerms, text: str, *, max_sentences: int = 5
) -> tuple[str, tuple[str, ...]]:
    """The sentence nearest to the claim, and the nearest `max_sentences` in text order.

    Sentences that score less than half of the best are left out.
    """
    weighed = weigh_claim_terms(asked, [text])
    scored = [
        (_score_claim_sentence(weighed, sentence), sentence)
        for sentence in sentences.split_sentences(text)
    ]
    height = max((score for score, _ in scored), default=0.0)
    if not height:
        return "", ()
    by_score = sorted(range(len(scored)), key=lambda place: -scored[place][0])
    chosen = sorted(place for place in by_score[:max_sentences] if scored[place][0] >= height / 2)
    nearest = tuple(dict.fromkeys(scored[place][1] for place in chosen))
    return scored[by_score[0]][1], nearest


def _score_claim_sentence(asked: ClaimTerms, sentence: str) -> float:
    found = extract_terms(sentence, language=asked.language)
    shared = found & asked.terms
    if not shared:
        return 0.0
    score = sum(asked.weights.get(term, 1.0) for term in shared)
    if has_refutation_cue(sentence, language=asked.language) or _CONFIRMING_PATTERN.search(
        sentence
    ):
        score += _STANCE_BONUS
    if asked.numbers & found:
        score += _NUMBER_BONUS
    return score


# Detects negated and refuting statements by their words, in many languages.


def count_negations(text: str, *, language: str | None = None) -> int:
    """The number of negating words in the text."""
    return len(
        _compile_negation_pattern((language or "en")[:2]).findall(
            _NON_NEGATING_PATTERN.sub(" ", text)
        )
    )


def is_negated_statement(text: str, *, language: str | None = None) -> bool:
    """Whether the statement is negated; two negations cancel each other."""
    return count_negations(text, language=language) % 2 == 1


def remove_mere_emphasis(text: str) -> str:
    """An English text without phrases such as "not only" that negate nothing."""
    lower = text.lower()
    return _NON_NEGATING_PATTERN.sub(" ", text) if "no" in lower or "without" in lower else text


def has_negated_terms(text: str, terms: AbstractSet[str], *, language: str | None = None) -> bool:
    """Whether the text negates one of these stems; negations of other words do not count."""
    code = (language or "en")[:2]
    plain = _NON_NEGATING_PATTERN.sub(" ", text)
    found = _compile_negation_pattern(code).finditer(plain)
    if code in _VERB_NEGATION_LANGUAGES:
        return sum(1 for _ in found) % 2 == 1
    return sum(_has_negated_neighbour(plain, match, terms, language) for match in found) % 2 == 1


def has_refutation_cue(sentence: str, *, language: str | None) -> bool:
    """Whether the sentence contains a refuting word; False for languages without a list."""
    pattern = _compile_refutation_pattern((language or "en")[:2])
    return bool(pattern and pattern.search(sentence))


def _has_negated_neighbour(
    text: str, match: re.Match[str], terms: AbstractSet[str], language: str | None
) -> bool:
    """Whether a stem follows the negating word or, if the clause ends there, stands before it."""
    behind = _CLAUSE_BREAK_PATTERN.split(text[match.end() :], maxsplit=1)[0]
    stems = word_forms.list_terms(behind, language=language)[:_NEGATION_REACH_WORDS]
    if not stems:
        stems = word_forms.list_terms(
            _CLAUSE_BREAK_PATTERN.split(text[: match.start()])[-1], language=language
        )[-1:]
    return any(stem in terms for stem in stems)


@cache
def _compile_negation_pattern(language: str) -> re.Pattern[str]:
    listed = load_table(__package__, "negation_words")["languages"]
    return _compile_word_pattern(listed.get(language, listed["en"]), "negating", language)


@cache
def _compile_refutation_pattern(language: str) -> re.Pattern[str] | None:
    words = load_table(__package__, "negation_words")["languages"].get(language, {})
    is_known = "both" in words or "refuting" in words
    return _compile_word_pattern(words, "refuting", language) if is_known else None


def _compile_word_pattern(
    words: Mapping[str, Sequence[str]], kind: str, language: str
) -> re.Pattern[str]:
    """Finds whole words; in Chinese, Japanese and Korean it finds them anywhere."""
    regex = "|".join([*words.get("both", ()), *words.get(kind, ())])
    if language in UNSPACED_LANGUAGES:
        return re.compile(regex)
    return re.compile(rf"(?<!\w)(?:{regex})(?!\w)", re.IGNORECASE)
