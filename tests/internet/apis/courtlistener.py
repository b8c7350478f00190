"""The API of CourtListener, version 4, over the cases of tests/internet/cases.json.

Names, citations, courts and dates there are facts about real cases; how often a case is cited, what
it is about and the numbers in addresses are the world's own.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.faults import Fault
from tests.internet.papers import UNHURRIED
from tests.internet.world import World

PREFIX = "/courtlistener"
CASES = Path(__file__).parent.parent / "cases.json"
COURTS = {
    "scotus": ("Supreme Court of the United States", "SCOTUS"),
    "ca2": ("Court of Appeals for the Second Circuit", "2d Cir."),
    "ca4": ("Court of Appeals for the Fourth Circuit", "4th Cir."),
    "ca7": ("Court of Appeals for the Seventh Circuit", "7th Cir."),
    "ca9": ("Court of Appeals for the Ninth Circuit", "9th Cir."),
    "cadc": ("Court of Appeals for the D.C. Circuit", "D.C. Cir."),
    "cafc": ("Court of Appeals for the Federal Circuit", "Fed. Cir."),
    "nysd": ("District Court, S.D. New York", "S.D.N.Y."),
    "pamd": ("District Court, M.D. Pennsylvania", "M.D. Penn."),
    "cand": ("District Court, N.D. California", "N.D. Cal."),
    "ny": ("New York Court of Appeals", "NY"),
    "nh": ("Supreme Court of New Hampshire", "N.H."),
    "nj": ("Supreme Court of New Jersey", "N.J."),
    "cal": ("California Supreme Court", "Cal."),
    "mass": ("Massachusetts Supreme Judicial Court", "Mass."),
    "mich": ("Michigan Supreme Court", "Mich."),
}
# What the service answers when the day's requests are used up.
DAILY_LIMIT = Fault(
    status=429,
    headers={"retry-after": "51000", "content-type": "application/json"},
    body={"detail": "Request was throttled. Expected available in 51000 seconds."},
)
PASSING_LIMIT = Fault(
    status=429,
    headers={"content-type": "application/json"},
    body={"detail": "Request was throttled."},
)
_PAGE_SIZE = 20
_CITATION_FIELD = re.compile(r'citation:\("([^"]+)"\)')
_CITATION = re.compile(r"(\d+) (.+) (\d+)")
_WORD = re.compile(r"[a-z0-9]+")


@cache
def list_cases() -> tuple[dict[str, Any], ...]:
    cases = json.loads(CASES.read_text(encoding="utf-8"))
    return tuple({"id": 100_000 + number, **case} for number, case in enumerate(cases))


def routes(_world: World) -> list[Route]:
    async def search(request: Request) -> Response:
        asked = request.query_params
        if asked.get("filed_after", "") > asked.get("filed_before", "9999"):
            return _answer({"detail": "The dates are out of order."}, status=400)
        found = [case for case in list_cases() if _matches(case, asked)]
        if asked.get("order_by") == "citeCount desc":
            found.sort(key=lambda case: -case["cited"])
        start = int(asked.get("cursor", "0"))
        page = found[start : start + _PAGE_SIZE]
        more = start + _PAGE_SIZE < len(found)
        address = request.url.include_query_params(cursor=start + _PAGE_SIZE)
        body = {
            "count": len(found),
            "next": str(address) if more else None,
            "previous": None,
            "results": [_found(case) for case in page],
        }
        return _answer(body)

    async def look_up(request: Request) -> Response:
        if not request.headers.get("authorization", "").startswith("Token "):
            said = "Authentication credentials were not provided."
            return _answer({"detail": said}, status=401)
        text = str((await request.form()).get("text", ""))
        parts = [(part, text.index(part)) for part in text.split(".\n\n")]
        return _answer(
            [_looked_up(part, start) for part, start in parts if _CITATION.fullmatch(part)]
        )

    return [
        Route("/courtlistener/search/", search),
        Route("/courtlistener/citation-lookup/", look_up, methods=["POST"]),
    ]


def _answer(body: Any, *, status: int = 200) -> Response:
    return JSONResponse(body, status_code=status, headers=UNHURRIED)


def _matches(case: dict[str, Any], asked: Any) -> bool:
    if asked.get("court") and case["court"] not in asked["court"].split():
        return False
    if not asked.get("filed_after", "") <= case["date"] <= asked.get("filed_before", "9999"):
        return False
    if cited := _CITATION_FIELD.fullmatch(asked.get("q", "")):
        return cited[1] in case["citations"]
    names = set(_words(case["name"]))
    text = names | set(_words(f"{case['about']} {' '.join(case['citations'])}"))
    return all(word in names for word in _words(asked.get("case_name", ""))) and all(
        word in text for word in _words(asked.get("q", ""))
    )


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in {"v", "vs", "the", "of"}]


def _address(case: dict[str, Any]) -> str:
    return f"/opinion/{case['id']}/{'-'.join(_WORD.findall(case['name'].lower()))}/"


def _found(case: dict[str, Any]) -> dict[str, Any]:
    court, label = COURTS.get(case["court"], (case["court"], case["court"]))
    return {
        "absolute_url": _address(case),
        "caseName": case["name"],
        "caseNameFull": "",
        "citation": case["citations"],
        "citeCount": case["cited"],
        "cluster_id": case["id"],
        "court": court,
        "court_citation_string": label,
        "court_id": case["court"],
        "dateFiled": case["date"],
        "docketNumber": case["docket"],
        "judge": "",
        "status": "Published",
        "syllabus": "",
        "opinions": [{"id": case["id"], "snippet": f"A case about <mark>{case['about']}</mark>."}],
    }


def _looked_up(text: str, start: int) -> dict[str, Any]:
    match = _CITATION.fullmatch(text)
    assert match is not None
    found = [case for case in list_cases() if text in case["citations"]]
    reporters = {" ".join(one.split()[1:-1]) for case in list_cases() for one in case["citations"]}
    status = 400 if match[2] not in reporters else {0: 404, 1: 200}.get(len(found), 300)
    return {
        "citation": text,
        "normalized_citations": [text],
        "start_index": start,
        "end_index": start + len(text),
        "status": status,
        "error_message": "" if status in {200, 300} else "Citation not found",
        "clusters": [_stored(case) for case in found],
    }


def _stored(case: dict[str, Any]) -> dict[str, Any]:
    places = [_CITATION.fullmatch(one) for one in case["citations"]]
    return {
        "id": case["id"],
        "absolute_url": _address(case),
        "case_name": case["name"],
        "case_name_full": "",
        "citations": [
            {"volume": place[1], "reporter": place[2], "page": place[3], "type": 1}
            for place in places
            if place
        ],
        "citation_count": case["cited"],
        "date_filed": case["date"],
        "docket_id": case["id"],
        "judges": "",
        "precedential_status": "Published",
    }
