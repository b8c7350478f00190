"""Find physical places: cafés, shops, services and sights."""

from __future__ import annotations

from citewell.model.answers.place_results import PlacesAnswer
from citewell.model.research_session import SessionSource
from citewell.services.domains.places.place_search import PlaceSearchRequest, PlaceSearchService
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, PlaceSearchRequest):
    """Find physical places (cafés, shops, services, sights) with address, coordinates, phone, website, opening hours and distance. Say where in the query ("coffee in Lyon"), with near, or with latitude and longitude; the nearest come first. From OpenStreetMap without a key: show its attribution. With a Brave key also ratings."""


async def run(args: Args, call: ToolCall) -> PlacesAnswer:
    steps = 0

    async def report(doing: str) -> None:
        nonlocal steps
        await call.report_progress(steps, message=doing)
        steps += 1

    answer = await call.require_service(PlaceSearchService).search_places(
        args.build_request(PlaceSearchRequest), trace=call.trace, report=report
    )
    call.report_sources(
        SessionSource(url=address, title=place.name)
        for place in answer.places
        if (address := place.url or place.website)
    )
    return answer


TOOL = Tool(
    args=Args,
    result=PlacesAnswer,
    run=run,
    toolset="domains",
    title="Places",
    ttl_seconds=6 * 3600,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
    empty_ttl_seconds=0.0,
)
