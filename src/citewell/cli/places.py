"""`citewell places`: searches physical places with the local_search tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from citewell.cli.running.shared_options import AnswerJson
from citewell.cli.running.tool_command import print_item, run_search_tool
from citewell.cli.terminal import screen


def command(
    query: Annotated[str, typer.Argument(help='What, and where: "coffee in Lyon".')],
    *,
    near: Annotated[str | None, typer.Option(help="City, district or landmark.")] = None,
    latitude: Annotated[float | None, typer.Option("--lat", help="With --lon.")] = None,
    longitude: Annotated[float | None, typer.Option("--lon", help="With --lat.")] = None,
    radius: Annotated[
        float, typer.Option(help="Metres around the coordinates; 0 for any distance.")
    ] = 0,
    country: Annotated[str | None, typer.Option(help="ISO 3166-1 alpha-2, such as FR.")] = None,
    units: Annotated[str, typer.Option(help="metric or imperial.")] = "metric",
    count: Annotated[
        int, typer.Option("-n", "--num-results", min=1, max=20, help="How many places.")
    ] = 5,
    provider: Annotated[str | None, typer.Option(help="Use only this provider.")] = None,
    as_json: AnswerJson = False,
) -> int:
    given = {
        "query": query,
        "near": near,
        "latitude": latitude,
        "longitude": longitude,
        "radius": radius,
        "country": country,
        "units": units,
        "num_results": count,
        "provider": provider,
    }
    return run_search_tool("local_search", given, as_json=as_json, print_answer=_print_places)


def _print_places(body: Mapping[str, Any]) -> None:
    if area := body.get("searchedNear"):
        screen.print_text(f"Near {area}", style="dim")
        screen.print_text()
    for number, place in enumerate(body["places"], start=1):
        rating = place.get("rating")
        facts = (
            _format_distance(place.get("distance"), body.get("distanceUnit", "")),
            ", ".join(place.get("categories", ())),
            f"rated {rating:g} by {place.get('ratingCount', 0)}" if rating is not None else "",
            place.get("phone"),
        )
        lines = [
            place.get("address"),
            *place.get("hours", ()),
            place.get("description"),
        ]
        print_item(
            number, place["name"], place.get("website"), facts, [one for one in lines if one]
        )
    if credit := body.get("attribution"):
        screen.print_text(credit, style="dim")


def _format_distance(distance: float | None, unit: str) -> str:
    """A distance as people say it: 180 m, 1.3 km, 0.4 mi."""
    if distance is None:
        return ""
    if unit == "km" and distance < 1:
        return f"{round(1000 * distance)} m"
    return f"{distance:.1f} {unit}"
