"""Statistical series of economies, and their observations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, Protocol, Self, runtime_checkable
from urllib.parse import quote, urlencode

from pydantic import Field

from citewell.core.errors import InvalidInput
from citewell.core.tooling import (
    CommandOption,
    Filter,
    RequireService,
    SearchCommand,
    SessionId,
    Tool,
    ToolArguments,
    ToolCall,
)
from citewell.core.values.argument_types import BLANK_IS_ABSENT, OptionalName, OptionalQuery
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import EmptySearchHints
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, LongText, WireValue
from citewell.domains.series_ids import MAX_SERIES_ID_CHARS, guess_series_provider, split_dotted_key
from citewell.domains.series_view import show_series
from citewell.routing.ports import Offer, ToolProviders
from citewell.search.search_request import clean_query_text, normalize_provider_name
from citewell.text.calendar_dates import StatedPeriod, parse_stated_period
from citewell.text.places import find_country, suggest_countries

if TYPE_CHECKING:
    from citewell.search.domain_search import DomainSearch

SERIES_PROVIDER_ORDER = ("fred", "worldbank", "oecd", "eurostat", "ecb", "imf")
DEFAULT_SERIES_COUNT = 5
DEFAULT_OBSERVATION_COUNT = 10
SeriesFrequency = Literal["d", "w", "m", "q", "a"]
_FRED = "fred"
_MAX_COLUMNS = 6
_MISSING = "–"
_UNITS = ("lin", "chg", "ch1", "pch", "pc1", "pca", "cch", "cca", "log")
_NO_ROWS_ADVICE = (
    "There is no observation for these arguments: widen the dates, leave country out, or restrict"
    " fewer dimensions in series_id."
)


class SeriesQuery(ToolArguments):
    """Find economic and social statistics (FRED, World Bank, OECD, Eurostat, ECB, IMF) and read their values exactly as published. query lists series; series_id lists observations: the newest first, or from date_from on, oldest first. One provider answers; hints name others."""

    query: Annotated[
        OptionalQuery, Field(description="Words of a series' name."), CommandOption()
    ] = None
    series_id: Annotated[
        str | None,
        Field(
            max_length=MAX_SERIES_ID_CHARS,
            description="Lists observations: GDP, NY.GDP.MKTP.CD, agency,flow,version, une_rt_m,"
            " EXR/D.USD.EUR.SP00.A; ?sex=T&age=TOTAL narrows a data set.",
        ),
        BLANK_IS_ABSENT,
        CommandOption(
            "Print the observations of this series, such as NY.GDP.MKTP.CD.", flag="--id"
        ),
    ] = None
    country: Annotated[
        OptionalName,
        Field(description="ISO code or English name; not FRED."),
        Filter(3),
        CommandOption("An ISO code or an English name."),
    ] = None
    date_from: Annotated[
        OptionalName,
        Field(description="YYYY-MM-DD or YYYY."),
        Filter(1),
        CommandOption(flag="--from"),
    ] = None
    date_to: Annotated[
        OptionalName,
        Field(description="YYYY-MM-DD or YYYY."),
        Filter(2),
        CommandOption(flag="--to"),
    ] = None
    frequency: Annotated[
        SeriesFrequency | None,
        Field(description="FRED only."),
        Filter(4),
        CommandOption("For FRED: d, w, m, q or a.", fold=str.lower),
    ] = None
    units: Annotated[
        OptionalName,
        Field(description="FRED only: pch, pc1…"),
        Filter(5),
        CommandOption("For FRED: pch, pc1 and other transformations."),
    ] = None
    count: Annotated[
        int | None,
        Field(ge=1, le=100, validation_alias="num_results", description="5; 10 for observations."),
        CommandOption("How many series (5) or observations (10)."),
    ] = None
    provider: Annotated[
        OptionalName,
        Field(description="fred, worldbank, oecd, eurostat, ecb or imf."),
        CommandOption("Use only fred, worldbank, oecd, eurostat, ecb or imf."),
    ] = None
    session_id: SessionId = None

    def clean_values(self) -> Self:
        """The query with days, codes and single lines; raises InvalidInput if a value is invalid or all are missing."""
        if not self.query and not self.series_id:
            raise InvalidInput(
                "Give query (words of a series' name) or series_id (such as NY.GDP.MKTP.CD)."
            )
        if self.units and self.units.lower() not in _UNITS:
            raise InvalidInput(f"units must be one of {', '.join(_UNITS)}.")
        first, last = _parse_day(self.date_from, "date_from"), _parse_day(self.date_to, "date_to")
        if first and last and first.first_day > last.last_day:
            raise InvalidInput(f"date_from {first.text} is after date_to {last.text}.")
        return self.with_changes(
            query=clean_query_text(self.query) if self.query else None,
            series_id=self.series_id.strip() if self.series_id else None,
            country=_resolve_country(self.country),
            date_from=first.first_day if first else None,
            date_to=last.last_day if last else None,
            units=self.units.lower() if self.units else None,
            provider=normalize_provider_name(self.provider),
        )


class ObservationQuery(SeriesQuery):
    """A cleaned query for the observations of one series or data set.

    `country` is ISO 3166-1 alpha-3 or the World Bank's code of a group; the dates are ISO 8601 days,
    and with `date_from` the oldest observations come first.
    """

    series_id: str
    count: int = DEFAULT_OBSERVATION_COUNT


class SeriesItem(WireValue):
    """A series that was found, or one observation; `title` and `units` tell the series of one data set apart."""

    series_id: str
    title: str | None = None
    date: str | None = None  # the period: 2024, 2024-Q1, 2024-03, 2024-03-31; series have none
    value: str | None = None  # as the provider writes it; absent if it is missing
    units: str | None = None
    frequency: str | None = None
    last_updated: str | None = None  # as the provider writes it, or an ISO 8601 day
    notes: str | None = None  # of an observation: its status
    url: str | None = None  # the series' page for people


class SeriesHits(WireValue):
    series: tuple[SeriesItem, ...] = ()
    notes: tuple[str, ...] = ()


class ObservationList(WireValue):
    observations: tuple[SeriesItem, ...] = ()
    title: str | None = None  # of the series or data set
    country: str | None = None  # the provider's code, if it was asked for a country
    notes: tuple[str, ...] = ()


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


@runtime_checkable
class SeriesSearch(Protocol):
    """Searches statistical series by words, and lists the observations of one."""

    can_search_series: bool  # False if the provider knows series by their ids alone

    async def search_series(self, words: str, *, count: int) -> SeriesHits: ...

    async def list_observations(self, query: ObservationQuery) -> ObservationList:
        """The observations; raises NotFound if there is no such series."""
        ...


async def search_series(
    query: SeriesQuery, require_service: RequireService, *, trace: RoutingTrace
) -> SeriesAnswer:
    """Series by words, or the observations of series_id, of one provider; raises its error.

    An empty answer has hints that name other providers; none of them is asked.
    """
    from citewell.search.domain_search import DomainSearch

    search = require_service(DomainSearch)
    query = query.clean_values()
    if query.series_id:
        given = query.model_dump(exclude_none=True)
        return await _list_observations(search, ObservationQuery(**given), trace)
    return await _find_series(search, query, trace)


async def _find_series(
    search: DomainSearch, query: SeriesQuery, trace: RoutingTrace
) -> SeriesAnswer:
    words, count = query.query or "", query.count or DEFAULT_SERIES_COUNT
    name, hits = await search.ask_first_provider(
        _choose_searchable(search, query.provider),
        SeriesSearch,
        lambda source: source.search_series(words, count=count),
        trace=trace,
    )
    ignored = query.list_set_filters()
    notes = (f"{', '.join(ignored)}: used for observations only.",) if ignored else ()
    pages = (build_series_page(name, series.series_id) for series in hits.series)
    hints = None
    if not hits.series:
        others = _choose_searchable(search, None)
        hints = search.explain_missing_records((name,), offer=Offer.SERIES, others=others)
    return SeriesAnswer(
        mode="series",
        results=tuple(
            series.with_changes(url=page) for series, page in zip(hits.series, pages, strict=True)
        ),
        query=query.query,
        result_count=len(hits.series),
        provider=name,
        notes=(*hits.notes, *notes),
        hints=hints,
    )


async def _list_observations(
    search: DomainSearch, query: ObservationQuery, trace: RoutingTrace
) -> SeriesAnswer:
    named = query.provider or guess_series_provider(query.series_id)
    names = search.choose_providers(Offer.SERIES, named=named, order=SERIES_PROVIDER_ORDER)
    name, found = await search.ask_first_provider(
        names, SeriesSearch, lambda source: source.list_observations(query), trace=trace
    )
    rows = found.observations
    hints = None
    if not rows:  # other providers do not know this provider's ids
        hints = search.explain_missing_records(
            (name,),
            filters=query.list_set_filters(),
            offer=Offer.SERIES,
            others=(),
            details=(_NO_ROWS_ADVICE,),
        )
    return SeriesAnswer(
        mode="observations",
        results=rows,
        query=query.query,
        series_id=query.series_id,
        title=found.title,
        country=found.country,
        result_count=len(rows),
        provider=name,
        table=render_observation_table(rows) or None,
        notes=(*_list_ignored_arguments(query, name), *found.notes),
        hints=hints,
    )


def _choose_searchable(search: DomainSearch, named: str | None) -> tuple[str, ...]:
    """Who can search by words: the named provider, or the configured ones that can."""
    names = search.choose_providers(Offer.SERIES, named=named, order=SERIES_PROVIDER_ORDER)
    if named:
        return names
    return tuple(
        name for name in names if getattr(search.load_provider(name), "can_search_series", False)
    )


def build_series_page(provider: str, series_id: str) -> str | None:
    """The page for people that a series or data set has on its provider's site; None without one."""
    flow = split_dotted_key(series_id).partition("?")[0].partition("/")[0]
    named = quote(flow, safe="")
    if provider == "worldbank":
        return f"https://data.worldbank.org/indicator/{named}"
    if provider == _FRED:
        return f"https://fred.stlouisfed.org/series/{named}"
    if provider == "eurostat":
        return f"https://ec.europa.eu/eurostat/databrowser/view/{named}/default/table"
    if provider == "ecb":
        return f"https://data.ecb.europa.eu/data/datasets/{named}"
    agency, _, rest = flow.partition(",")
    name, _, version = rest.partition(",")
    if provider == "imf":
        return f"https://data.imf.org/en/datasets/{quote(agency, safe='')}:{quote(name, safe='')}"
    if provider == "oecd":
        asked = {"df[ag]": agency, "df[id]": name, "df[vs]": version}
        return f"https://data-explorer.oecd.org/vis?{urlencode(asked)}"
    return None


