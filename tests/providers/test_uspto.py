"""The USPTO's portal: what it sends and what is kept of it."""

from __future__ import annotations

from citewell.domains.patents.patent_records import PatentQuery
from tests.providers.patent_desk import WORDS, ask, recorded, reply


def test_the_portal_sends_more_rows_than_asked_and_they_are_cut() -> None:
    found, _sent = ask("uspto", WORDS, lambda _request: recorded("uspto"))

    assert [patent.number for patent in found.patents] == ["US10100001", "US20190100002A1"]


def test_a_filing_that_is_not_published_has_the_number_of_the_filing() -> None:
    found, _sent = ask("uspto", PatentQuery(text="x", count=10), lambda _request: recorded("uspto"))

    assert [patent.number for patent in found.patents] == [
        "US10100001", "US20190100002A1", "US18/000003", "USD900004",
    ]  # fmt: skip
    assert found.patents[0].also_published_as == ("US20170100001A1",)
    assert found.patents[0].assignees == ("Example Instruments, Inc.", "EXAMPLE HOLDING LLC")


def test_no_match_at_the_portal_is_an_empty_answer_though_it_says_404() -> None:
    answer = {"code": 404, "detailedMessage": "No matching records found"}

    found, _sent = ask("uspto", WORDS, lambda _request: reply(answer, 404))

    assert found.patents == ()


def test_a_lookup_at_the_portal_keeps_only_the_number_asked_for() -> None:
    asked = PatentQuery(numbers=("US20190100002A1",), count=5)

    found, sent = ask("uspto", asked, lambda _request: recorded("uspto"))

    assert dict(sent[0].params)["q"] == '"US 2019-0100002"'
    assert [patent.number for patent in found.patents] == ["US20190100002A1"]
