"""eCFR: versions and sections of regulations."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import UpstreamUnavailable
from citewell.core.values.court_case import CaseQuery
from tests.providers.desk import Desk, Reply
from tests.providers.law_desk import RESULTS, cite


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
