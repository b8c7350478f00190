"""CORE's search of works in its documented shape."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import Author, Register, Work
from tests.internet.world import World

PREFIX = "/core"
_DOI = re.compile(r'doi:"([^"]+)"')
_YEAR = re.compile(r"yearPublished(>=|<=)(\d+)")


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        found = [work for work in _found(papers.of(world), asked["q"]) if work.open != "closed"]
        if asked.get("sort") == "recency":
            found.sort(key=lambda work: work.date or "", reverse=True)
        limit = int(asked.get("limit", "10"))
        results = [_result(world, work) for work in found[:limit]]
        return JSONResponse({"totalHits": len(found), "limit": limit, "offset": 0, "results": results})  # fmt: skip

    return [Route("/core/search/works", search)]


def _found(register: Register, query: str) -> list[Work]:
    if match := _DOI.search(query):
        work = register.by_doi(match[1])
        return [work] if work else []
    years = {sign: int(year) for sign, year in _YEAR.findall(query)}
    return register.search(
        _YEAR.sub(" ", query), year_from=years.get(">="), year_to=years.get("<=")
    )


def _result(world: World, work: Work) -> dict[str, Any]:
    return {
        "id": work.number,
        "title": work.title,
        "authors": [{"name": _name(author)} for author in work.authors],
        "abstract": work.abstract,
        "doi": work.doi,
        "arxivId": work.ids.get("arxiv"),
        "pubmedId": work.ids.get("pmid"),
        "yearPublished": work.year,
        "publishedDate": f"{work.date}T00:00:00" if work.day else None,
        "publisher": f"'{work.publisher}'" if work.publisher else "",
        "journals": [{"title": work.venue or None, "identifiers": []}],
        "documentType": "research",
        "language": {"code": work.language, "name": "English"},
        "citationCount": None,
        "downloadUrl": papers.address(world, work),
        "sourceFulltextUrls": [],
        "fullText": "Not available for public API users.",
        "links": [{"type": "display", "url": f"https://core.ac.uk/works/{work.number}"}],
    }


def _name(author: Author) -> str:
    return author if isinstance(author, str) else f"{author[1]}, {author[0]}"
