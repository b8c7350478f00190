"""Find Case Law: courts, days and links of judgments."""

from __future__ import annotations

import pytest

from citewell.core.errors import MalformedResponse
from citewell.core.values.court_case import CaseQuery
from citewell.routing.ports import Offer
from tests.contract.recordings import recording
from tests.providers.desk import Desk
from tests.providers.law_desk import FEED, cite

EMPTY_FEED = '<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>'


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
