"""The SPARQL service of CELLAR, for the few forms of query that we send (public facts)."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.internet.papers import UNHURRIED
from tests.internet.world import World

PREFIX = "/eurlex"
WORKS = (
    ("62018CJ0311", "ECLI:EU:C:2020:559", "2020-07-16", "Judgment of the Court (Grand Chamber) of 16 July 2020.#Data Protection Commissioner v Facebook Ireland Limited and Maximillian Schrems.#Protection of personal data — Transfers to third countries.#Case C-311/18."),
    ("62012CJ0131", "ECLI:EU:C:2014:317", "2014-05-13", "Judgment of the Court (Grand Chamber), 13 May 2014.#Google Spain SL and Google Inc. v Agencia Española de Protección de Datos (AEPD) and Mario Costeja González.#Personal data — Internet search engines.#Case C-131/12."),
    ("61962CJ0026", "ECLI:EU:C:1963:1", "1963-02-05", "Judgment of the Court of 5 February 1963.#NV Algemene Transport- en Expeditie Onderneming van Gend & Loos v Netherlands Inland Revenue Administration.#Direct effect.#Case 26-62."),
    ("32016R0679", "", "2016-04-27", "Regulation (EU) 2016/679 of the European Parliament and of the Council of 27 April 2016 on the protection of natural persons with regard to the processing of personal data (General Data Protection Regulation)"),
    ("32011L0083", "", "2011-10-25", "Directive 2011/83/EU of the European Parliament and of the Council of 25 October 2011 on consumer rights"),
)  # fmt: skip
_CELEX = re.compile(r"VALUES \?celex \{ ([^}]+) \}")
_ECLI = re.compile(r'case-law_ecli "([^"]+)"')
_WORDS = re.compile(r'<bif:contains> "([^"]+)"')
_FORM = re.compile(r'REGEX\(STR\(\?celex\), "([^"]+)"\)')
_BOUND = re.compile(r'\?date (>=|<=) "(\d{4}-\d\d-\d\d)"\^\^xsd:date')
_LIMIT = re.compile(r"LIMIT (\d+)$")


def routes(_world: World) -> list[Route]:
    async def query(request: Request) -> Response:
        sparql = request.query_params.get("query", "")
        limit = _LIMIT.search(sparql)
        if limit is None or sparql.count("{") != sparql.count("}"):
            return PlainTextResponse("Virtuoso 37000 Error SP030", status_code=400)
        rows = [_row(work) for work in WORKS if _matches(work, sparql)]
        rows.sort(key=lambda row: row["date"]["value"], reverse=True)
        body = {
            "head": {"link": [], "vars": ["work", "celex", "ecli", "date", "title"]},
            "results": {"distinct": False, "ordered": True, "bindings": rows[: int(limit[1])]},
        }
        return JSONResponse(body, media_type="application/sparql-results+json", headers=UNHURRIED)

    return [Route("/eurlex", query)]


def _matches(work: tuple[str, ...], sparql: str) -> bool:
    celex, ecli, day, title = work
    if (named := _CELEX.search(sparql)) and f'"{celex}"^^' not in named[1]:
        return False
    if (named := _ECLI.search(sparql)) and ecli != named[1]:
        return False
    if words := _WORDS.search(sparql):
        listed = [word.strip("'").lower() for word in words[1].split(" AND ")]
        if not all(word in title.lower() for word in listed):
            return False
    if (form := _FORM.search(sparql)) and not re.search(form[1], celex):
        return False
    return all(
        day >= bound if sign == ">=" else day <= bound for sign, bound in _BOUND.findall(sparql)
    )


def _row(work: tuple[str, ...]) -> dict[str, Any]:
    celex, ecli, day, title = work
    kinds = "http://www.w3.org/2001/XMLSchema#"
    row: dict[str, Any] = {
        "work": {"type": "uri", "value": f"http://publications.europa.eu/resource/cellar/{celex}"},
        "celex": {"type": "literal", "datatype": f"{kinds}string", "value": celex},
        "date": {"type": "literal", "datatype": f"{kinds}date", "value": day},
        "title": {"type": "literal", "xml:lang": "en", "value": title},
    }
    if ecli:
        row["ecli"] = {"type": "literal", "datatype": f"{kinds}string", "value": ecli}
    return row