def render_observation_table(rows: Sequence[SeriesItem]) -> str:
    """One line for each period, with a column for each series, or a line for each value if they are many."""
    if not rows:
        return ""
    labels = shorten_series_titles(rows)
    titles = list(dict.fromkeys(labels))
    if len(titles) == 1:
        cells = [[row.date or _MISSING, _show_value(row)] for row in rows]
        units = rows[0].units if len({row.units for row in rows}) == 1 else None
        return _render_table_rows(["Period", f"Value ({units})" if units else "Value"], cells)
    if len(titles) <= _MAX_COLUMNS:
        return _render_pivot(rows, labels, titles)
    return _render_table_rows(
        ["Period", "Series", "Value"],
        [
            [row.date or _MISSING, label, _show_value(row)]
            for row, label in zip(rows, labels, strict=True)
        ],
    )


def shorten_series_titles(rows: Sequence[SeriesItem]) -> list[str]:
    """The part of each title that tells the series apart, with its units if titles alone do not."""
    titles = [(row.title or "").rpartition(" — ")[2] for row in rows]
    if len(set(titles)) == len({(row.title, row.units) for row in rows}):
        return titles
    return [
        f"{title} ({row.units})" if row.units else title
        for title, row in zip(titles, rows, strict=True)
    ]


def _render_pivot(rows: Sequence[SeriesItem], labels: list[str], titles: list[str]) -> str:
    periods: dict[str, dict[str, str]] = {}
    for row, label in zip(rows, labels, strict=True):
        periods.setdefault(row.date or _MISSING, {})[label] = _show_value(row)
    return _render_table_rows(
        ["Period", *titles],
        [
            [period, *(known.get(title, "") for title in titles)]
            for period, known in periods.items()
        ],
    )


