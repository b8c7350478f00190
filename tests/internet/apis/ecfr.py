"""The search and the lists of versions of eCFR, over a few real sections (public facts)."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.papers import UNHURRIED
from tests.internet.world import World

PREFIX = "/ecfr"
_SEC = "Securities and Exchange Commission"
SECTIONS = (
    ("17", "240.10b-5", "Employment of manipulative and deceptive devices.", _SEC, "2017-01-01", None),
    ("17", "240.10b-18", "Purchases of certain equity securities by the issuer and others.", _SEC, "2017-01-01", "2020-03-01"),
    ("17", "240.10b-18", "Purchases of certain equity securities by the issuer and others.", _SEC, "2020-03-02", None),
    ("29", "1910.134", "Respiratory protection.", "Occupational Safety and Health Administration, Department of Labor", "2019-09-26", None),
    ("40", "50.19", "National primary and secondary ambient air quality standards for ozone.", "Environmental Protection Agency", "2017-01-01", None),
    ("45", "164.502", "Uses and disclosures of protected health information: General rules.", "Department of Health and Human Services", "2024-06-25", None),
)  # fmt: skip


def routes(_world: World) -> list[Route]:
    async def search(request: Request) -> Response:
        words = request.query_params.get("query", "").lower().split()
        found = [
            row for row in SECTIONS if all(word in f"{row[2]} {row[3]}".lower() for word in words)
        ]
        body = {
            "results": [_version(row) for row in found],
            "meta": {"current_page": 1, "total_pages": 1, "total_count": len(found)},
        }
        return JSONResponse(body, headers=UNHURRIED)

    async def versions(request: Request) -> Response:
        title = request.path_params["title"].removesuffix(".json").removeprefix("title-")
        section, part = request.query_params.get("section"), request.query_params.get("part")
        found = [
            row
            for row in SECTIONS
            if row[0] == title
            and (section is None or row[1] == section)
            and (part is None or row[1].partition(".")[0] == part)
        ]
        listed = [_stored(row) for row in found]
        meta = {"title": title, "result_count": str(len(listed))}
        return JSONResponse({"content_versions": listed, "meta": meta}, headers=UNHURRIED)

    return [
        Route("/ecfr/search/v1/results", search),
        Route("/ecfr/versioner/v1/versions/{title}", versions),
    ]


def _version(row: tuple[Any, ...]) -> dict[str, Any]:
    title, section, heading, chapter, start, end = row
    return {
        "starts_on": start,
        "ends_on": end,
        "type": "Section",
        "hierarchy": {"title": title, "part": section.partition(".")[0], "section": section},
        "headings": {"chapter": chapter, "section": heading},
        "full_text_excerpt": f"<strong>{heading}</strong>",
        "removed": False,
    }


def _stored(row: tuple[Any, ...]) -> dict[str, Any]:
    title, section, heading, _chapter, start, _end = row
    return {
        "date": start,
        "identifier": section,
        "name": f"§ {section}   {heading}",
        "part": section.partition(".")[0],
        "removed": False,
        "title": title,
        "type": "section",
    }
