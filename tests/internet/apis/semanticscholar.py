"""Semantic Scholar's graph API in the shape of its recorded answers."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import UNHURRIED, Register, Work
from tests.internet.world import World

PREFIX = "/semanticscholar"
_SCHEMES = {"DOI": "doi", "ARXIV": "arxiv", "PMID": "pmid", "PMCID": "pmcid"}
_TYPES = {
    "article-journal": ["JournalArticle"],
    "paper-conference": ["Conference"],
    "book": ["Book"],
}


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        first, _, last = asked.get("year", "").partition("-")
        found = papers.of(world).search(
            asked["query"],
            year_from=int(first) if first else None,
            year_to=int(last) if last else None,
            open_only="openAccessPdf" in asked,
        )
        answer: dict[str, Any] = {"total": len(found), "offset": 0}
        if found:  # nothing found is told by leaving the list out
            answer["data"] = [paper(work) for work in found[: int(asked.get("limit", "100"))]]
        return JSONResponse(answer, headers=UNHURRIED)

    async def match(request: Request) -> JSONResponse:
        words = request.query_params["query"].lower()
        found = papers.of(world).search(words)
        if not found or not set(words.split()) & set(found[0].title.lower().split()):
            return JSONResponse({"error": "Title match not found"}, 404, headers=UNHURRIED)
        found_one = paper(found[0]) | {"matchScore": 170.1}
        return JSONResponse({"data": [found_one]}, headers=UNHURRIED)

    async def batch(request: Request) -> JSONResponse:
        return _batch(papers.of(world), (await request.json()).get("ids", []))

    async def one(request: Request) -> JSONResponse:
        name, limit = request.path_params["name"], int(request.query_params.get("limit", "100"))
        path, _, relation = name.rpartition("/")
        if relation in {"citations", "references"}:
            return _edges(papers.of(world), path, relation=relation, limit=limit)
        work = _find(papers.of(world), name)
        if work is None:
            return _missing(name)
        return JSONResponse(paper(work), headers=UNHURRIED)

    return [
        Route("/semanticscholar/paper/search", search),
        Route("/semanticscholar/paper/search/match", match),
        Route("/semanticscholar/paper/batch", batch, methods=["POST"]),
        Route("/semanticscholar/paper/{name:path}", one),
    ]


def _batch(register: Register, names: list[str]) -> JSONResponse:
    works = [_find(register, name) for name in names]
    if len(names) > 500 or not any(works):
        error = (
            "No valid paper ids given"
            if names[:500] == names
            else "Too many ids: 500 are the most."
        )
        return JSONResponse({"error": error}, 400, headers=UNHURRIED)
    rows = [None if work is None else paper(work) for work in works]
    return JSONResponse(rows, headers=UNHURRIED)


def _edges(register: Register, name: str, *, relation: str, limit: int) -> JSONResponse:
    work = _find(register, name)
    if work is None:
        return _missing(name)
    cites = relation == "citations"
    others = register.list_citing_papers(work) if cites else register.list_cited_papers(work)
    key = "citingPaper" if cites else "citedPaper"
    data = [
        {"isInfluential": other.number % 4 == 0, "intents": ["background"], key: paper(other)}
        for other in others[:limit]
    ]
    return JSONResponse({"offset": 0, "data": data}, headers=UNHURRIED)


def _find(register: Register, name: str) -> Work | None:
    prefix, colon, value = name.partition(":")
    scheme = _SCHEMES.get(prefix.upper()) if colon else "s2"
    if scheme is None:
        return None
    return register.by_id(scheme, f"PMC{value}" if scheme == "pmcid" else value or prefix)


def _missing(name: str) -> JSONResponse:
    return JSONResponse({"error": f"Paper with id {name} not found"}, 404, headers=UNHURRIED)


def paper(work: Work) -> dict[str, Any]:
    names = {"DOI": work.doi, "ArXiv": work.ids.get("arxiv"), "PubMed": work.ids.get("pmid")}
    central = work.ids.get("pmcid", "").removeprefix("PMC")
    ids: dict[str, Any] = {key: value for key, value in names.items() if value}
    ids |= {"PubMedCentral": central} if central else {}
    return {
        "paperId": work.s2,
        "externalIds": ids | {"CorpusId": work.number},
        "url": f"https://www.semanticscholar.org/paper/{work.s2}",
        "title": work.title,
        "abstract": work.abstract,
        "venue": work.venue,
        "year": work.year,
        "referenceCount": 3,
        "citationCount": work.number % 500,
        "isOpenAccess": work.open != "closed",
        "openAccessPdf": _pdf(work),
        "tldr": {"model": "tldr@v2.0.0", "text": f"A placeholder summary of {work.title}."},
        "publicationTypes": _TYPES.get(work.kind),
        "publicationDate": work.date if work.day else None,
        "journal": {"name": work.venue, "volume": work.volume, "pages": work.pages},
        "authors": [
            {"authorId": str(place), "name": name} for place, name in enumerate(work.names)
        ],
    }


def _pdf(work: Work) -> dict[str, Any]:
    if work.open == "closed":
        return {"url": "", "status": "CLOSED", "license": None}
    arxiv = work.ids.get("arxiv")
    url = f"https://arxiv.org/pdf/{arxiv}" if arxiv else f"https://doi.org/{work.doi}"
    return {"url": url, "status": work.open.upper(), "license": "CCBY"}
