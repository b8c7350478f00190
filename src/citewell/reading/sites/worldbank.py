"""Reads the World Bank's pages of indicators as tables of their values, from its API.

The pages themselves draw their figures with scripts.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from citewell.core.errors import MalformedResponse
from citewell.core.values.page import Page
from citewell.reading import page_errors
from citewell.reading.sites import site_kit
from citewell.text.safety.text_cleaning import clean_markup

WORLDBANK_API = site_kit.SiteEndpoint(
    name="site_worldbank", base_url="https://api.worldbank.org/v2", timeout=15
)
ENDPOINTS = (WORLDBANK_API,)

_INDICATOR_PATTERN = re.compile(r"[A-Za-z0-9]{1,12}(?:\.[A-Za-z0-9]{1,12}){1,7}")
_PLACE_PATTERN = re.compile(r"[A-Za-z0-9]{2,3}")
_WHOLE_WORLD = "WLD"
_MAX_PLACES = 10
_MAX_YEARS = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class _YearValue:
    place: str
    year: str
    value: str


def find_route(url: str) -> site_kit.SiteRoute | None:
    at = site_kit.parse_site_address(url)
    if at is None or at.host != "data.worldbank.org" or at.find_part(0) != "indicator":
        return None
    indicator = at.find_part(1)
    places = at.query.get("locations", "").split("-")[:_MAX_PLACES]
    wanted = [place for place in places if _PLACE_PATTERN.fullmatch(place)]
    if not _INDICATOR_PATTERN.fullmatch(indicator):
        return None
    return site_kit.SiteRoute(
        url=url, kind="indicator", id=indicator, name=";".join(wanted) or _WHOLE_WORLD
    )


@site_kit.fall_back_to_ladder
async def read_page(route: site_kit.SiteRoute, kit: site_kit.SiteKit) -> Page | None:
    count = str(_MAX_YEARS * (route.name.count(";") + 1))
    response = await kit.open_upstream(WORLDBANK_API).send_get(
        f"/country/{route.name}/indicator/{route.id}",
        params={"format": "json", "per_page": count},
    )
    text = response.body.decode("utf-8", "replace")
    parts = await kit.run_apart(render_worldbank_indicator, text)
    if parts is None:
        raise MalformedResponse("The World Bank sent no observations.", provider="worldbank")
    if not parts.content:
        raise page_errors.build_soft_404_error(route.url, "no such indicator")
    return kit.build_parts_page(route, parts)


def render_worldbank_indicator(text: str) -> site_kit.SitePageParts | None:
    """The API's answer as a table, newest year first; values as they were sent.

    None if the answer has another form; without content if the API knows no such indicator.
    """
    try:
        body = json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, list) or not body or not isinstance(body[0], dict):
        return None
    if "message" in body[0]:
        return site_kit.SitePageParts(content="", content_type="worldbank", title="")
    rows = [row for row in (body[1] if len(body) > 1 else None) or () if isinstance(row, dict)]
    seen = [value for value in map(_read_year_value, rows) if value is not None]
    if not seen:
        return None
    title = next(
        (name for row in rows if (name := _read_value_label(row.get("indicator")))), "Indicator"
    )
    updated = clean_markup(str(body[0].get("lastupdated") or ""))[:10]
    return site_kit.SitePageParts(
        content=_render_year_table(title, seen, updated),
        content_type="worldbank",
        title=title,
        kind="article",
        site="World Bank Open Data",
        author="World Bank",
        published=updated or None,
    )


def _read_year_value(row: dict[str, Any]) -> _YearValue | None:
    place, year, value = _read_value_label(row.get("country")), row.get("date"), row.get("value")
    if not place or not isinstance(year, str) or not isinstance(value, str):
        return None
    return _YearValue(place=place, year=clean_markup(year), value=clean_markup(value))


def _read_value_label(part: object) -> str:
    return clean_markup(str(part.get("value") or "")) if isinstance(part, dict) else ""


def _render_year_table(title: str, seen: list[_YearValue], updated: str) -> str:
    places = list(dict.fromkeys(row.place for row in seen))
    years = sorted({row.year for row in seen}, reverse=True)
    values = {(row.place, row.year): row.value for row in seen}
    newest = [row for row in seen if row.year == years[0]]
    lines = [f"# {title}", ""]
    lines += [f"{title}, {row.place}, {row.year}: {row.value}." for row in newest]
    lines += ["", f"| Year | {' | '.join(places)} |", f"| --- |{' --- |' * len(places)}"]
    lines += [
        f"| {year} | {' | '.join(values.get((place, year), '') for place in places)} |"
        for year in years
    ]
    if updated:
        lines += ["", f"Source: World Bank, last updated {updated}."]
    return "\n".join(lines)
