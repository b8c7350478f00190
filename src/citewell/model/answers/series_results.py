"""Series and observations as callers receive them, with the field names of spec 1."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import EmptySearchHints
from citewell.model.wire_values import UNTRUSTED_LABEL, Body, LongText, WireValue


class SeriesItem(WireValue):
    """A series that was found, or one observation, which has a date."""

    series_id: str
    title: str | None = None
    date: str | None = None
    value: str | None = None  # as the provider writes it; absent if it is missing
    units: str | None = None
    frequency: str | None = None
    last_updated: str | None = None
    notes: str | None = None  # of an observation: its status
    url: str | None = None  # the series' page for people


class SeriesAnswer(WireValue):
    """What econ_search returns."""

    mode: str  # series or observations
    results: Body[tuple[SeriesItem, ...]]
    query: str | None = None
    series_id: str | None = None
    title: str | None = None
    country: str | None = None  # the provider's code
    result_count: int
    provider: str
    table: LongText | None = None  # the observations in markdown
    notes: tuple[str, ...] = ()
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
