"""Crossref's REST API over the register of works, in the shape of its recorded answers."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import UNHURRIED, Author, Happening, Work
from tests.internet.world import World

PREFIX = "/crossref"
TYPES = {
    "article": "posted-content",
    "article-journal": "journal-article",
    "book": "book",
    "chapter": "book-chapter",
    "entry-encyclopedia": "reference-entry",
    "paper-conference": "proceedings-article",
    "report": "report",
}
_QUERIES = ("query", "query.bibliographic", "query.title", "query.author")


def routes(world: World) -> list[Route]:
    async def works(request: Request) -> Response:
        asked = request.query_params
        filters = [part.split(":", 1) for part in asked.get("filter", "").split(",") if part]
        if any(len(part) < 2 for part in filters):
            return _refusal()
        chosen = dict(filters)
        if "doi" in chosen:  # filters of one name mean any of them
            found = _listed(world, [value for name, value in filters if name == "doi"])
            return JSONResponse(_list(world, request, found), headers=UNHURRIED)
        if "isbn" in chosen:
            found = [work for work in papers.of(world).works if chosen["isbn"] in work.isbn]
            return JSONResponse(_list(world, request, found), headers=UNHURRIED)
        found = papers.of(world).search(
            " ".join(asked[name] for name in _QUERIES if name in asked),
            year_from=_year(chosen.get("from-pub-date")),
            year_to=_year(chosen.get("until-pub-date")),
            agency="crossref",
        )
        found = [work for work in found if work.key.startswith(chosen.get("prefix", ""))]
        return JSONResponse(_list(world, request, found), headers=UNHURRIED)

    async def work(request: Request) -> Response:
        found = _registered(world, request)
        if found is None:
            # Real ones come under this type, too.
            return PlainTextResponse(
                "Resource not found.", 404, media_type="application/json", headers=UNHURRIED
            )
        return JSONResponse(_envelope("work", message(world, found)), headers=UNHURRIED)

    async def transform(request: Request) -> Response:
        found = _registered(world, request)
        if found is None:
            return PlainTextResponse("Resource not found.", 404)
        kind = "application/vnd.citationstyles.csl+json"
        return JSONResponse(csl(world, found), media_type=kind, headers=UNHURRIED)

    return [
        Route("/crossref/works", works),
        Route("/crossref/v1/works/{doi:path}/transform", transform),
        Route("/crossref/works/{doi:path}", work),
    ]


def message(world: World, work: Work) -> dict[str, Any]:
    unknown: list[int | None] = [None]
    date = {"date-parts": [work.date_parts or unknown]}
    register = papers.of(world)
    body: dict[str, Any] = {
        "DOI": work.key,
        "URL": f"https://doi.org/{work.key}",
        "type": TYPES.get(work.kind, "other"),
        "prefix": work.key.partition("/")[0],
        "title": [work.registered_title],
        "subtitle": [work.subtitle] if work.subtitle else [],
        "author": [_author(author, place) for place, author in enumerate(work.authors)],
        "container-title": [work.venue] if work.venue and work.kind != "article" else [],
        "publisher": work.publisher or "Example University Press",
        "issued": date,
        "published": date,
        "language": work.language,
        "is-referenced-by-count": len(register.list_citing_papers(work)),
        "references-count": len(register.list_cited_papers(work)),
        "link": [],
        "relation": {},
        "source": "Crossref",
        "score": 1,
    }
    body |= {
        name: value
        for name, value in (
            ("volume", work.volume),
            ("issue", work.issue),
            ("page", work.pages),
            ("ISBN", list(work.isbn)),
        )
        if value
    }
    if work.kind == "article":
        body |= {"subtype": "preprint", "institution": [{"name": work.venue}]}
    if work.abstract:
        body["abstract"] = f"<jats:title>Abstract</jats:title><jats:p>{work.abstract}</jats:p>"
    if work.preprint_of:
        related = {"id-type": "doi", "id": work.preprint_of, "asserted-by": "subject"}
        body["relation"] = {"is-preprint-of": [related]}
    if work.events:
        body["updated-by"] = [_update(event, work) for event in work.events]
    return body


def csl(world: World, work: Work) -> dict[str, Any]:
    """Crossref's CSL is its own record with texts in place of lists."""
    record = message(world, work)
    for name in ("title", "container-title"):
        record[name] = record[name][0] if record[name] else ""
    return record


def _author(author: Author, place: int) -> dict[str, Any]:
    sequence: dict[str, Any] = {"sequence": "additional" if place else "first", "affiliation": []}
    if isinstance(author, str):
        return {"name": author, **sequence}
    return {"given": author[0], "family": author[1], **sequence}


def _update(event: Happening, work: Work) -> dict[str, Any]:
    body: dict[str, Any] = {
        "DOI": (event.notice or work.key).lower(),
        "type": event.label,
        "label": event.label.replace("_", " ").capitalize(),
        "source": event.source,
    }
    if event.date:
        parts = [int(part) for part in event.date.split("-")]
        body["updated"] = {"date-parts": [parts], "date-time": f"{event.date}T00:00:00Z"}
    return body


def _list(world: World, request: Request, found: list[Work]) -> dict[str, Any]:
    rows = int(request.query_params.get("rows", "20"))
    items = [message(world, work) for work in found[:rows]]
    if chosen := request.query_params.get("select"):
        items = [{name: item[name] for name in chosen.split(",") if name in item} for item in items]
    body = {"facets": {}, "total-results": len(found), "items": items, "items-per-page": rows}
    return _envelope("work-list", body)


def _listed(world: World, dois: list[str]) -> list[Work]:
    works = (papers.of(world).by_doi(doi) for doi in dict.fromkeys(dois))
    return [work for work in works if work is not None and work.agency == "crossref"]


def _refusal() -> Response:
    """A value with a comma is taken for a filter without a value."""
    fault = {"type": "parameter-not-found", "value": "filter", "message": "No value given."}
    body = {"status": "failed", "message-type": "validation-failure", "message": [fault]}
    return JSONResponse(body, 400, headers=UNHURRIED)


def _registered(world: World, request: Request) -> Work | None:
    found = papers.of(world).by_doi(request.path_params["doi"])
    return found if found is not None and found.agency == "crossref" else None


def _envelope(kind: str, message: dict[str, Any]) -> dict[str, Any]:
    return {
        "status": "ok",
        "message-type": kind,
        "message-version": "1.0.0",
        "message": message,
    }


def _year(date: str | None) -> int | None:
    return int(date[:4]) if date else None
