"""A small BM25 index, with the operators that search engines share."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import Stemmer  # type: ignore[import-not-found]  # it ships no stubs

_WORD = re.compile(r"[\w'’]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_OPERATOR = re.compile(r'(-?)(?:site:(\S+)|"([^"]+)"|(\w\S*))', re.IGNORECASE)
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can do does for from has have how i in is it its of on or that the"
        " this to was what when where which who why will with you your",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A query as an engine understands it."""

    words: str
    sites: tuple[str, ...] = ()
    excluded_sites: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def parse(text: str) -> Parsed:
    """Understand site:, -site:, "a phrase", -word, OR and brackets."""
    words: list[str] = []
    found: dict[str, list[str]] = {"sites": [], "excluded_sites": [], "phrases": [], "excluded": []}
    for minus, site, phrase, word in _OPERATOR.findall(re.sub(r"[()]|\b(?:OR|AND)\b", " ", text)):
        if site:
            found["excluded_sites" if minus else "sites"].append(site.lower())
        elif minus:
            found["excluded"].append((phrase or word).lower())
        elif phrase:
            found["phrases"].append(phrase.lower())
            words.append(phrase)
        else:
            words.append(word)
    return Parsed(words=" ".join(words), **{key: tuple(value) for key, value in found.items()})


def tokens(text: str) -> list[str]:
    """Stems of words without the commonest ones; Chinese, Japanese and Korean as pairs."""
    stem = Stemmer.Stemmer("english")
    low = text.lower()
    pairs = [run[i : i + 2] for run in _CJK.findall(low) for i in range(max(1, len(run) - 1))]
    words = [word for word in _WORD.findall(_CJK.sub(" ", low)) if word not in _STOP]
    stems: list[str] = stem.stemWords(words)
    return stems + pairs


class Index:
    """Documents by position; a title's words count three times."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self._counts = [
            Counter(tokens(f"{title} {title} {title} {body}")) for title, body in documents
        ]
        self._lengths = [sum(count.values()) for count in self._counts]
        self._average = sum(self._lengths) / max(1, len(self._lengths)) or 1.0
        self._spread = Counter(term for count in self._counts for term in count)

    def rank(self, text: str) -> list[int]:
        """Positions of the documents that share enough with the text, best first."""
        terms = list(dict.fromkeys(tokens(text)))
        known = [term for term in terms if term in self._spread]
        if not known:
            return []
        scored = [(self._score(known, place), place) for place in range(len(self._counts))]
        best = max(score for score, _ in scored)
        return [place for score, place in sorted(scored, key=_by_score) if score > best * 0.1]

    def _score(self, terms: Sequence[str], place: int) -> float:
        count, length = self._counts[place], self._lengths[place] / self._average
        return sum(
            self._weight(term) * count[term] * 2.2 / (count[term] + 1.2 * (0.25 + 0.75 * length))
            for term in terms
            if count[term]
        )

    def _weight(self, term: str) -> float:
        having = self._spread[term]
        return math.log(1 + (len(self._counts) - having + 0.5) / (having + 0.5))


def _by_score(pair: tuple[float, int]) -> tuple[float, int]:
    return -pair[0], pair[1]
