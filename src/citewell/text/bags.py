"""A sentence ready to be compared with others: its stems, pairs of stems, trigrams and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from citewell.text import numbers, polarity, tokens
from citewell.text.numbers import Quantity


@dataclass(frozen=True, kw_only=True)
class Bag:
    """What is costly to find is found when it is first asked for, and kept."""

    text: str
    stems: tuple[str, ...]  # in their order, without stop-words
    language: str | None = None

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(self.stems)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(zip(self.stems, self.stems[1:], strict=False))

    @cached_property
    def trigrams(self) -> frozenset[str]:
        plain = f" {' '.join(tokens.words(self.text))} "
        return frozenset(plain[at : at + 3] for at in range(len(plain) - 2))

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        return numbers.quantities(self.text, language=self.language)

    @cached_property
    def negated(self) -> bool:
        return polarity.negated(self.text, language=self.language)


def bag(text: str, *, language: str | None = None) -> Bag:
    stems = tuple(tokens.sequence(text, language=language))
    return Bag(text=text, stems=stems, language=language)


def bags(texts: Iterable[str], *, language: str | None = None) -> tuple[Bag, ...]:
    return tuple(bag(text, language=language) for text in texts)
