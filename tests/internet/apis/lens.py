"""Lens.org's patent API in its documented shape."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet.patents import PATENTS, Patent, match_patents
from tests.internet.world import World

PREFIX = "/lens"


def routes(_world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        if not request.headers.get("authorization", "").startswith("Bearer "):
            return JSONResponse({"message": "Unauthorized"}, 401)
        asked = await request.json()
        found = match_patents(_words(asked["query"]))[: asked["size"]]
        return JSONResponse(
            {"total": len(found), "results": len(found), "data": list(map(_row, found))}
        )

    return [Route("/lens/search", search, methods=["POST"])]


def _words(node: Any) -> list[str]:
    """The words of the first alternative of every condition."""
    if isinstance(node, list):
        return [word for one in node for word in _words(one)]
    words: list[str] = []
    for key, value in node.items():
        if key == "should":
            words += _words(value[0])
        elif key in {"match", "match_phrase"}:
            [text] = value.values()
            words += (text if isinstance(text, str) else text["query"]).split()
        elif isinstance(value, dict | list):
            words += _words(value)
    return words


def _row(one: Patent) -> dict[str, Any]:
    return {
        "lens_id": f"{PATENTS.index(one):03d}-000-000-000-001",
        "jurisdiction": one.office,
        "doc_number": one.serial,
        "kind": one.kind,
        "abstract": [{"text": one.abstract, "lang": "en"}],
        "biblio": {
            "application_reference": {"date": one.filed},
            "invention_title": [{"text": one.title, "lang": "en"}],
            "parties": {
                "applicants": [{"extracted_name": {"value": one.assignee}}],
                "inventors": [{"extracted_name": {"value": one.inventor}}],
            },
            "classifications_cpc": {"classifications": [{"symbol": one.cpc}]},
        },
        "legal_status": {"grant_date": one.published if one.is_granted else None},
    }
