"""A source text with its sentences, and an index of them, to be compared with many claims."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, cast

from citewell.text.evidence import missing_details
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.language import detection, sentences, tokens

HEAD_LETTERS = 5  # of words that count as forms of each other
_Derived = TypeVar("_Derived")
# Marks of citations, which are no part of what is said: [4], [2, 3], (Miller et al., 2020).
_CITATION_MARK_PATTERN = re.compile(
    r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\]"
    r"|\([A-Z][\w'’-]{1,30}(?: (?:and|&) [A-Z][\w'’-]{1,30}| et al\.?)?,? (?:19|20)\d\d[a-z]?\)"
)


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """A source text, split into sentences once to be checked against many claims."""

    text: str
    language: str | None = None
    known_names: str = ""  # title, authors and site, which a claim may name and the text need not

    @cached_property
    def known_terms(self) -> frozenset[str]:
        return tokens.extract_terms(self.known_names, language=self.language)

    @cached_property
    def sentence_spans(self) -> tuple[tuple[int, int], ...]:
        return tuple(_join_table_cells(self.text, sentences.find_sentence_spans(self.text)))

    @cached_property
    def sentence_features(self) -> tuple[SentenceFeatures, ...]:
        return tuple(
            build_sentence_features(
                remove_citation_marks(self.text[start:end]), language=self.language
            )
            for start, end in self.sentence_spans
        )

    @cached_property
    def spoken_language(self) -> str | None:
        """The language that is given, else the one that is detected."""
        return self.language or detection.detect_language(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(tokens.split_words(self.text))

    @cached_property
    def all_terms(self) -> frozenset[str]:
        return frozenset(self.sentences_by_term)

    @cached_property
    def figures(self) -> frozenset[str]:
        return missing_details.list_figures(self.text)

    @cached_property
    def sentences_by_term(self) -> Mapping[str, Sequence[int]]:
        """The sentences that have each term, in order."""
        found: dict[str, list[int]] = {}
        for index, one in enumerate(self.sentence_features):
            for term in one.terms:
                found.setdefault(term, []).append(index)
        return found

    @cached_property
    def sentences_by_head(self) -> Mapping[str, Sequence[int]]:
        """The same by the first letters of longer terms, which forms of one word share."""
        found: dict[str, list[int]] = {}
        for term, places in self.sentences_by_term.items():
            if len(term) >= HEAD_LETTERS:
                found.setdefault(term[:HEAD_LETTERS], []).extend(places)
        return found

    def count_shared_terms(self, terms: Iterable[str]) -> Mapping[int, int]:
        """The sentences that have any of these terms, in order, each with how many it has."""
        counts: Counter[int] = Counter()
        for term in terms:
            counts.update(self.sentences_by_term.get(term, ()))
        return dict(sorted(counts.items()))

    def derive(self, build: Callable[[SourceText], _Derived]) -> _Derived:
        """What `build` makes of the source; it is built once and kept for further claims."""
        if build not in self._derived:
            self._derived[build] = build(self)
        return cast("_Derived", self._derived[build])

    @cached_property
    def _derived(self) -> dict[Callable[[SourceText], object], object]:
        return {}


def _join_table_cells(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans, with the cells of a row of a table as one: a cell says nothing without its row."""
    row_end = -1
    for start, end in spans:
        if start < row_end:
            continue
        line_start = text.rfind("\n", 0, start) + 1
        if text[line_start:start].lstrip().startswith("|"):
            row_end = text.find("\n", start)
            row_end = len(text) if row_end < 0 else row_end
            yield line_start, row_end
        else:
            yield start, end


def remove_citation_marks(text: str) -> str:
    """The text without marks such as [4] or (Miller, 2020)."""
    return _CITATION_MARK_PATTERN.sub(" ", text) if "[" in text or "(" in text else text
