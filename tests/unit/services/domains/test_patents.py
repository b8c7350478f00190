"""How patents are merged, filtered and asked for; the whole search is in tests/e2e/test_patent_search.py."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.errors import InvalidInput
from citewell.model.domains.patent import PatentFilter, PatentRecord
from citewell.services.domains.patents.patent_answers import (
    build_patent_result,
    build_search_address,
)
from citewell.services.domains.patents.patent_discovery import find_address_number
from citewell.services.domains.patents.patent_filters import PatentSieve
from citewell.services.domains.patents.patent_merging import (
    count_assignees,
    merge_patent_records,
    spread_assignees,
)
from citewell.services.domains.patents.patent_request import (
    PatentSearchRequest,
    build_patent_query,
    check_patent_request,
    find_asked_number,
)
from citewell.text.patents.patent_numbers import require_patent_number
from tests.requirements import requires


def record(number: str, **more: Any) -> PatentRecord:
    parsed = require_patent_number(number)
    given = {"title": f"About {number}", "url": "https://x.example/", "source": "epo"}
    return PatentRecord(
        number=parsed.normalized, office=parsed.office, kind_code=parsed.kind, **given | more
    )


def test_the_same_publication_of_two_sources_is_one_with_the_fields_of_both() -> None:
    first = record("US10902286", source="uspto", status="Patented Case", granted="2021-01-26")
    second = record("US10902286B2", source="lens", abstract="A device.")

    [merged] = merge_patent_records([first, second])

    assert (merged.number, merged.kind_code) == ("US10902286B2", "B2")
    assert (merged.status, merged.abstract, merged.source) == (
        "Patented Case",
        "A device.",
        "uspto",
    )


def test_publications_of_one_family_are_one_only_if_a_source_says_so() -> None:
    said_by_id = [record("EP3000001A1", family_id="7"), record("EP3000001B1", family_id="7")]
    said_by_list = [
        record("EP3000002A1", also_published_as=("US11B2",)),
        record("US11B2", source="x"),
    ]
    unsaid = [record("EP3000003A1"), record("EP3000003B1")]
    other_ids = [
        record("EP3000004A1", family_id="7", source="a"),
        record("US12B2", family_id="7", source="b"),
    ]

    merged = merge_patent_records([*said_by_id, *said_by_list, *unsaid, *other_ids])

    assert [one.number for one in merged] == [
        "EP3000001A1", "EP3000002A1", "EP3000003A1", "EP3000003B1", "EP3000004A1", "US12B2",
    ]  # fmt: skip
    assert merged[0].also_published_as == ("EP3000001B1",)


def test_a_family_member_lends_no_dates() -> None:
    [merged] = merge_patent_records(
        [
            record("EP3000001A1", family_id="7"),
            record("EP3000001B1", family_id="7", granted="2020-01-01"),
        ]
    )

    assert merged.granted is None


def test_a_landscape_takes_turns_between_assignees() -> None:
    found = [
        record("US11B2", assignees=("Alpha Inc",)),
        record("US12B2", assignees=("Alpha LLC",)),
        record("US13B2", assignees=("Beta GmbH",)),
        record("US14B2"),
    ]

    assert [one.number for one in spread_assignees(found)] == [
        "US11B2",
        "US13B2",
        "US14B2",
        "US12B2",
    ]
    assert count_assignees(found) == {"Alpha": 2, "Beta": 1, "not stated": 1}


@requires("patent_search.years", "patent_search.patent_office")
def test_what_a_record_does_not_state_keeps_it_and_is_said() -> None:
    ask = PatentSearchRequest(query="x", year_from=2015, assignee="Alpha", patent_office="US")
    sieve = PatentSieve(ask)
    found = [
        record("US11B2", filed="2014-12-31", assignees=("Alpha",)),
        record("US12B2", filed="2015-01-01", assignees=("Alpha Corp",)),
        record("US13B2", assignees=("Alpha",)),
        record("US14B2", filed="2016-01-01", assignees=("Beta",)),
        record("EP0000015B1", filed="2016-01-01"),
    ]

    kept = [one.number for one in found if sieve.fits_request(one)]

    assert kept == ["US12B2", "US13B2"]
    assert sieve.dropped_count == 3
    notes = {row.filter: row.note for row in sieve.report_patent_filters(name="epo", title="EPO")}
    assert notes["year_from"] == (
        "Results of EPO were checked by filing date; 1 that do not state a filing date were kept."
    )


def test_what_a_provider_applied_is_credited_to_it_but_office_and_year_are_checked() -> None:
    ask = PatentSearchRequest(query="x", patent_office="US", assignee="Alpha")
    sieve = PatentSieve(ask, frozenset({PatentFilter.OFFICE, PatentFilter.ASSIGNEE}))

    assert sieve.fits_request(record("US11B2", assignees=("Former Owner",)))
    assert not sieve.fits_request(record("EP0000011B1"))
    assert {row.by for row in sieve.report_patent_filters(name="lens", title="Lens")} == {"lens"}


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ({"query": "US 10,165,245 B2"}, "US10165245B2"),
        ({"query": "US10165245"}, "US10165245"),
        ({"query": "US 2020"}, None),
        ({"query": "US 2020", "search_type": "specific"}, "US2020"),
        ({"query": "10,165,245", "patent_office": "US"}, "US10165245"),
        ({"query": "10,165,245"}, None),
        ({"query": "tide gauge"}, None),
        ({"assignee": "Alpha"}, None),
    ],
)
def test_a_query_is_a_number_only_if_it_can_be_nothing_else(
    asked: dict[str, Any], number: str | None
) -> None:
    found = find_asked_number(PatentSearchRequest(**asked))

    assert (found.normalized if found else None) == number


def test_a_query_carries_the_ways_to_write_a_company() -> None:
    ask = check_patent_request(PatentSearchRequest(assignee="  Rolls-Royce   plc ", query="x"))

    query = build_patent_query(ask, None, count=5)

    assert query.assignees[:4] == ("Rolls-Royce", "Rolls-Royce plc", "Rolls Royce", "RollsRoyce")


def test_the_search_page_has_the_same_words_and_filters() -> None:
    ask = PatentSearchRequest(
        query="tide gauge",
        assignee="Alpha & Co. Ltd",
        patent_office="EP",
        cpc_code="G01F",
        year_from=2015,
        year_to=2020,
    )

    assert build_search_address(ask, None) == (
        "https://patents.google.com/?q=tide+gauge+CPC%3DG01F&assignee=Alpha&country=EP"
        "&after=filing%3A20150101&before=filing%3A20201231&num=10&oq=tide+gauge"
    )


@pytest.mark.parametrize(
    ("url", "number"),
    [
        ("https://patents.google.com/patent/US7654321B2/en", "US7654321B2"),
        ("https://patents.google.com/patent/WO2019123456A1", "WO2019123456A1"),
        ("https://patents.google.com/patent/us-7654321-b2/en?oq=x", "US7654321B2"),
        ("https://patents.google.com/?q=gauge", None),
        ("https://patents.google.com/patent", None),
        ("https://patents.google.com/scholar/123456789", None),
        ("https://x.example/patent/%E2%98%83", None),
    ],
)
def test_the_address_of_a_page_names_its_publication(url: str, number: str | None) -> None:
    found = find_address_number(url)

    assert (found.normalized if found else None) == number


def test_a_filing_that_is_not_published_is_called_so() -> None:
    filing = PatentRecord(
        number="US18/000003", title="T", url="https://x.example/", source="uspto", office="US"
    )

    assert build_patent_result(filing).kind == "a filing that is not published"


@requires("patent_search.years")
def test_years_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(InvalidInput, match="exchange them"):
        check_patent_request(PatentSearchRequest(query="x", year_from=2021, year_to=2020))
