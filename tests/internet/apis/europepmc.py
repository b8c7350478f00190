"""Europe PMC's search in the shape of its recorded and documented answers."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.internet import papers
from tests.internet.papers import UNHURRIED, Author, Happening, Register, Work
from tests.internet.world import World

PREFIX = "/europepmc"
_DOI = re.compile(r'DOI:"([^"]+)"')
_PMID = re.compile(r"EXT_ID:(\d+) AND SRC:MED")
_PMCID = re.compile(r"PMCID:(PMC\d+)")
_YEARS = re.compile(r"PUB_YEAR:\[(\d+) TO (\d+)\]")
_TITLE = re.compile(r"TITLE:\(([^()]*)\)")
_FIELDS = re.compile(r"PUB_YEAR:\[[^\]]*\]|[A-Z_]+:|\b(?:AND|OR)\b|[()\"]")
_WORD = re.compile(r"[^\W_]+")
_TYPES = {
    "retraction": "Retraction in",
    "expression_of_concern": "Expression of concern in",
    "correction": "Erratum in",
}


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> JSONResponse:
        asked = request.query_params
        if not asked.get("query"):
            return JSONResponse({"version": "6.9", "errCode": 404, "errMsg": "No query supplied"})
        found = [
            work
            for work in _found(papers.of(world), asked["query"])
            if {"pmid", "pmcid"} & set(work.ids)
        ]
        if asked.get("sort", "").startswith("P_PDATE_D"):
            found.sort(key=lambda work: work.date or "", reverse=True)
        listed = [result(work) for work in found[: int(asked.get("pageSize", "25"))]]
        return JSONResponse(
            {"version": "6.9", "hitCount": len(found), "resultList": {"result": listed}},
            headers=UNHURRIED,
        )

    return [Route("/europepmc/search", search)]


def _found(register: Register, query: str) -> list[Work]:
    for scheme, pattern in (("doi", _DOI), ("pmid", _PMID), ("pmcid", _PMCID)):
        if values := pattern.findall(query):
            works = (register.by_id(scheme, value) for value in dict.fromkeys(values))
            return [work for work in works if work is not None]
    years, title = _YEARS.search(query), _TITLE.search(query)
    found = register.search(
        _FIELDS.sub(" ", query),
        year_from=int(years[1]) if years else None,
        year_to=int(years[2]) if years else None,
        open_only="OPEN_ACCESS:Y" in query,
    )
    if title and " OR " not in title[1]:
        words = {word.lower() for word in title[1].split(" AND ")}
        found = [work for work in found if words <= set(_WORD.findall(work.title.lower()))]
    return found


def result(work: Work) -> dict[str, Any]:
    pmid, pmcid = work.ids.get("pmid"), work.ids.get("pmcid")
    types = ["Journal Article"] + (["Retracted Publication"] if work.retracted else [])
    row: dict[str, Any] = {
        "id": pmid or pmcid,
        "source": "MED" if pmid else "PMC",
        "pmid": pmid,
        "pmcid": pmcid,
        "doi": work.doi,
        "title": f"{work.title_prefix}{work.title}.",
        "authorList": {"author": [_author(author) for author in work.authors]},
        "journalInfo": {
            "volume": work.volume,
            "issue": work.issue,
            "dateOfPublication": str(work.year or ""),
            "journal": {"title": work.venue},
        },
        "pubYear": str(work.year) if work.year else None,
        "pageInfo": work.pages,
        "abstractText": work.abstract,
        "language": "eng",
        "pubTypeList": {"pubType": types},
        "fullTextUrlList": {"fullTextUrl": _texts(work)},
        "commentCorrectionList": {
            "commentCorrection": [_notice(event) for event in work.events if event.kind in _TYPES]
        },
        "isOpenAccess": "Y" if work.open != "closed" else "N",
        "citedByCount": work.number % 300,
        "firstPublicationDate": work.date if work.day else None,
    }
    return {key: value for key, value in row.items() if value is not None}


def _author(author: Author) -> dict[str, str]:
    if isinstance(author, str):
        return {"collectiveName": author}
    given, family = author
    initials = "".join(word[0] for word in given.split())
    return {"fullName": f"{family} {initials}", "firstName": given, "lastName": family}


def _texts(work: Work) -> list[dict[str, str]]:
    paid = {"availabilityCode": "S", "documentStyle": "doi", "site": "DOI"}
    texts = [paid | {"url": f"https://doi.org/{work.doi}"}]
    if number := work.ids.get("pmcid"):
        free = {"availabilityCode": "OA", "documentStyle": "pdf", "site": "Europe_PMC"}
        texts.append(free | {"url": f"https://europepmc.org/articles/{number}?pdf=render"})
    return texts


def _notice(event: Happening) -> dict[str, str]:
    year = (event.date or "2020")[:4]
    doi = f" doi: {event.notice}" if event.notice else ""
    return {"type": _TYPES[event.kind], "reference": f"Example J. {year};1(1):1.{doi}"}
