"""Retraction: the worst that stands wins, doubts are said to be doubts, and silence is no clean bill."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.errors import CitewellError, NetworkFailed, UpstreamUnavailable
from citewell.model.paper import IdentifierScheme, IntegrityNotice, NoticeKind, Paper, PaperId
from citewell.model.scrape_results import RetractionStatus
from citewell.services.trust.cached_notices import NOTICES_TTL_SECONDS, CachedNotices
from citewell.services.trust.notice_weighing import WeighingContext, weigh_notices
from citewell.services.trust.retraction_checks import RetractionCheck, RetractionChecker
from citewell.store.cache.answer_sharing import SHARED_WITH_EVERYBODY, AnswerSharing
from citewell.store.failures import StoreError
from citewell.store.retraction_table import RetractionEdition
from tests.requirements import requires
from tests.unit.services.reading import Memory

DOI = "10.5555/work"
R, C, X, B = (
    NoticeKind.RETRACTION,
    NoticeKind.CONCERN,
    NoticeKind.CORRECTION,
    NoticeKind.REINSTATEMENT,
)
EDITION = RetractionEdition(
    number=1, newest_notice_date="2026-10-01", imported_at=0.0, origin="f", rows=9, skipped=0
)


def event(
    kind: NoticeKind, date: str | None = None, source: str = "retraction-watch", **more: Any
) -> IntegrityNotice:
    return IntegrityNotice(kind=kind, source=source, date=date, **more)


@dataclass
class Registry:
    """Knows one work by its notices; None when it never heard of it."""

    answer: tuple[IntegrityNotice, ...] | CitewellError | None = ()
    asked: list[PaperId] = field(default_factory=list)

    async def list_notices(self, paper_id: PaperId) -> tuple[IntegrityNotice, ...] | None:
        self.asked.append(paper_id)
        if isinstance(self.answer, CitewellError):
            raise self.answer
        return self.answer


class Shelf:
    """As much of a catalogue as is needed here."""

    def __init__(self, **registries: Registry) -> None:
        self._registries = registries

    def list_offering(self, _offer: object) -> tuple[str, ...]:
        return tuple(self._registries)

    def connect_provider(self, name: str) -> Registry:
        return self._registries[name]


class Table:
    def __init__(
        self,
        *events: IntegrityNotice,
        edition: RetractionEdition | None = EDITION,
        broken: bool = False,
    ) -> None:
        self._events, self._edition, self._broken = events, edition, broken
        self.asked: list[tuple[str, str]] = []

    async def load_edition(self) -> RetractionEdition | None:
        if self._broken:
            raise StoreError("The disk is gone.")
        return self._edition

    async def find_notices(self, *, doi: str = "", pmid: str = "") -> tuple[IntegrityNotice, ...]:
        self.asked.append((doi, pmid))
        return self._events


def expect_status(status: RetractionStatus | None) -> RetractionStatus:
    assert status is not None
    return status


def expect_weighed(
    events: Iterable[IntegrityNotice], setting: WeighingContext | None = None
) -> RetractionStatus:
    return expect_status(weigh_notices(events, setting))


def look(table: Table | None = None, paper: Paper | None = None, *, thorough: bool=False, **registries: Any) -> RetractionCheck:  # fmt: skip
    shelf: Any = Shelf(**registries)
    return asyncio.run(
        RetractionChecker(shelf, table).check_retraction(DOI, paper=paper, thorough=thorough)
    )


DOWN = Registry(NetworkFailed("No answer."))


def test_the_worst_kind_wins_wherever_it_stands_in_the_list() -> None:
    events = [event(X, "2020-01-01"), event(R, "2021-01-01"), event(C, "2019-01-01")]

    status = expect_weighed(events)

    assert (status.retracted, status.kind, status.date, status.severity) == (
        True,
        "retraction",
        "2021-01-01",
        3,
    )
    assert [one.kind for one in status.events or ()] == [
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


def test_a_registry_that_knows_the_work_is_enough() -> None:
    crossref, other = Registry(()), Registry((event(R),))

    checked = look(crossref=crossref, pubmed=other)

    assert (checked.status, checked.answered, other.asked) == (None, ("crossref",), [])


def test_asked_thoroughly_everybody_is_heard() -> None:
    crossref, pubmed = Registry(()), Registry((event(R, "2021-01-01", "pubmed"),))

    checked = look(crossref=crossref, pubmed=pubmed, thorough=True)

    assert expect_status(checked.status).retracted
    assert checked.answered == ("crossref", "pubmed")


def test_a_work_the_first_registry_does_not_know_is_asked_of_the_others() -> None:
    checked = look(
        openalex=Registry(()),
        crossref=Registry(None),
        pubmed=Registry((event(C, source="pubmed"),)),
    )

    assert expect_status(checked.status).kind == "expression_of_concern"
    assert set(checked.answered) == {"openalex", "pubmed"}


def test_crossref_is_asked_first_whatever_the_catalogue_prefers() -> None:
    openalex, crossref = Registry(()), Registry(())

    look(openalex=openalex, crossref=crossref)

    assert (len(crossref.asked), openalex.asked) == (1, [])


def test_a_failing_registry_is_replaced_and_named() -> None:
    checked = look(crossref=DOWN, europepmc=Registry((event(R, "2020", "europepmc"),)))

    assert expect_status(checked.status).retracted
    assert checked.failed == ("crossref",)


def test_a_registry_that_never_answers_counts_as_failed() -> None:
    class Stuck(Registry):
        async def list_notices(self, paper_id: PaperId) -> tuple[IntegrityNotice, ...] | None:
            await asyncio.Event().wait()
            return None

    shelf: Any = Shelf(crossref=Stuck(), pubmed=Registry((event(R, "2021", "pubmed"),)))

    checked = asyncio.run(RetractionChecker(shelf, registry_seconds=0.5).check_retraction(DOI))

    assert (checked.failed, checked.answered) == (("crossref",), ("pubmed",))


def test_a_registry_is_asked_once_an_hour_for_the_notices_of_a_work() -> None:
    memory = Memory()
    aware, unaware = Registry((event(R, "2021"),)), Registry(None)
    shelf: Any = Shelf(crossref=unaware, europepmc=aware)

    async def look_again() -> tuple[RetractionCheck, ...]:
        # A new checker for each: what is known is in the cache, not in the checker.
        notices = CachedNotices(memory.cache, SHARED_WITH_EVERYBODY)
        looks = [RetractionChecker(shelf, notices=notices) for _ in range(3)]
        first, second = [await one.check_retraction(DOI) for one in looks[:2]]
        memory.clock.time += NOTICES_TTL_SECONDS + 1
        return first, second, await looks[2].check_retraction(DOI)

    first, second, third = asyncio.run(look_again())

    assert first == second == third
    assert expect_status(first.status).retracted
    assert (len(unaware.asked), len(aware.asked)) == (2, 2)


def test_a_registry_that_failed_is_asked_again() -> None:
    down = Registry(NetworkFailed("No answer."))
    shelf: Any = Shelf(crossref=down, europepmc=Registry(()))
    checker = RetractionChecker(shelf, notices=CachedNotices(Memory().cache, SHARED_WITH_EVERYBODY))

    async def look_twice() -> RetractionCheck:
        await checker.check_retraction(DOI)
        down.answer = (event(R, "2021"),)
        return await checker.check_retraction(DOI)

    checked = asyncio.run(look_twice())

    assert expect_status(checked.status).retracted
    assert checked.failed == ()


def test_notices_are_cached_for_the_tenant_that_asked_where_tenants_are_kept_apart() -> None:
    registry = Registry(())
    shelf: Any = Shelf(crossref=registry)
    notices = CachedNotices(Memory().cache, AnswerSharing(is_split_by_tenant=True))
    checker = RetractionChecker(shelf, notices=notices)

    async def look_for_tenants() -> None:
        for tenant in ("north", "north", "south", None, None):
            await checker.check_retraction(DOI, tenant=tenant)

    asyncio.run(look_for_tenants())

    assert len(registry.asked) == 4


def test_nobody_to_ask_is_an_error_and_never_a_clean_record() -> None:
    silent: tuple[dict[str, Any], ...] = (
        {},
        {"crossref": DOWN},
        {"crossref": Registry(None), "pubmed": DOWN},
    )
    for registries in silent:
        with pytest.raises(UpstreamUnavailable):
            look(**registries)
        with pytest.raises(UpstreamUnavailable):
            look(Table(edition=None), **registries)


def test_a_work_that_no_registry_has_heard_of_has_no_notices() -> None:
    assert look(crossref=Registry(None)).status is None


def test_without_a_network_the_table_answers_and_says_how_old_it_is() -> None:
    checked = look(Table(event(R, "2024-01-15", "offline-table")), crossref=DOWN)

    status = expect_status(checked.status)
    assert (status.retracted, status.source, status.as_of) == (
        True,
        "offline table of 2026-10-01",
        "2026-10-01",
    )
    assert "2026-10-01" in (status.note or "")


def test_a_table_without_the_work_says_as_of_when_it_is_clean() -> None:
    checked = look(Table(), crossref=DOWN)

    assert (checked.status, checked.as_of, checked.answered) == (
        None,
        "2026-10-01",
        ("offline table",),
    )


def test_the_table_adds_to_what_the_registries_say() -> None:
    checked = look(Table(event(R, "2024-01-15", "offline-table")), crossref=Registry(()))

    status = expect_status(checked.status)
    assert (status.retracted, status.as_of) == (True, None)


def test_a_table_that_cannot_be_read_stops_nobody() -> None:
    checked = look(Table(broken=True), crossref=Registry((event(R),)))

    assert expect_status(checked.status).retracted
    with pytest.raises(UpstreamUnavailable):
        look(Table(broken=True), crossref=DOWN)


def test_the_record_in_hand_spares_a_request() -> None:
    crossref = Registry(())
    paper = Paper(title="T", source="crossref", events=(event(R, "2021"),))

    checked = look(paper=paper, crossref=crossref)

    assert (expect_status(checked.status).retracted, crossref.asked) == (True, [])


def test_a_record_from_elsewhere_does_not_speak_for_crossref() -> None:
    crossref = Registry((event(R, "2021"),))

    checked = look(paper=Paper(title="T", source="openalex"), crossref=crossref)

    assert expect_status(checked.status).retracted


def test_the_pubmed_number_goes_to_pubmed_and_the_table() -> None:
    pubmed, table = Registry(()), Table()
    paper = Paper(title="T", source="arxiv", ids={IdentifierScheme.PMID: "42"})

    look(table, paper, crossref=Registry(None), pubmed=pubmed)

    assert pubmed.asked == [PaperId(scheme=IdentifierScheme.PMID, value="42")]
    assert table.asked == [(DOI, "42")]


def test_status_is_what_a_page_reader_asks_for() -> None:
    shelf: Any = Shelf(crossref=Registry((event(X, "2021"),)))

    found = asyncio.run(RetractionChecker(shelf).find_retraction_status(DOI.upper()))
    status = expect_status(found)

    assert (status.retracted, status.kind) == (False, "correction")
