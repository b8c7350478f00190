"""Retraction: the worst that stands wins, doubts are said to be doubts, and silence is no clean bill."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from citewell.core.errors import CitewellError, NetworkFailed, UpstreamUnavailable
from citewell.core.values.paper import IdentifierScheme, IntegrityNotice, NoticeKind, Paper, PaperId
from citewell.core.values.scrape_results import RetractionStatus
from citewell.store.cache.answer_sharing import SHARED_WITH_EVERYBODY, AnswerSharing
from citewell.store.failures import StoreError
from citewell.trust.retraction_checks import (
    NOTICES_TTL_SECONDS,
    CachedNotices,
    RetractionCheck,
    RetractionChecker,
)
from citewell.trust.retraction_table import RetractionEdition, SqlRetractionTable
from tests.reading.reading import Memory

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


class Table(SqlRetractionTable):
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


def look(table: Table | None = None, paper: Paper | None = None, *, thorough: bool=False, **registries: Any) -> RetractionCheck:  # fmt: skip
    shelf: Any = Shelf(**registries)
    return asyncio.run(
        RetractionChecker(shelf, table).check_retraction(DOI, paper=paper, thorough=thorough)
    )


DOWN = Registry(NetworkFailed("No answer."))


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
        first, second = [await checker.check_retraction(DOI) for checker in looks[:2]]
        memory.clock.now += NOTICES_TTL_SECONDS + 1
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
