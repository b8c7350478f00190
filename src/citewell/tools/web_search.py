"""Search the web through whichever providers are configured."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from citewell.model.search_results import SearchAnswer
from citewell.services.web.search_service import SearchRequest, WebSearchService
from citewell.tooling import BLANK_IS_ABSENT, NOT_IN_CACHE_KEY, Tool, ToolArguments, ToolCall

_SAFE_LEVELS_BY_NUMBER = {"0": "off", "1": "medium", "2": "high"}


def _convert_safe_level(value: Any) -> Any:
    """Accepts the numbers that spec 3 uses for the levels."""
    return _SAFE_LEVELS_BY_NUMBER.get(str(value), value)


class Args(ToolArguments):
    """Search the web: titles, links and snippets with dates and source reputation. For whole page texts set fetch_content or read the links. Prefer search only for connector clients."""

    query: Annotated[str, Field(min_length=1, max_length=500)]
    num_results: Annotated[
        int,
        Field(
            default=5, ge=1, le=50, validation_alias=AliasChoices("num_results", "results_count")
        ),
    ]
    category: Annotated[
        Literal["general", "images", "videos", "news", "map", "music", "it", "science", "files"],
        Field(default="general"),
    ]
    fetch_content: Annotated[
        bool, Field(default=False, description="Read each result's page as markdown.")
    ]
    time_range: Annotated[
        Literal["day", "week", "month", "year"] | None,
        BLANK_IS_ABSENT,
        Field(default=None),
    ]
    language: Annotated[
        str | None,
        BLANK_IS_ABSENT,
        Field(default=None, description="ISO 639-1, such as de or pt-BR."),
    ]
    country: Annotated[
        str | None,
        BLANK_IS_ABSENT,
        Field(default=None, description="ISO 3166-1 alpha-2."),
    ]
    safe: Annotated[
        Literal["off", "medium", "high"],
        BeforeValidator(_convert_safe_level),
        Field(default="medium", validation_alias=AliasChoices("safe", "safe_search")),
    ]
    site: Annotated[
        str | None,
        BLANK_IS_ABSENT,
        Field(default=None, description="One domain; not with lens or sites."),
    ]
    sites: Annotated[
        tuple[str, ...], Field(default=(), max_length=10, description="Up to 10 domains.")
    ]
    lens: Annotated[
        str | None,
        BLANK_IS_ABSENT,
        Field(
            default=None,
            description="Named set of authoritative domains; lenses://catalog lists them.",
        ),
    ]
    exact_terms: Annotated[str | None, Field(default=None, max_length=200), BLANK_IS_ABSENT]
    exclude_terms: Annotated[str | None, Field(default=None, max_length=200), BLANK_IS_ABSENT]
    provider: Annotated[
        str | None,
        BLANK_IS_ABSENT,
        Field(default=None, description="Use this provider and no other."),
    ]
    claim: Annotated[
        str | None,
        Field(
            default=None,
            max_length=2000,
            description="Each result then quotes its sentence nearest to this claim.",
        ),
        BLANK_IS_ABSENT,
    ]
    session_id: Annotated[
        str | None,
        NOT_IN_CACHE_KEY,
        BLANK_IS_ABSENT,
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: ToolCall) -> SearchAnswer:
    ask = SearchRequest(
        query=args.query,
        count=args.num_results,
        category=args.category,
        time_range=args.time_range,
        language=args.language,
        country=args.country,
        safe=args.safe,
        site=args.site,
        sites=args.sites,
        lens=args.lens,
        exact_terms=args.exact_terms,
        exclude_terms=args.exclude_terms,
        provider=args.provider,
        claim=args.claim,
        fetch_content=args.fetch_content,
    )
    return await call.require_service(WebSearchService).search_web_pages(
        ask, trace=call.trace, progress=call.report_progress
    )


TOOL = Tool(
    args=Args,
    result=SearchAnswer,
    run=run,
    toolset="core",
    in_default_profile=True,
    ttl_seconds=1800,
    has_long_timeout=True,
    shows_freshness=True,
    is_empty_result=lambda answer: answer.result_count == 0,
)
