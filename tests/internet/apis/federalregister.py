"""The API of the Federal Register, over a few documents."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.papers import UNHURRIED
from tests.internet.world import World

PREFIX = "/federalregister"
DOCUMENTS = (
    ("2024-00366", "Example Standards for Drones", "Rule", "2024-01-18", 89, 3344, 3352),
    ("2024-00400", "Notice of a Meeting on Drones", "Notice", "2024-02-01", 89, 6500, 6500),
    ("2024-00401", "Notice of Another Meeting", "Notice", "2024-02-01", 89, 6500, 6501),
    ("2023-12345", "Proposed Limits for Ozone", "Proposed Rule", "2023-06-09", 88, 37900, 37950),
)
_CITATION = re.compile(r"(\d+) FR (\d+)")


def routes(_world: World) -> list[Route]:
    async def search(request: Request) -> Response:
        asked = request.query_params
        words = asked.get("conditions[term]", "").lower().split()
        first = asked.get("conditions[publication_date][gte]", "")
        last = asked.get("conditions[publication_date][lte]", "9999")
        found = [
            row
            for row in DOCUMENTS
            if all(word in row[1].lower() for word in words) and first <= row[3] <= last
        ]
        body: dict[str, Any] = {"count": len(found), "description": "Documents"}
        if found:
            body["results"] = [_document(row) for row in found[: int(asked.get("per_page", "20"))]]
        return JSONResponse(body, headers=UNHURRIED)

    async def details(request: Request) -> Response:
        cited = _CITATION.fullmatch(request.query_params.get("conditions[term]", ""))
        volume, page = (int(cited[1]), int(cited[2])) if cited else (0, 0)
        numbers = [row[0] for row in DOCUMENTS if row[4] == volume and row[5] <= page <= row[6]]
        suggested = {"document_numbers": numbers, "volume": volume, "page": page}
        body = {"filters": {}, "suggestions": {"citation": suggested} if numbers else {}}
        return JSONResponse(body, headers=UNHURRIED)

    async def some(request: Request) -> Response:
        numbers = request.path_params["numbers"].removesuffix(".json").split(",")
        found = [_document(row) for row in DOCUMENTS if row[0] in numbers]
        whole: Any = found[0] if len(numbers) == 1 else {"count": len(found), "results": found}
        return JSONResponse(whole, headers=UNHURRIED)

    return [
        Route("/federalregister/documents.json", search),
        Route("/federalregister/documents/search-details", details),
        Route("/federalregister/documents/{numbers}", some),
    ]


def _document(row: tuple[Any, ...]) -> dict[str, Any]:
    number, title, kind, day, volume, start, end = row
    return {
        "title": title,
        "type": kind,
        "abstract": f"The agency writes about {title.lower()}.",
        "document_number": number,
        "html_url": f"https://www.federalregister.gov/documents/{day.replace('-', '/')}/{number}/x",
        "publication_date": day,
        "agencies": [{"name": "Example Agency", "slug": "example-agency"}],
        "citation": f"{volume} FR {start}",
        "docket_ids": ["EX-0001"],
        "start_page": start,
        "end_page": end,
        "volume": volume,
    }
