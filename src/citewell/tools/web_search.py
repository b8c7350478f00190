"""Search the web through whichever providers are configured."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from citewell.model.source import SearchAnswer
from citewell.services.web.search import Ask, Web
from citewell.tooling import UNKEYED, Arguments, Call, Tool

_LEVELS = {"0": "off", "1": "medium", "2": "high"}


def _safe(value: Any) -> Any:
    """Spec 3 numbers the levels."""
    return _LEVELS.get(str(value), value)


def _blank(value: Any) -> Any:
    return None if value == "" else value


class Args(Arguments):
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
        Literal["day", "week", "month", "year"] | None, BeforeValidator(_blank), Field(default=None)
    ]
    language: Annotated[
        str | None,
        BeforeValidator(_blank),
        Field(default=None, description="ISO 639-1, such as de or pt-BR."),
    ]
    country: Annotated[
        str | None, BeforeValidator(_blank), Field(default=None, description="ISO 3166-1 alpha-2.")
    ]
    safe: Annotated[
        Literal["off", "medium", "high"],
        BeforeValidator(_safe),
        Field(default="medium", validation_alias=AliasChoices("safe", "safe_search")),
    ]
    site: Annotated[
        str | None,
        BeforeValidator(_blank),
        Field(default=None, description="One domain; not with lens or sites."),
    ]
    sites: Annotated[
        tuple[str, ...], Field(default=(), max_length=10, description="Up to 10 domains.")
    ]
    lens: Annotated[
        str | None,
        BeforeValidator(_blank),
        Field(
            default=None,
            description="Named set of authoritative domains; lenses://catalog lists them.",
        ),
    ]
    exact_terms: Annotated[str | None, Field(default=None, max_length=200), BeforeValidator(_blank)]
    exclude_terms: Annotated[
        str | None, Field(default=None, max_length=200), BeforeValidator(_blank)
    ]
    provider: Annotated[
        str | None,
        BeforeValidator(_blank),
        Field(default=None, description="Use this provider and no other."),
    ]
    claim: Annotated[
        str | None,
        Field(
            default=None,
            max_length=2000,
            description="Each result then quotes its sentence nearest to this claim.",
        ),
        BeforeValidator(_blank),
    ]
    session_id: Annotated[
        str | None,
        UNKEYED,
        BeforeValidator(_blank),
        Field(default=None, validation_alias="sessionId"),
    ]


async def run(args: Args, call: Call) -> SearchAnswer:
    ask = Ask(
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
    return await call.service(Web).search(ask, trace=call.trace, progress=call.progress)


TOOL = Tool(
    args=Args,
    result=SearchAnswer,
    run=run,
    toolset="core",
    default=True,
    ttl=1800,
    long=True,
    fresh_meta=True,
    empty=lambda answer: answer.result_count == 0,
)
