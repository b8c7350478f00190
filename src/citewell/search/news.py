"""Recent news: the configured providers are asked in turn, and filters they lack are applied afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BeforeValidator, Field

from citewell.core.config import Settings
from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import (
    Card,
    CommandOption,
    SearchCommand,
    SessionId,
    Tool,
    ToolArguments,
    ToolCall,
)
from citewell.core.values.argument_types import (
    DEFAULT_NEWS_SORT,
    NewsSort,
    NewsTimeRange,
    OptionalName,
    QueryText,
    SafeLevel,
)
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import SearchFilter, SearchHit, SearchQuery
from citewell.core.values.search_results import EmptySearchHints, FilterReport
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, LongText, Spine, WireValue
from citewell.routing.ports import FindPause, Offer, ToolProviders
from citewell.routing.provider_catalogue import ProviderCatalogue, SearchRouter
from citewell.search import result_filters, search_hints
from citewell.search.lenses import LensCatalogue, SearchLens
from citewell.search.search_request import (
    check_language_code,
    clean_query_text,
    clean_single_line,
    normalize_country_code,
    normalize_provider_name,
    parse_site_domain,
)
from citewell.search.search_rounds import SearchHarvest, SearchRounds
from citewell.text import addresses

_WIDEST_RANGE = "year"
_MAX_CLOCK_SKEW = timedelta(days=1)  # a later date is a mistake: an article cannot be of next week
NewsSafeLevel = Literal["off", "moderate", "strict"]
DEFAULT_TIME_RANGE: NewsTimeRange = "week"
DEFAULT_NEWS_SAFE: NewsSafeLevel = "moderate"
_NEWS_SAFE_BY_LEVEL = {"medium": "moderate", "high": "strict"}  # the words of web_search
_LEVEL_BY_NEWS_SAFE: dict[NewsSafeLevel, SafeLevel] = {
    "off": "off",
    "moderate": "medium",
    "strict": "high",
}


def _choose_default(default: str) -> BeforeValidator:
    """A blank argument counts as not given."""
    return BeforeValidator(
        lambda value: (
            default if value is None or (isinstance(value, str) and not value.strip()) else value
        )
    )


class NewsQuery(ToolArguments):
    """Find recent news: title, link, publisher, snippet and, where known, time of publication. The answer says who applied which filter. For anything older than a year use web_search."""

    query: Annotated[QueryText, CommandOption("What to search for, 1 to 500 characters.")]
    count: Annotated[
        int, Field(ge=1, le=50, validation_alias="num_results"), CommandOption("How many articles.")
    ] = 5
    time_range: Annotated[
        NewsTimeRange,
        _choose_default(DEFAULT_TIME_RANGE),
        Field(validation_alias=AliasChoices("time_range", "freshness")),
        CommandOption("hour, day, week, month or year."),
    ] = DEFAULT_TIME_RANGE
    sort_by: Annotated[
        NewsSort,
        _choose_default(DEFAULT_NEWS_SORT),
        CommandOption("relevance or date.", flag="--sort"),
    ] = DEFAULT_NEWS_SORT
    news_source: Annotated[
        OptionalName,
        Field(description="One domain, such as reuters.com; not with lens."),
        CommandOption("Only this publisher's domain, such as reuters.com.", flag="--source"),
    ] = None
    country: Annotated[
        OptionalName,
        Field(description="ISO 3166-1 alpha-2."),
        CommandOption("ISO 3166-1 alpha-2, such as GB."),
    ] = None
    language: Annotated[
        OptionalName, Field(description="ISO 639-1, such as de or pt-BR."), CommandOption()
    ] = None
    safe: Annotated[
        NewsSafeLevel,
        BeforeValidator(lambda value: _NEWS_SAFE_BY_LEVEL.get(str(value), value)),
        _choose_default(DEFAULT_NEWS_SAFE),
        CommandOption("off, moderate or strict.", default=None),
    ] = DEFAULT_NEWS_SAFE
    lens: Annotated[
        OptionalName,
        Field(description="Named set of authoritative domains; see lenses://catalog."),
        CommandOption("Only authoritative hosts of a field, such as news."),
    ] = None
    provider: Annotated[
        OptionalName,
        Field(description="Only this provider."),
        CommandOption("Use only this provider."),
    ] = None
    session_id: SessionId = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that are set, the narrowest first; the time range always is."""
        given = {
            "news_source": self.news_source,
            "time_range": self.time_range,
            "lens": self.lens,
            "language": self.language,
            "country": self.country,
            "safe": self.safe == "strict",
        }
        return tuple(name for name, value in given.items() if value)

    def clean_values(self) -> Self:
        """The query in canonical form; raises InvalidInput for a value that is invalid or contradictory."""
        if self.lens and self.news_source:
            raise InvalidInput(
                "news_source and lens cannot be combined: a lens is a set of sources."
            )
        return self.with_changes(
            query=clean_query_text(self.query),
            news_source=parse_site_domain(self.news_source) if self.news_source else None,
            country=normalize_country_code(self.country),
            language=check_language_code(self.language),
            lens=clean_single_line(self.lens),
            provider=normalize_provider_name(self.provider),
        )

    def build_search_query(self) -> SearchQuery:
        """A clean query as providers of news take it, before a lens is applied."""
        return SearchQuery(
            text=self.query,
            count=self.count,
            sites=(self.news_source,) if self.news_source else (),
            time_range=self.time_range,
            safe=_LEVEL_BY_NEWS_SAFE[self.safe],
            language=self.language,
            country=self.country,
            category="news",
            sort_by=self.sort_by,
        )


