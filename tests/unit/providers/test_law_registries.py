"""The registries of UK and EU law and of US regulations: what they send, and what they make of answers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from citewell.errors import MalformedResponse, RejectedRequest, UpstreamUnavailable
from citewell.model.domains.court_case import CaseQuery, LegalCitation, LegalCitationKind
from citewell.ports import Offer
from tests.contract.recordings import recording
from tests.unit.providers.desk import Desk, Reply

SPARQL, FEED, RESULTS = "/sparql", "/atom.xml", "/results"
NO_ROWS: dict[str, Any] = {"head": {"vars": []}, "results": {"bindings": []}}
EMPTY_FEED = '<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>'


def cite(kind: LegalCitationKind, text: str) -> LegalCitation:
    return LegalCitation(kind=kind, normalized=text)


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


@pytest.mark.parametrize(
    ("citation", "known"),
    [
        ("[2019] UKSC 41", True),
        ("[2024] EWCA Civ 12", True),
        ("[2024] EWHC 1698 (Admin)", True),
        ("[2003] UKHL 5", False),
        ("[2020] CSIH 5", False),
        ("not a citation", False),
    ],
)
def test_courts_that_send_no_judgments_are_not_known(citation: str, known: bool) -> None:
    desk = Desk("findcaselaw", {FEED: EMPTY_FEED})

    match = desk.ask("look_up_citation", cite("uk_neutral", citation))

    assert (match.cases, match.is_reporter_known) == ((), known)


def test_days_of_uk_judgments_are_compared_by_us_and_the_feed_is_asked_for_more() -> None:
    text = recording("findcaselaw", Offer.CASES).data["response"]["text"]
    desk = Desk("findcaselaw", {FEED: text})

    hits = desk.ask(
        "search_cases", CaseQuery(text="x", count=1, date_from="2017-01-01", date_to="2018-01-01")
    )

    assert [case.citations for case in hits.cases] == [("[2017] UKSC 27",)]
    assert desk.params["per_page"] == "50"


def test_the_link_of_a_judgment_is_its_page_and_no_file() -> None:
    text = recording("findcaselaw", Offer.CASES).data["response"]["text"]

    hits = Desk("findcaselaw", {FEED: text}).ask("search_cases", CaseQuery(text="x"))

    assert [case.url for case in hits.cases] == [
        "https://caselaw.nationalarchives.gov.uk/uksc/2019/41",
        "https://caselaw.nationalarchives.gov.uk/uksc/2017/27",
    ]


@pytest.mark.parametrize("body", ["<rss><channel/></rss>", "<html><body>Sorry</body></html>"])
def test_another_document_than_a_feed_is_no_answer(body: str) -> None:
    with pytest.raises(MalformedResponse):
        Desk("findcaselaw", {FEED: body}).ask("search_cases", CaseQuery(text="x"))


def ecfr_page(*versions: tuple[str, str, str | None]) -> dict[str, Any]:
    return {
        "results": [
            {
                "hierarchy": {"title": "17", "part": "240", "section": section},
                "headings": {"section": f"About {section}"},
                "starts_on": start,
                "ends_on": end,
            }
            for section, start, end in versions
        ],
        "meta": {"total_count": len(versions)},
    }


OLD, NEW = ("240.1", "2017-01-01", "2020-01-01"), ("240.1", "2020-01-02", None)


@pytest.mark.parametrize(
    ("versions", "day", "starts"),
    [
        ((OLD, NEW), None, ["2020-01-02"]),
        ((OLD, NEW), "2018-06-01", ["2017-01-01"]),
        ((OLD,), None, ["2017-01-01"]),  # better than nothing, and said in a note
    ],
)
def test_versions_that_have_ended_are_left_out_unless_asked_for(
    versions: tuple[tuple[str, str, str | None], ...], day: str | None, starts: list[str]
) -> None:
    hits = Desk("ecfr", {RESULTS: ecfr_page(*versions)}).ask(
        "search_cases", CaseQuery(text="x", date_to=day)
    )

    assert [case.date_filed for case in hits.cases] == starts


def test_a_version_that_has_ended_is_linked_as_it_was() -> None:
    hits = Desk("ecfr", {RESULTS: ecfr_page(OLD)}).ask("search_cases", CaseQuery(text="x"))

    assert hits.cases[0].url == "https://www.ecfr.gov/on/2020-01-01/title-17/section-240.1"
    assert hits.cases[0].status == "In force until 2020-01-01"
    assert hits.notes == ("No version is in force; these have ended.",)


def test_a_removed_section_says_so() -> None:
    version = {"identifier": "240.9", "part": "240", "date": "2019-01-01", "removed": True}

    match = Desk("ecfr", {"title-17.json": {"content_versions": [version]}}).ask(
        "look_up_citation", cite("us_cfr", "17 CFR 240.9")
    )

    assert [case.status for case in match.cases] == ["Removed"]


@pytest.mark.parametrize(
    ("citation", "sent"),
    [
        ("17 CFR 240.10b-5", {"section": "240.10b-5"}),
        ("17 C.F.R. § 240.10b-5(b)(1)", {"section": "240.10b-5"}),
        ("40 CFR part 60", {"part": "60"}),
    ],
)
def test_sections_are_asked_for_without_their_paragraphs(
    citation: str, sent: dict[str, str]
) -> None:
    desk = Desk("ecfr", {".json": {"content_versions": []}})

    match = desk.ask("look_up_citation", cite("us_cfr", citation))

    assert match.cases == ()
    assert desk.params == sent


def test_a_title_that_cannot_be_is_absent_and_one_that_is_missing_is_unknown() -> None:
    missing = Desk("ecfr", {".json": Reply(body="{}", status=404)})

    assert missing.ask("look_up_citation", cite("us_cfr", "99 CFR 1.1")).cases == ()
    with pytest.raises(UpstreamUnavailable):
        missing.ask("look_up_citation", cite("us_cfr", "35 CFR 1.1"))


def test_old_volumes_of_the_federal_register_are_not_known() -> None:
    desk = Desk("federalregister", {})

    match = desk.ask("look_up_citation", cite("us_register", "45 FR 1234"))

    assert (match.is_reporter_known, desk.sent) == (False, [])


def test_several_documents_of_a_page_are_all_listed() -> None:
    one = recording("federalregister", Offer.CITATIONS).data["also"]["/documents/2024-00366.json"]
    found = {"suggestions": {"citation": {"document_numbers": ["2024-1", "2024-2"]}}}
    both = {"count": 2, "results": [one, one | {"title": "Another"}]}
    desk = Desk("federalregister", {"search-details": found, "2024-1,2024-2.json": both})

    match = desk.ask("look_up_citation", cite("us_register", "89 Fed. Reg. 3,344"))

    assert [case.name for case in match.cases] == ["Example Standards for Drones", "Another"]
    assert dict(desk.sent[0].params) == {"conditions[term]": "89 FR 3344"}


def test_a_count_without_documents_is_no_answer() -> None:
    with pytest.raises(MalformedResponse):
        Desk("federalregister", {"documents.json": {"count": 7}}).ask(
            "search_cases", CaseQuery(text="x")
        )