def _show_value(row: SeriesItem) -> str:
    shown = row.value or _MISSING
    return f"{shown} ({row.notes})" if row.notes else shown


def _render_table_rows(header: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *cells]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


def _list_ignored_arguments(query: SeriesQuery, name: str) -> tuple[str, ...]:
    """What was asked for and does not apply to this provider."""
    if name == _FRED:
        return ("country was not applied: a FRED series is of one place.",) if query.country else ()
    given = [label for label in ("frequency", "units") if getattr(query, label)]
    return (f"Not applied, being for FRED only: {' and '.join(given)}.",) if given else ()


def _parse_day(text: str | None, argument: str) -> StatedPeriod | None:
    if not text:
        return None
    period = parse_stated_period(text)
    if not period.first_day:
        raise InvalidInput(f"{argument} must be a date such as 2020-01-31 or a year such as 2020.")
    return period


def _resolve_country(text: str | None) -> str | None:
    if not text:
        return None
    entry = find_country(text)
    if entry is None:
        near = suggest_countries(text)
        hint = f" Near names: {', '.join(near)}." if near else ""
        raise InvalidInput(
            f"There is no country {text[:60]!r}.{hint} Give an ISO code or an English name, or put a"
            " provider's own code into series_id, such as ?geo=DE21."
        )
    return entry.code


async def run(query: SeriesQuery, call: ToolCall) -> SeriesAnswer:
    answer = await search_series(query, call.require_service, trace=call.trace)
    call.report_sources(
        SessionSource(url=item.url, title=item.title or answer.title or "", basis="record")
        for item in answer.results
        if item.url
    )
    return answer


TOOL = Tool(
    args=SeriesQuery,
    result=SeriesAnswer,
    run=run,
    toolset="domains",
    title="Economic statistics",
    ttl_seconds=6 * 3600,
    cache_version=2,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
    served_by=ToolProviders(
        offer=Offer.SERIES,
        filters=("country", "date_from", "date_to", "frequency", "units"),
        applied_by_us=frozenset({"date_from", "date_to"}),
    ),
)

COMMAND = SearchCommand(
    name="series",
    tool="econ_search",
    help="""Search statistical series, or print the values of one (--id).

They are what an assistant would get from econ_search.""",
    show_answer=show_series,
)