class NewsArticle(WireValue):
    """One article; what the provider does not state is absent."""

    title: str
    url: str
    source: str  # the publisher's name, or the host of the address
    snippet: LongText
    published_at: str | None = None  # RFC 3339 in UTC
    published_basis: str | None = None  # provider, snippet, url; or seen, when a provider saw it
    source_url: str | None = None  # the publisher's site, if url leads there by the provider


class NewsAnswer(WireValue):
    """What news_search returns."""

    articles: Body[tuple[NewsArticle, ...]]
    query: str
    result_count: int
    hints: EmptySearchHints | None = None
    requested_num_results: int | None = None  # if more were requested than possible
    filters: Spine[tuple[FilterReport, ...]] | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)


def _read_utc_clock() -> datetime:
    return datetime.now(UTC)


class NewsSearchService:
    def __init__(
        self,
        *,
        settings: Settings,
        catalogue: ProviderCatalogue,
        lenses: LensCatalogue,
        find_pause: FindPause,
        now: Callable[[], datetime] = _read_utc_clock,
    ) -> None:
        self._lenses = lenses
        self._now = now
        self._router = SearchRouter(settings, catalogue)
        self._rounds = SearchRounds(
            settings,
            catalogue,
            list_able=lambda: catalogue.list_offering(Offer.NEWS),
            find_pause=find_pause,
            now=now,
        )

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            settings=kit.settings,
            catalogue=kit.catalogue,
            lenses=kit.lenses,
            find_pause=kit.find_pause,
        )

    async def search_news(self, query: NewsQuery, *, trace: RoutingTrace) -> NewsAnswer:
        """Articles, or hints why there are none; raises if no provider could answer."""
        query = query.clean_values()
        lens = self._lenses.resolve_lens(query.lens) if query.lens else None
        harvest = await self._harvest_articles(query, lens, trace)
        return self._build_news_answer(query, harvest)

    async def _harvest_articles(
        self, query: NewsQuery, lens: SearchLens | None, trace: RoutingTrace
    ) -> SearchHarvest:
        sent = query.build_search_query()
        name = query.provider or (lens.required_provider if lens else None)
        if name:
            return await self._rounds.search_named_provider(
                name, Offer.NEWS, sent, lens=lens, trace=trace
            )
        chain = self._router.require_chain(Offer.NEWS)
        return await self._rounds.search_chain(chain, sent, lens=lens, trace=trace)

    def _build_news_answer(self, query: NewsQuery, harvest: SearchHarvest) -> NewsAnswer:
        hits = choose_articles(
            (item.hit for item in harvest.fuse_replies()),
            by_date=query.sort_by == "date",
            count=query.count,
            now=self._now(),
        )
        limit = max(reply.max_results for reply in harvest.replies)
        return NewsAnswer(
            articles=tuple(map(build_news_article, hits)),
            query=query.query,
            result_count=len(hits),
            hints=None if hits else self._explain_no_articles(query, harvest),
            requested_num_results=query.count if query.count > limit else None,
            filters=_collect_news_reports(harvest) or None,
            notes=_collect_news_notes(harvest) or None,
        )

    def _explain_no_articles(self, query: NewsQuery, harvest: SearchHarvest) -> EmptySearchHints:
        wider = f"Only the last {query.time_range} was searched; a longer time_range may find more."
        return search_hints.explain_empty_harvest(
            query.list_constraints(),
            harvest,
            others=self._rounds.list_healthy_providers(but=harvest.list_attempted_providers()),
            details=(wider,) if query.time_range != _WIDEST_RANGE else (),
        )


