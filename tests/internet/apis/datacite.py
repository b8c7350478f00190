"""DataCite's REST API over the works it registered, in its documented shape."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import UNHURRIED, Author, Work
from tests.internet.world import World

PREFIX = "/datacite"
_TYPES = {"article": "Preprint", "software": "Software", "report": "Report", "dataset": "Dataset"}
_YEARS = re.compile(r"\s+AND publicationYear:\[(\S+) TO (\S+)\]")
_MISSING = {
    "errors": [
        {"status": "404", "title": "The resource you are looking for doesn't exist."},
    ]
}


def routes(world: World) -> list[Route]:
    async def dois(request: Request) -> Response:
        query = request.query_params.get("query", "")
        if listed := request.query_params.get("ids"):
            return _page(_listed(world, listed.split(",")), request)
        years = _YEARS.search(query)
        words = _YEARS.sub("", query).removeprefix("titles.title:")
        found = papers.of(world).search(
            words,
            year_from=_year(years[1]) if years else None,
            year_to=_year(years[2]) if years else None,
            agency="datacite",
        )
        if request.query_params.get("sort") == "-published":
            found.sort(key=lambda work: work.date or "", reverse=True)
        return _page(found, request)

    async def one(request: Request) -> Response:
        found = _registered(world, request)
        return (
            JSONResponse({"data": record(found)}, headers=UNHURRIED)
            if found
            else JSONResponse(_MISSING, 404, headers=UNHURRIED)
        )

    async def csl(request: Request) -> Response:
        found = _registered(world, request)
        if found is None:
            return JSONResponse(_MISSING, 404, headers=UNHURRIED)
        return JSONResponse(
            _csl(found), media_type="application/vnd.citationstyles.csl+json", headers=UNHURRIED
        )

    return [
        Route("/datacite/dois", dois),
        Route("/datacite/dois/{doi:path}", one),
        Route("/datacite/csl/{doi:path}", csl),
    ]


def record(work: Work) -> dict[str, Any]:
    related = []
    if work.preprint_of:
        related.append(
            {
                "relationType": "IsVersionOf",
                "relatedIdentifier": work.preprint_of,
                "relatedIdentifierType": "DOI",
            }
        )
    description = {"description": work.abstract, "descriptionType": "Abstract"}
    attributes = {
        "doi": work.key,
        "creators": [_creator(author) for author in work.authors],
        "titles": [{"title": work.title}],
        "publisher": work.publisher,
        "container": {},
        "publicationYear": work.year,
        "dates": [{"date": work.date, "dateType": "Issued"}],
        "language": work.language,
        "types": {"citeproc": work.kind, "resourceTypeGeneral": _TYPES.get(work.kind, "Text")},
        "relatedIdentifiers": related,
        "rightsList": [],
        "descriptions": [description] if work.abstract else [],
        "url": f"https://archive.example.org/{work.slug}",
        "state": "findable",
        "citationCount": 0,
        "referenceCount": 0,
    }
    return {"id": work.key, "type": "dois", "attributes": attributes}


def _creator(author: Author) -> dict[str, Any]:
    if isinstance(author, str):
        return {"name": author, "nameType": "Organizational", "affiliation": []}
    given, family = author
    return {
        "name": f"{family}, {given}",
        "nameType": "Personal",
        "givenName": given,
        "familyName": family,
        "affiliation": [],
    }


def _csl(work: Work) -> dict[str, Any]:
    return {
        "type": work.kind,
        "id": f"https://doi.org/{work.key}",
        "DOI": work.key.upper(),
        "URL": f"https://arxiv.org/abs/{work.ids['arxiv']}" if "arxiv" in work.ids else None,
        "title": work.title,
        "author": [
            {"literal": author}
            if isinstance(author, str)
            else {"family": author[1], "given": author[0]}
            for author in work.authors
        ],
        "issued": {"date-parts": [[work.year]]},
        "publisher": work.publisher,
        "abstract": work.abstract,
    }


def _page(found: list[Work], request: Request) -> Response:
    size = int(request.query_params.get("page[size]", "25"))
    meta = {"total": len(found), "totalPages": 1, "page": 1}
    data = [record(work) for work in found[:size]]
    return JSONResponse({"data": data, "meta": meta}, headers=UNHURRIED)


def _listed(world: World, dois: list[str]) -> list[Work]:
    works = (papers.of(world).by_doi(doi) for doi in dict.fromkeys(dois))
    return [work for work in works if work is not None and work.agency == "datacite"]


def _registered(world: World, request: Request) -> Work | None:
    found = papers.of(world).by_doi(request.path_params["doi"])
    return found if found is not None and found.agency == "datacite" else None


def _year(text: str) -> int | None:
    return None if text == "*" else int(text)
