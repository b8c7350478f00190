"""How patents are merged, filtered and asked for; the whole search is in tests/e2e/test_patent_search.py."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.domains.patents.patent_discovery import PatentSieve, find_address_number
from citewell.domains.patents.patent_numbers import require_patent_number
from citewell.domains.patents.patent_records import (
    PatentArguments,
    PatentFilter,
    PatentRecord,
    build_patent_query,
    find_asked_number,
)
from tests.requirements import requires


def record(number: str, **more: Any) -> PatentRecord:
    parsed = require_patent_number(number)
    given = {"title": f"About {number}", "url": "https://x.example/", "source": "epo"}
    return PatentRecord(
        number=parsed.normalized, office=parsed.office, kind_code=parsed.kind, **given | more
    )


@requires("patent_search.years", "patent_search.patent_office")
def test_what_a_record_does_not_state_keeps_it_and_is_said() -> None:
    request = PatentArguments(query="x", year_from=2015, assignee="Alpha", patent_office="US")
    sieve = PatentSieve(request)
    found = [
        record("US11B2", filed="2014-12-31", assignees=("Alpha",)),
        record("US12B2", filed="2015-01-01", assignees=("Alpha Corp",)),
        record("US13B2", assignees=("Alpha",)),
        record("US14B2", filed="2016-01-01", assignees=("Beta",)),
        record("EP0000015B1", filed="2016-01-01"),
    ]

    kept = [patent.number for patent in found if sieve.fits_request(patent)]

    assert kept == ["US12B2", "US13B2"]
    assert sieve.dropped_count == 3
    notes = {row.filter: row.note for row in sieve.report_patent_filters(name="epo", title="EPO")}
    assert notes["year_from"] == (
        "Results of EPO were checked by filing date; 1 that do not state a filing date were kept."
    )


def test_what_a_provider_applied_is_credited_to_it_but_office_and_year_are_checked() -> None:
    request = PatentArguments(query="x", patent_office="US", assignee="Alpha")
    sieve = PatentSieve(request, frozenset({PatentFilter.OFFICE, PatentFilter.ASSIGNEE}))

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
    found = find_asked_number(PatentArguments(**asked))

    assert (found.normalized if found else None) == number


def test_a_query_carries_the_ways_to_write_a_company() -> None:
    request = PatentArguments(assignee="  Rolls-Royce   plc ", query="x").clean_values()

    query = build_patent_query(request, None, count=5)

    assert query.assignees[:4] == ("Rolls-Royce", "Rolls-Royce plc", "Rolls Royce", "RollsRoyce")


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


@requires("patent_search.years")
def test_years_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(InvalidInput, match="exchange them"):
        PatentArguments(query="x", year_from=2021, year_to=2020).clean_values()
