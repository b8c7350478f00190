"""Searches that fill the fields of a schema, and their results as callers receive them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from citewell.core.values.search_results import EmptySearchHints
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, LongText, WireValue

STRUCTURED_TIMEOUT_SECONDS = 60.0  # for a provider to answer


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredQuery:
    """One search of one provider; the schema is within the limits of `parse_field_schema`."""

    text: str
    count: int = 5
    category: str | None = None
    schema: Mapping[str, Any] | None = None
    timeout_seconds: float = STRUCTURED_TIMEOUT_SECONDS


class ValueEvidence(WireValue):
    """The words of a page from which a value was read, with their offsets in the page's text."""

    quote: LongText
    start: int | None = None  # None for what stands in the page's metadata only
    end: int | None = None


class StructuredResult(WireValue):
    """One page with the fields that were asked for; `highlights` are word for word from it."""

    url: str
    title: str | None = None
    published_date: str | None = None
    author: str | None = None
    summary: Any = None  # JSON by the schema, null where the page does not say; else a text
    highlights: tuple[LongText, ...] | None = None
    evidence: dict[str, ValueEvidence] | None = None  # by field, "address.city" for an inner one
    entities: Any = None  # of the provider, for categories that have them

    def to_wire(self) -> dict[str, Any]:
        """As JSON; nulls inside `summary` and `entities` stay, because they mean "not said"."""
        wire = super().to_wire()
        kept = {"summary": self.summary, "entities": self.entities}
        return wire | {name: value for name, value in kept.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredHits:
    results: tuple[StructuredResult, ...]
    cost_ticks: int = 0
    notes: tuple[str, ...] = ()


class StructuredAnswer(WireValue):
    """What structured_search returns."""

    query: str
    category: str
    result_count: int
    results: Body[tuple[StructuredResult, ...]]
    provider: str
    cost_usd: float | None = None  # of a metered provider; an estimate, not an invoice
    notes: tuple[str, ...] | None = None
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)

    def to_wire(self) -> dict[str, Any]:
        return super().to_wire() | {"results": [result.to_wire() for result in self.results]}
