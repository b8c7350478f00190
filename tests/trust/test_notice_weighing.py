from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.core.values.paper import IntegrityNotice, NoticeKind
from citewell.core.values.scrape_results import RetractionStatus
from citewell.trust.notice_weighing import WeighingContext, weigh_notices
from tests.requirements import requires
from tests.trust.test_retraction import event, expect_status

R, C, X, B = (
    NoticeKind.RETRACTION,
    NoticeKind.CONCERN,
    NoticeKind.CORRECTION,
    NoticeKind.REINSTATEMENT,
)


def expect_weighed(
    events: Iterable[IntegrityNotice], setting: WeighingContext | None = None
) -> RetractionStatus:
    return expect_status(weigh_notices(events, setting))


def test_the_worst_kind_wins_wherever_it_stands_in_the_list() -> None:
    events = [event(X, "2020-01-01"), event(R, "2021-01-01"), event(C, "2019-01-01")]

    status = expect_weighed(events)

    assert (status.retracted, status.kind, status.date, status.severity) == (
        True,
        "retraction",
        "2021-01-01",
        3,
    )
    assert [event.kind for event in status.events or ()] == [
        "expression_of_concern",
        "correction",
        "retraction",
    ]


@pytest.mark.parametrize(
    ("kind", "severity"), [(X, 1), (C, 2)], ids=["correction", "expression of concern"]
)
def test_what_is_no_retraction_is_none(kind: Any, severity: int) -> None:
    status = expect_weighed([event(kind, "2021-01-01")])

    assert (status.retracted, status.kind, status.severity) == (False, kind.value, severity)


def test_a_clean_record_has_no_status() -> None:
    assert weigh_notices([]) is None


def test_a_later_reinstatement_is_respected() -> None:
    status = expect_weighed([event(R, "2019-02-01"), event(C, "2018-01-01"), event(B, "2021-03")])

    assert (status.retracted, status.kind, status.date, status.severity) == (
        False,
        "reinstatement",
        "2021-03",
        0,
    )


def test_what_follows_a_reinstatement_counts() -> None:
    status = expect_weighed(
        [event(R, "2019"), event(B, "2020"), event(R, "2022-05-01"), event(X, "2021")]
    )

    assert (status.retracted, status.date) == (True, "2022-05-01")


@pytest.mark.parametrize("date", [None, "2021", "2021-03-01"])
def test_a_retraction_that_is_not_surely_later_is_taken_back(date: str | None) -> None:
    assert expect_weighed([event(R, date), event(B, "2021-03-01")]).retracted is False


def test_the_first_retraction_and_the_last_concern_give_the_date() -> None:
    twice = [event(R, "2021-01-01"), event(R, "2022-01-01", "publisher")]
    doubts = [event(C, "2020-01-01"), event(C, "2023-01-01")]

    assert expect_weighed(twice).date == "2021-01-01"
    assert expect_weighed(doubts).date == "2023-01-01"


def test_what_one_source_lacks_another_lends() -> None:
    status = expect_weighed(
        [
            event(R, "2021-01-01", "publisher"),
            event(R, "2021-01-01", "offline-table", reasons=("Plagiarism",)),
            event(R, None, "pubmed", notice_doi="10.5555/notice"),
        ]
    )

    assert (status.source, status.notice_doi, status.reasons) == (
        "publisher",
        "10.5555/notice",
        ("Plagiarism",),
    )


def test_a_partial_retraction_says_that_it_is_partial() -> None:
    status = expect_weighed([event(R, "2021-01-01", label="partial_retraction")])

    assert (status.retracted, status.note) == (True, "Only part of the work was retracted.")


def test_a_year_alone_does_not_come_before_the_day_that_a_better_source_names() -> None:
    coarse = event(R, "2010", source="europepmc")
    exact = event(R, "2010-02-06", notice_doi="10.5555/notice")

    status = expect_weighed([coarse, exact])

    assert (status.source, status.date, status.notice_doi) == (
        "retraction-watch",
        "2010-02-06",
        "10.5555/notice",
    )


@requires("academic_search.retraction")
def test_an_unconfirmed_word_is_neither_true_nor_false() -> None:
    status = expect_weighed([event(R, source="openalex")])

    assert (status.retracted, status.kind) == (None, "unconfirmed_retraction")
    assert "retracted" not in status.to_wire()


def test_a_whole_retraction_outweighs_an_earlier_partial_one() -> None:
    partial = event(R, "2011-10-14", label="partial_retraction")

    status = expect_weighed([partial, event(R, "2011-12-23", label="retraction")])

    assert (status.date, status.note) == ("2011-12-23", None)


def test_openalex_alone_condemns_nothing() -> None:
    status = expect_weighed(
        [event(R, source="openalex")], WeighingContext(contradicted_by_registry=True)
    )

    assert (status.retracted, status.kind, status.source, status.severity) == (
        False,
        "unconfirmed_retraction",
        "openalex",
        2,
    )
    assert "registries that list notices" in (status.note or "")


def test_openalex_beside_a_notice_adds_nothing() -> None:
    status = expect_weighed([event(R, source="openalex"), event(R, "2021-01-01", "publisher")])

    assert (status.retracted, status.source) == (True, "publisher")


def test_openalex_is_overruled_by_a_reinstatement() -> None:
    assert expect_weighed([event(R, source="openalex"), event(B, "2021")]).kind == "reinstatement"


def leftover(*table: IntegrityNotice) -> Sequence[IntegrityNotice]:
    """One record of Retraction Watch under two kinds, as Crossref shows it after a change."""
    same: dict[str, Any] = {"date": "2026-03-26", "notice_doi": "10.5555/notice"}
    return [
        IntegrityNotice(kind=R, source="retraction-watch", **same),
        IntegrityNotice(kind=C, source="retraction-watch", **same),
        *table,
    ]


def test_a_record_that_changed_its_kind_is_settled_by_the_table() -> None:
    status = expect_weighed(leftover(event(C, "2026-03-26", "offline-table")))

    assert (status.retracted, status.kind) == (False, "expression_of_concern")
    assert "repeats one record" in (status.note or "")


def test_without_a_table_the_worst_of_a_doubled_record_is_reported_with_a_warning() -> None:
    status = expect_weighed(leftover())

    assert status.retracted
    assert "read the notice" in (status.note or "")


EVENTS = st.builds(
    IntegrityNotice,
    kind=st.sampled_from(NoticeKind),
    source=st.sampled_from(["retraction-watch", "publisher", "pubmed", "offline-table"]),
    date=st.none() | st.sampled_from(["2019", "2020-05", "2020-05-01", "2021-01-01", "2022-12-31"]),
    notice_doi=st.none() | st.just("10.5555/notice"),
)


@given(st.lists(EVENTS, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_the_notices_never_matters(events: list[Any], random: Any) -> None:
    shuffled = events[:]
    random.shuffle(shuffled)

    first, second = weigh_notices(events), weigh_notices(shuffled)

    assert (first is None) == (not events)
    assert (first and (first.retracted, first.kind, first.severity)) == (
        second and (second.retracted, second.kind, second.severity)
    )
