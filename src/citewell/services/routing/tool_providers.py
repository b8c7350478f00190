"""Which providers serve each search tool, and who applies which of its filters.

The doctor and the reference pages are derived from this and from the SPECs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from citewell.model.search_queries import ImageFilter, SearchFilter
from citewell.ports import Offer, ProviderSpec

_MAX_LISTED_VALUES = 4
NATIVE, AFTERWARDS, NOT_POSSIBLE = "native", "afterwards", "not possible"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProviders:
    """The offer that serves a tool, its arguments that narrow a search, and those we can apply ourselves."""

    offer: Offer
    filters: tuple[str, ...] = ()
    applied_by_us: frozenset[str] = field(default_factory=frozenset)
    without_provider: str = ""  # what serves the tool if no provider does

    def describe_filter(self, spec: ProviderSpec, argument: str) -> str:
        """How the argument takes effect if this provider answers: native, afterwards or not possible."""
        otherwise = AFTERWARDS if argument in self.applied_by_us else NOT_POSSIBLE
        if self.offer is Offer.IMAGES:
            values = spec.image_filters.get(ImageFilter(argument))
            if not values:
                return otherwise if values is None else NATIVE
            most = len(values) > _MAX_LISTED_VALUES
            listed = "most values" if most else ", ".join(sorted(values))
            return f"{NATIVE} for {listed}; else {otherwise}"
        if self.offer is Offer.NEWS and argument == SearchFilter.NEWS_SOURCE:
            argument = SearchFilter.SITES
        if argument in spec.filters or argument in spec.applied_arguments.get(
            self.offer, frozenset()
        ):
            return NATIVE
        return otherwise


TOOL_PROVIDERS: Mapping[str, ToolProviders] = {
    "web_search": ToolProviders(
        offer=Offer.WEB,
        filters=(
            "site", "time_range", "safe", "language", "country", "exact_terms", "exclude_terms",
            "category",
        ),
        applied_by_us=frozenset({"site", "time_range", "exact_terms", "exclude_terms"}),
    ),
    "news_search": ToolProviders(
        offer=Offer.NEWS,
        filters=("time_range", "sort_by", "news_source", "country", "language", "safe"),
        applied_by_us=frozenset({"time_range", "sort_by", "news_source", "country", "language"}),
    ),
    "image_search": ToolProviders(
        offer=Offer.IMAGES,
        filters=(
            "size", "type", "color_type", "dominant_color", "file_type", "safe", "country",
            "language",
        ),
        applied_by_us=frozenset({"size", "type", "file_type"}),
    ),
    "academic_search": ToolProviders(
        offer=Offer.PAPERS,
        filters=("year_from", "year_to", "source", "open_access", "full_text", "pdf_only", "sort_by"),
        applied_by_us=frozenset(
            {"year_from", "year_to", "source", "open_access", "full_text", "pdf_only", "sort_by"}
        ),
        without_provider="web search of scholarly sites",
    ),
    "patent_search": ToolProviders(
        offer=Offer.PATENTS,
        filters=("patent_office", "assignee", "inventor", "cpc_code", "year_from", "year_to"),
        applied_by_us=frozenset(
            {"patent_office", "assignee", "inventor", "cpc_code", "year_from", "year_to"}
        ),
        without_provider="web search, and the pages of Google Patents",
    ),
    "filing_search": ToolProviders(
        offer=Offer.FILINGS, filters=("ticker", "form_type", "date_from", "date_to", "facts")
    ),
    "legal_search": ToolProviders(
        offer=Offer.CASES,
        filters=("jurisdiction", "date_from", "date_to"),
        applied_by_us=frozenset({"date_from", "date_to"}),
    ),
    "econ_search": ToolProviders(
        offer=Offer.SERIES,
        filters=("country", "date_from", "date_to", "frequency", "units"),
        applied_by_us=frozenset({"date_from", "date_to"}),
    ),
    "clinical_search": ToolProviders(
        offer=Offer.TRIALS,
        filters=("condition", "intervention", "sponsor", "status", "phase", "with_results"),
    ),
    "local_search": ToolProviders(
        offer=Offer.PLACES,
        filters=("near", "latitude", "longitude", "radius", "country"),
        applied_by_us=frozenset({"radius", "country"}),
    ),
    "answer": ToolProviders(offer=Offer.ANSWERS, without_provider="our own extractive answer"),
    "structured_search": ToolProviders(
        offer=Offer.STRUCTURED,
        filters=("category", "schema"),
        without_provider="our own reading of the pages",
    ),
    "brand_research": ToolProviders(
        offer=Offer.BRANDS, filters=("depth",), without_provider="the company's own pages"
    ),
}  # fmt: skip
