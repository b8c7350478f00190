from __future__ import annotations

from citewell.domains.patents.patent_answers import (
    build_patent_result,
    build_search_address,
    count_assignees,
    merge_patent_records,
    spread_assignees,
)
from citewell.domains.patents.patent_records import (
    PatentArguments,
    PatentRecord,
)
from tests.domains.test_patents import record


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

    assert [patent.number for patent in merged] == [
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

    assert [patent.number for patent in spread_assignees(found)] == [
        "US11B2",
        "US13B2",
        "US14B2",
        "US12B2",
    ]
    assert count_assignees(found) == {"Alpha": 2, "Beta": 1, "not stated": 1}


def test_the_search_page_has_the_same_words_and_filters() -> None:
    request = PatentArguments(
        query="tide gauge",
        assignee="Alpha & Co. Ltd",
        patent_office="EP",
        cpc_code="G01F",
        year_from=2015,
        year_to=2020,
    )

    assert build_search_address(request, None) == (
        "https://patents.google.com/?q=tide+gauge+CPC%3DG01F&assignee=Alpha&country=EP"
        "&after=filing%3A20150101&before=filing%3A20201231&num=10&oq=tide+gauge"
    )


def test_a_filing_that_is_not_published_is_called_so() -> None:
    filing = PatentRecord(
        number="US18/000003", title="T", url="https://x.example/", source="uspto", office="US"
    )

    assert build_patent_result(filing).kind == "a filing that is not published"
