"""Compares the name of a field that is asked for with the label under which a page states a value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from citewell.text.language import tokens

# Labels that mean the same on product, company and person pages; the first is the usual word.
_SAME_MEANINGS = (
    ("price", "cost", "price amount", "unit price", "preis", "prix", "precio"),
    ("currency", "price currency"),
    ("name", "title", "headline", "product name", "company name", "full name"),
    ("founded", "founding date", "year founded", "established", "founding year", "foundation"),
    ("founders", "founder", "founded by"),
    ("employees", "number of employees", "employee count", "headcount", "staff", "workforce"),
    ("headquarters", "hq", "headquarters location", "head office", "based in", "main office"),
    ("ceo", "chief executive", "chief executive officer"),
    ("revenue", "annual revenue", "turnover", "sales"),
    ("phone", "telephone", "phone number", "tel", "telefon"),
    ("email", "e mail", "email address", "mail"),
    ("website", "url", "homepage", "web site", "official website"),
    ("address", "street address", "location"),
    ("date", "published", "date published", "publication date", "published time", "published on"),
    ("modified", "date modified", "last updated", "updated", "modified time"),
    ("author", "authors", "written by", "by", "creator"),
    ("rating", "rating value", "average rating", "score", "stars"),
    ("reviews", "review count", "rating count", "number of reviews", "ratings"),
    ("availability", "in stock", "stock"),
    ("brand", "manufacturer", "maker"),
    ("sku", "article number", "item number", "product code", "mpn"),
    ("description", "summary", "about"),
    ("industry", "sector", "industries"),
    ("duration", "length", "running time", "total time"),
    ("color", "colour"),
    ("license", "licence"),
    ("publisher", "site name", "published by"),
    ("life", "lifetime", "life span", "lifespan", "life expectancy"),
    ("weight", "mass"),
)
_WORD_BORDER_PATTERN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^0-9A-Za-zÀ-ɏͰ-῿Ⰰ-퟿]+")
_MAX_LABEL_WORDS = 8
_MAX_EXTRA_WORDS = 2
_OWN_LABEL_WORTH = 0.9
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
        for group in _SAME_MEANINGS:
            if joined in group:
                for place, label in enumerate(group):
                    worth = 0.88 - 0.02 * place
                    labels.setdefault(_stem_words(label.split()), worth)
        return cls(tuple((stems, worth) for stems, worth in labels.items() if stems))

    def score_label(self, label: str) -> float:
        """1 for the same label, less for one of the same meaning or with other words besides; else 0."""
        found = _stem_words(split_label_words(label))
        if not found:
            return 0.0
        best = 0.0
        for stems, worth in self.wanted:
            if stems == found:
                best = max(best, worth)
            elif (
                worth >= _OWN_LABEL_WORTH  # other words beside a synonym may change its meaning
                and stems < found
                and len(found) - len(stems) <= _MAX_EXTRA_WORDS
            ):
                best = max(best, 0.6 * worth)
        return best


def _stem_words(words: Iterable[str]) -> frozenset[str]:
    plain = [word for word in words if word not in _FILLER_WORDS] or list(words)
    stems = tokens.extract_terms(" ".join(plain))
    return stems or frozenset(plain)
