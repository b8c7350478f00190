"""Lists the values of a source once, for all statements that are compared with it.

Each function is given to `SourceText.derive`, which keeps what it returns.
"""

from __future__ import annotations

from dataclasses import dataclass

from citewell.text.evidence.claim_support import SourceText
from citewell.text.quantities.stated_quantities import StatedQuantity

_WINDOW_SENTENCES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceValue:
    """A value of a source where it is given first."""

    value: StatedQuantity
    index: int  # of its sentence
    is_in_row: bool  # of a table


def list_valued_sentences(source: SourceText) -> tuple[int, ...]:
    """The places of the sentences that give a value."""
    return tuple(at for at, said in enumerate(source.sentence_features) if said.stated_values)


def list_all_values(source: SourceText) -> tuple[StatedQuantity, ...]:
    every = source.sentence_features
    valued = source.derive(list_valued_sentences)
    return tuple(value for at in valued for value in every[at].stated_values)


def list_distinct_values(source: SourceText) -> tuple[SourceValue, ...]:
    """The values that differ in what they are or how they are written, in the order of the source."""
    found: dict[tuple[object, ...], SourceValue] = {}
    for at in source.derive(list_valued_sentences):
        said = source.sentence_features[at]
        is_in_row = said.text.lstrip().startswith("|")
        for one in said.stated_values:
            key = (one.text, one.low, one.high, one.unit, one.precision, one.scale, is_in_row)
            if key not in found:
                found[key] = SourceValue(value=one, index=at, is_in_row=is_in_row)
    return tuple(found.values())


def list_value_windows(source: SourceText) -> tuple[tuple[StatedQuantity, ...], ...]:
    """The values of each few consecutive sentences, from which an author may have reckoned."""
    every = source.sentence_features
    last = max(0, len(every) - _WINDOW_SENTENCES)
    starts = {
        at - step
        for at in source.derive(list_valued_sentences)
        for step in range(_WINDOW_SENTENCES)
        if 0 <= at - step <= last
    }
    return tuple(
        tuple(value for said in every[at : at + _WINDOW_SENTENCES] for value in said.stated_values)
        for at in sorted(starts)
    )


def list_value_units(source: SourceText) -> frozenset[str]:
    return frozenset(value.unit for said in source.sentence_features for value in said.quantities)