def _collect_news_reports(harvest: SearchHarvest) -> tuple[FilterReport, ...]:
    """Who applied each filter; the site of a search for news is called news_source."""
    rows = result_filters.merge_filter_reports(reply.reports for reply in harvest.replies)
    return tuple(
        row.model_copy(update={"filter": SearchFilter.NEWS_SOURCE.value})
        if row.filter == SearchFilter.SITES.value
        else row
        for row in rows
        if row.filter != SearchFilter.CATEGORY.value  # that it is news needs no report
    )


def _collect_news_notes(harvest: SearchHarvest) -> tuple[str, ...]:
    notes = [note for reply in harvest.replies for note in reply.notes] + harvest.notes
    return tuple(dict.fromkeys(notes))


def choose_articles(
    hits: Iterable[SearchHit], *, by_date: bool, count: int, now: datetime
) -> list[SearchHit]:
    """The first `count` hits, each story once; with `by_date` the newest first, undated ones last.

    A date that lies ahead is a mistake, and is dropped.
    """
    stories = [_drop_future_date(hit, now) for hit in _keep_distinct_stories(hits)]
    if by_date:
        stories.sort(key=_read_age_key)
    return stories[:count]


def build_news_article(hit: SearchHit) -> NewsArticle:
    host = addresses.format_host_name(hit.source_url or hit.url)
    return NewsArticle(
        title=hit.title or host,
        url=addresses.strip_tracking(hit.url),
        source=hit.source or host,
        snippet=hit.snippet,
        published_at=format_utc_moment(hit.published) if hit.published else None,
        published_basis=hit.published_basis,
        source_url=hit.source_url,
    )


def format_utc_moment(moment: datetime) -> str:
    """RFC 3339 in UTC, to the second; a day alone is its midnight."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    utc = aware.astimezone(UTC).replace(microsecond=0, tzinfo=None)
    return f"{utc.isoformat()}Z"


def _drop_future_date(hit: SearchHit, now: datetime) -> SearchHit:
    if hit.published is None:
        return hit
    aware = hit.published if hit.published.tzinfo else hit.published.replace(tzinfo=UTC)
    is_possible = aware <= now + _MAX_CLOCK_SKEW
    return hit if is_possible else replace(hit, published=None, published_basis=None)


def _read_age_key(hit: SearchHit) -> float:
    return -hit.published.timestamp() if hit.published else 0.0


def _keep_distinct_stories(hits: Iterable[SearchHit]) -> Iterable[SearchHit]:
    """The first of each address and, on one site, of each title: papers publish a story under several."""
    seen: set[str] = set()
    for hit in hits:
        host = addresses.format_host_name(hit.source_url or hit.url)
        keys = {
            addresses.build_page_key(hit.url),
            f"{host} {' '.join(hit.title.casefold().split())}",
        }
        if not seen & keys:
            yield hit
        seen |= keys


async def run(query: NewsQuery, call: ToolCall) -> NewsAnswer:
    answer = await call.require_service(NewsSearchService).search_news(query, trace=call.trace)
    call.report_sources(
        SessionSource(url=hit.url, title=hit.title, site=hit.source, date=hit.published_at)
        for hit in answer.articles
    )
    return answer


TOOL = Tool(
    args=NewsQuery,
    result=NewsAnswer,
    run=run,
    toolset="domains",
    in_default_profile=True,
    ttl_seconds=900,
    cache_version=2,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
    served_by=ToolProviders(
        offer=Offer.NEWS,
        filters=("time_range", "sort_by", "news_source", "country", "language", "safe"),
        applied_by_us=frozenset({"time_range", "sort_by", "news_source", "country", "language"}),
    ),
)


def show_articles(body: Mapping[str, Any]) -> Iterator[Card]:
    for article in body["articles"]:
        yield Card(
            title=article["title"],
            url=article["url"],
            facts=(article["source"], _format_moment(article)),
            lines=(article.get("snippet"),),
        )


def _format_moment(article: Mapping[str, Any]) -> str:
    """The date and time without seconds; a midnight is most probably only a day."""
    moment = article.get("publishedAt", "")
    day, _, clock = moment.rstrip("Z").partition("T")
    hours = "" if clock in {"", "00:00:00"} else f" {clock[:5]} UTC"
    seen = "seen " if article.get("publishedBasis") == "seen" else ""
    return f"{seen}{day}{hours}" if day else ""


COMMAND = SearchCommand(
    name="news",
    tool="news_search",
    help="""Search recent news.

The articles are what an assistant would get from news_search.""",
    show_answer=show_articles,
)
