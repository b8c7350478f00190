"""A small BM25 index, with the operators that search engines share."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
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
        counts = [Counter(tokens(f"{title} {title} {title} {body}")) for title, body in documents]
        lengths = [sum(count.values()) for count in counts]
        average = sum(lengths) / max(1, len(lengths)) or 1.0
        self._lengths = [length / average for length in lengths]
        self._places: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for place, count in enumerate(counts):
            for term, often in count.items():
                self._places[term][place] = often

    def rank(self, text: str) -> list[int]:
        """Positions of the documents that share enough with the text, best first."""
        terms = list(dict.fromkeys(tokens(text)))
        scores: defaultdict[int, float] = defaultdict(float)
        for term in terms:
            if term in self._places:
                self._add(term, scores)
        best = max(scores.values(), default=0.0)
        ranked = sorted(scores.items(), key=_by_score)
        return [place for place, score in ranked if score > best * 0.1]

    def _add(self, term: str, scores: defaultdict[int, float]) -> None:
        places, every = self._places[term], len(self._lengths)
        weight = math.log(1 + (every - len(places) + 0.5) / (len(places) + 0.5))
        for place, often in places.items():
            length = 1.2 * (0.25 + 0.75 * self._lengths[place])
            scores[place] += weight * often * 2.2 / (often + length)


def _by_score(pair: tuple[int, float]) -> tuple[float, int]:
    return -pair[1], pair[0]
