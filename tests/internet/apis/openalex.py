"""OpenAlex's works over the register, in the shape of its recorded answers."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import UNHURRIED, Register, Work
from tests.internet.world import World

PREFIX = "/openalex"
MOST_VALUES = 100  # of one filter
_TYPES = {
    "article": "preprint",
    "article-journal": "article",
    "chapter": "book-chapter",
    "entry-encyclopedia": "reference-entry",
    "paper-conference": "article",
    "thesis": "dissertation",
}
_MISSING = "<!doctype html>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"


def routes(world: World) -> list[Route]:
    async def one(request: Request) -> Response:
        scheme, _, value = request.path_params["id"].rpartition(":")
        if not scheme:
            scheme, value = "openalex", request.path_params["id"]
        elif not scheme.isalpha():  # a DOI holds colons of its own
            scheme, _, value = request.path_params["id"].partition(":")
        found = papers.of(world).by_id(scheme, value)
        if found is None:
            return HTMLResponse(_MISSING, 404)
        return JSONResponse(_selected(request, record(world, found)), headers=UNHURRIED)

    async def many(request: Request) -> Response:
        asked, register = request.query_params, papers.of(world)
        chosen = dict(part.split(":", 1) for part in asked.get("filter", "").split(",") if part)
        if any(value.count("|") >= MOST_VALUES for value in chosen.values()):
            message = f"Maximum number of values exceeded: {MOST_VALUES} are the most."
            return JSONResponse(
                {"error": "Invalid query parameters error.", "message": message}, 400
            )
        found = _found(register, asked.get("search"), chosen)
        if asked.get("sort") == "publication_date:desc":
            found.sort(key=lambda work: work.date or "", reverse=True)
        size = int(asked.get("per_page", "25"))
        meta = {"count": len(found), "page": 1, "per_page": size, "groups_count": None}
        results = [_selected(request, record(world, work)) for work in found[:size]]
        return JSONResponse({"meta": meta, "results": results, "group_by": []}, headers=UNHURRIED)

    return [Route("/openalex/works", many), Route("/openalex/works/{id:path}", one)]


def record(world: World, work: Work) -> dict[str, Any]:
    register = papers.of(world)
    place = _location(world, work)
    address = f"https://openalex.org/{work.openalex}"
    doi = f"https://doi.org/{work.key}"
    first, _, last = work.pages.partition("-")
    return {
        "id": address,
        "doi": doi,
        "title": work.registered_title,
        "display_name": work.registered_title,
        "publication_year": work.year,
        "publication_date": _whole_date(work),
        "ids": {"openalex": address, "doi": doi, **_other_ids(work)},
        "language": work.language,
        "primary_location": place,
        "best_oa_location": place if place["is_oa"] else None,
        "locations": [place],
        "type": _TYPES.get(work.kind, work.kind),
        "open_access": {
            "is_oa": place["is_oa"],
            "oa_status": work.open,
            "oa_url": place["pdf_url"] or (place["landing_page_url"] if place["is_oa"] else None),
        },
        "authorships": [_authorship(name) for name in work.names],
        "cited_by_count": len(register.list_citing_papers(work)),
        "biblio": {
            "volume": work.volume or None,
            "issue": work.issue or None,
            "first_page": first or None,
            "last_page": last or first or None,
        },
        "is_retracted": work.retracted,
        "referenced_works_count": len(register.list_cited_papers(work)),
        "referenced_works": [
            f"https://openalex.org/{other.openalex}" for other in register.list_cited_papers(work)
        ],
        "abstract_inverted_index": inverted(work.abstract),
    }


def inverted(text: str | None) -> dict[str, list[int]] | None:
    if text is None:
        return None
    index: dict[str, list[int]] = {}
    for place, word in enumerate(text.split()):
        index.setdefault(word, []).append(place)
    return index


def _found(register: Register, search: str | None, chosen: dict[str, str]) -> list[Work]:
    if "cites" in chosen:
        cited = register.by_id("openalex", chosen["cites"])
        return list(register.list_citing_papers(cited)) if cited else []
    if "doi" in chosen:
        works = (register.by_doi(doi) for doi in dict.fromkeys(chosen["doi"].lower().split("|")))
        return [work for work in works if work is not None]
    if "openalex_id" in chosen:
        numbers = chosen["openalex_id"].split("|")
        return [work for number in numbers if (work := register.by_id("openalex", number))]
    since, until = chosen.get("from_publication_date"), chosen.get("to_publication_date")
    return register.search(
        search or chosen.get("title.search", ""),
        year_from=int(since[:4]) if since else None,
        year_to=int(until[:4]) if until else None,
        open_only="open_access.is_oa" in chosen,
    )


def _selected(request: Request, work: dict[str, Any]) -> dict[str, Any]:
    wanted = request.query_params.get("select")
    return {name: work[name] for name in wanted.split(",")} if wanted else work


def _location(world: World, work: Work) -> dict[str, Any]:
    is_open = work.open != "closed"
    kind = "repository" if work.kind == "article" else "journal"
    source = {
        "display_name": work.venue,
        "type": kind,
        "is_in_doaj": work.open == "gold",
        "host_organization_name": work.publisher or None,
    }
    return {
        "is_oa": is_open,
        "landing_page_url": f"https://doi.org/{work.key}",
        "pdf_url": papers.address(world, work) if is_open else None,
        "source": source if work.venue else None,
        "license": "cc-by" if is_open else None,
        "version": "submittedVersion" if kind == "repository" else "publishedVersion",
    }


def _other_ids(work: Work) -> dict[str, str]:
    ids = {}
    if "pmid" in work.ids:
        ids["pmid"] = f"https://pubmed.ncbi.nlm.nih.gov/{work.ids['pmid']}"
    if "pmcid" in work.ids:
        number = re.sub(r"\D", "", work.ids["pmcid"])
        ids["pmcid"] = f"https://www.ncbi.nlm.nih.gov/pmc/articles/{number}"
    return ids


def _authorship(name: str) -> dict[str, Any]:
    author = {"id": None, "display_name": name, "orcid": None}
    return {"author_position": "middle", "author": author, "raw_author_name": name}


def _whole_date(work: Work) -> str | None:
    """OpenAlex fills in what it does not know."""
    return (work.date + "-01-01")[:10] if work.date else None
