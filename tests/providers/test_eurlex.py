"""EUR-Lex: numbers, literals and titles in SPARQL."""

from __future__ import annotations

import re
from typing import Any

import pytest

from citewell.core.errors import RejectedRequest
from citewell.core.values.court_case import CaseQuery, LegalCitationKind
from tests.providers.desk import Desk, Reply
from tests.providers.law_desk import SPARQL, cite

NO_ROWS: dict[str, Any] = {"head": {"vars": []}, "results": {"bindings": []}}


def row(celex: str, title: str, **more: str) -> dict[str, Any]:
    values = {"celex": celex, "title": title, "date": "2020-07-16"} | more
    return {name: {"type": "literal", "value": value} for name, value in values.items()}


@pytest.mark.parametrize(
    "text",
    [
        'data" . } DROP GRAPH <x> ; #',
        'data\\" } INSERT',
        "data\n} ORDER BY ?x",
        "it's <http://evil.example/> {data}",
        "data" + "'" * 40,
        "\u202edata ?work ?p ?o",
    ],
)
def test_no_word_of_a_query_leaves_its_literal(text: str) -> None:
    desk = Desk("eurlex", {SPARQL: NO_ROWS})

    desk.ask("search_cases", CaseQuery(text=text))

    sparql = desk.params["query"]
    [wanted] = re.findall(r'<bif:contains> "([^"]*)"', sparql)
    assert re.fullmatch(r"'\w+'(?: AND '\w+')*", wanted)
    assert sparql.count('"') == 2
    assert sparql.count("{") == sparql.count("}") == 4
    assert sparql.endswith("LIMIT 30")


@pytest.mark.parametrize(
    "text", ['32016R0679"', "32016R0679 } DROP", "ECLI:EU:C:2020:559'", "x" * 300]
)
@pytest.mark.parametrize("kind", ["eu_celex", "eu_ecli"])
def test_a_number_of_another_form_is_not_sent(kind: LegalCitationKind, text: str) -> None:
    desk = Desk("eurlex", {SPARQL: NO_ROWS})

    match = desk.ask("look_up_citation", cite(kind, text))

    assert (match.cases, match.is_reporter_known, desk.sent) == ((), False, [])


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("C-311/18", 'VALUES ?celex { "62018CJ0311"^^xsd:string "62018CO0311"^^xsd:string'),
        ("Regulation (EU) 2016/679", '"32016R0679"^^xsd:string'),
        ("Directive 95/46/EC on data", '"31995L0046"^^xsd:string'),
        ("62018CJ0311", 'VALUES ?celex { "62018CJ0311"^^xsd:string }'),
        ("ecli:eu:c:2020:559", 'cdm:case-law_ecli "ECLI:EU:C:2020:559"^^xsd:string'),
    ],
)
def test_a_number_in_a_query_is_looked_up(text: str, sent: str) -> None:
    desk = Desk("eurlex", {SPARQL: NO_ROWS})

    desk.ask("search_cases", CaseQuery(text=text))

    assert sent in desk.params["query"]


def test_without_a_full_text_index_titles_are_compared() -> None:
    refused = Reply(body="Virtuoso 37000 Error", status=400)
    desk = Desk(
        "eurlex", {SPARQL: [refused, {"results": {"bindings": [row("32011L0083", "On rights")]}}]}
    )

    hits = desk.ask("search_cases", CaseQuery(text="consumer rights"))

    assert [case.name for case in hits.cases] == ["On rights"]
    assert 'CONTAINS(LCASE(STR(?words)), "consumer")' in desk.params["query"]


def test_a_query_that_is_refused_twice_is_an_error() -> None:
    with pytest.raises(RejectedRequest):
        Desk("eurlex", {SPARQL: Reply(body="Virtuoso 37000 Error", status=400)}).ask(
            "search_cases", CaseQuery(text="consumer rights")
        )


def test_one_case_comes_for_a_number_that_is_stored_twice() -> None:
    rows = [row("62018CJ0311", "Judgment.#A v B.#Case C-311/18.", ecli="ECLI:EU:C:2020:559")] * 2

    hits = Desk("eurlex", {SPARQL: {"results": {"bindings": rows}}}).ask(
        "search_cases", CaseQuery(text="privacy shield")
    )

    [case] = hits.cases
    assert (case.name, case.docket_number, case.court_id) == ("A v B", "Case C-311/18", "cjeu")
