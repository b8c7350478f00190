"""Compares the name of a field that is asked for with the label under which a page states a value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from citewell.text.data_tables import load_table
from citewell.text.language import tokens

_WORD_BORDER_PATTERN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^0-9A-Za-zÀ-ɏͰ-῿Ⰰ-퟿]+")
_MAX_LABEL_WORDS = 8
_MAX_EXTRA_WORDS = 2
_OWN_LABEL_WORTH = 0.9
_QUALIFIER_LIST = (
    "former old previous shipping delivery minimum maximum min max regular list was per estimated projected"
    " expected target last next other related similar sub assistant deputy vice packaged package gross best worst highest lowest"
)
_QUALIFIERS = frozenset(_QUALIFIER_LIST.split())  # beside a label they mean another thing
_COUNTING_WORDS = frozenset(("count", "number", "total", "enrol", "amount", "valu"))  # stems
_ALIASES = {"weigh": "weight", "expiri": "expir"}  # stems of one word
_FILLER_WORDS = frozenset(("the", "of", "a", "an", "in", "for", "is", "to", "total", "der", "die"))


def split_label_words(label: str) -> tuple[str, ...]:
    """The words of a label in lower case: foundingDate, founding_date and "Founding date" are alike."""
    words = (word.lower() for word in _WORD_BORDER_PATTERN.split(label[:120]) if word)
    return tuple(words)[:_MAX_LABEL_WORDS]


@dataclass(frozen=True, slots=True)
class LabelMatcher:
    """The labels under which one field may stand, each as a set of stems with what it is worth."""

    wanted: tuple[tuple[frozenset[str], float], ...]

    @classmethod
    def for_field(cls, name: str, *, within: str = "") -> LabelMatcher:
        """`within` is the name of the object that holds the field."""
        own = split_label_words(name)
        labels: dict[frozenset[str], float] = {}
        if within:
            labels[_stem_words((*split_label_words(within), *own))] = 1.0
        labels.setdefault(_stem_words(own), 1.0 if not within else _OWN_LABEL_WORTH)
        joined = " ".join(own)
        # Labels that mean the same on product, company and person pages; the first is the usual word.
        for group in load_table(__package__, "same_labels"):
            if joined in group:
                for place, label in enumerate(group):
                    worth = 0.88 - 0.02 * place
                    labels.setdefault(_stem_words(label.split()), worth)
        return cls(tuple((stems, worth) for stems, worth in labels.items() if stems))

    def score_label(self, label: str) -> float:
        """1 for the same label, less for one of the same meaning or with other words besides; else 0."""
        words = split_label_words(label)
        found = _stem_words(words)
        if not found:
            return 0.0
        best = 0.0
        for stems, worth in self.wanted:
            if stems == found:
                best = max(best, worth)
            elif (
                worth >= _OWN_LABEL_WORTH  # other words beside a synonym may change its meaning
                and stems < found
                and not _QUALIFIERS & {*words}
                and _stem_words(words[-1:]) <= stems | _COUNTING_WORDS
                and len(found) - len(stems) <= _MAX_EXTRA_WORDS
            ):
                best = max(best, 0.6 * worth)
        return best


def _stem_words(words: Iterable[str]) -> frozenset[str]:
    plain = [word for word in words if word not in _FILLER_WORDS] or list(words)
    kept = [word for word in plain if tokens.extract_terms(word)]
    return frozenset(map(stem_term, kept)) or frozenset(plain)


def stem_term(word: str) -> str:
    """The stem, apart for what is done with a thing: marketing is no market, rating no rate."""
    stem = tokens.stem_word(word.lower(), "en")
    return f"{stem}~" if word.endswith("ing") and stem not in _ALIASES else _ALIASES.get(stem, stem)
