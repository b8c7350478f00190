"""What is Europe PMC's own: one search for everything, free copies, preprints and books."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput, MalformedResponse, UpstreamUnavailable
from citewell.core.values.paper import BibliographicQuery, PaperQuery
from tests.providers.desk import Desk, paper_id
from tests.providers.europepmc_answers import WORK, found


@pytest.mark.parametrize(
    ("scheme", "value", "query"),
    [
        ("doi", "10.1000/A(1)", 'DOI:"10.1000/a(1)"'),
        ("pmid", "7", "EXT_ID:7 AND SRC:MED"),
        ("pmcid", "PMC9", "PMCID:PMC9"),
    ],
)
def test_each_identifier_is_a_question_of_its_own(scheme: str, value: str, query: str) -> None:
    work = WORK | {"doi": "10.1000/a(1)", "pmcid": "PMC9"}
    desk = Desk("europepmc", {"/search": found(WORK | {"pmid": "8", "id": "8"}, work)})

    paper = desk.ask("look_up_paper", paper_id(scheme, value))

    assert desk.params["query"] == query
    assert paper.ids == {"doi": "10.1000/a(1)", "pmid": "7", "pmcid": "PMC9"}


def test_a_neighbour_s_record_is_an_absence() -> None:
    desk = Desk("europepmc", {"/search": found(WORK | {"doi": "10.1000/b"})})

    assert desk.ask("look_up_paper", paper_id("doi", "10.1000/a")) is None
    assert desk.ask("list_open_copies", "10.1000/a") is None
    assert desk.ask("list_notices", paper_id("doi", "10.1000/a")) is None


def test_identifiers_of_others_are_not_asked_for() -> None:
    with pytest.raises(InvalidInput):
        Desk("europepmc", {}).ask("look_up_paper", paper_id("arxiv", "2304.05376"))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"version": "6.9", "errCode": 404, "errMsg": "No query supplied"}, UpstreamUnavailable),
        ({"version": "6.9", "hitCount": 3}, MalformedResponse),
        ({"version": "6.9"}, MalformedResponse),
    ],
)
def test_an_error_in_a_good_answer_is_an_error(answer: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Desk("europepmc", {"/search": answer}).ask("look_up_paper", paper_id("pmid", "7"))


def test_filters_are_fields_and_the_text_has_none() -> None:
    desk = Desk("europepmc", {"/search": found()})
    query = PaperQuery(
        text='COVID: a "review" (2020)', year_to=2021, open_access=True, full_text=True, source="pubmed"
    )  # fmt: skip

    answer = desk.ask("search_papers", query)

    assert desk.params["query"] == (
        "(COVID a review 2020) AND PUB_YEAR:[1500 TO 2021] AND OPEN_ACCESS:Y AND IN_EPMC:Y AND SRC:MED"
    )
    assert answer.applied == {"year", "sort", "open_access", "source"}


def test_a_reference_is_matched_by_its_title_and_then_by_its_author() -> None:
    desk = Desk("europepmc", {"/search": [found(), found(WORK)]})
    query = BibliographicQuery(title="The effect: a review", author="Müller", year=2020)

    papers = desk.ask("match_reference", query)

    assert [dict(request.params)["query"] for request in desk.sent] == [
        "TITLE:(effect AND review)",
        'AUTH:"Müller" AND TITLE:(effect OR review) AND PUB_YEAR:[2019 TO 2021]',
    ]
    assert [paper.title for paper in papers] == ["A title"]
