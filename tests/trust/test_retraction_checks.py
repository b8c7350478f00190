"""A long bibliography asks registries for many works at once, and for web pages next to nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from citewell.core.errors import RateLimited, UpstreamUnavailable
from citewell.core.values.paper import (
    BibliographicQuery,
    IntegrityNotice,
    NoticeKind,
    Paper,
    PaperId,
)
from citewell.scholar.registry_records import ReferenceMatches
from citewell.trust import bibliography_audit
from citewell.trust.retraction_checks import RetractionCheck, RetractionChecker
from tests.core.doubles import paper
from tests.core.listing import Lister
from tests.trust.desk import Desk

GONE = IntegrityNotice(kind=NoticeKind.RETRACTION, source="retraction-watch", date="2020-01-01")


@dataclass
class Noticing(Lister):
    """A registry of notices that takes lists."""

    events_asked: list[PaperId] = field(default_factory=list)

    async def list_notices(self, paper_id: PaperId) -> tuple[IntegrityNotice, ...] | None:
        self.events_asked.append(paper_id)
        found = await self.look_up_paper(paper_id)
        return None if found is None else found.events


class Shelf:
    def __init__(self, registries: Mapping[str, Noticing]) -> None:
        self._registries = registries

    def list_offering(self, _offer: object) -> tuple[str, ...]:
        return tuple(self._registries)

    def connect_provider(self, name: str) -> Noticing:
        return self._registries[name]


def looked(dois: list[str], **registries: Noticing) -> list[Any]:
    async def every() -> list[Any]:
        shelf: Any = Shelf(registries)
        desk = RetractionChecker(shelf)
        return await asyncio.gather(*map(desk.check_retraction, dois), return_exceptions=True)

    return asyncio.run(every())


def held(count: int, **changes: Any) -> dict[str, Paper]:
    values = [f"10.1234/{number}" for number in range(count)]
    return {value: paper(doi=value, **changes) for value in values}


def test_notices_of_many_works_come_with_their_records_in_one_list() -> None:
    works = held(8) | {"10.1234/8": paper(doi="10.1234/8", events=(GONE,))}
    crossref = Noticing(works)

    found = looked(list(works), crossref=crossref)

    assert [check.status is not None for check in found] == [False] * 8 + [True]
    assert crossref.events_asked == []
    assert len(crossref.lists) == 1


def test_openalex_is_asked_for_its_mark_as_ever() -> None:
    openalex = Noticing(held(2))

    looked(["10.1234/0", "10.1234/1"], openalex=openalex)

    assert len(openalex.events_asked) == 2


@pytest.mark.parametrize("error", [RateLimited("Slow down."), UpstreamUnavailable("Down.")])
def test_a_list_that_fails_is_no_clean_record(error: Exception) -> None:
    found = looked(["10.1234/0", "10.1234/1"], crossref=Noticing(fails=error))

    assert [type(error) for error in found] == [UpstreamUnavailable, UpstreamUnavailable]


def test_a_work_that_the_first_list_lacks_is_looked_for_in_the_next() -> None:
    works = held(3, events=(GONE,))

    found = looked(list(works), crossref=Noticing(), europepmc=Noticing(works))

    assert all(isinstance(check, RetractionCheck) and check.status is not None for check in found)


@dataclass
class Listening(Desk):
    queries: list[BibliographicQuery] = field(default_factory=list)

    async def match_records(
        self, query: BibliographicQuery, *, tenant: str | None = None
    ) -> ReferenceMatches:
        self.queries.append(query)
        return await super().match_records(query, tenant=tenant)


def test_an_entry_with_an_address_of_its_own_is_only_glanced_at() -> None:
    desk = Listening(papers=[])
    entries = [
        {"title": "How a heat pump heats a house", "url": "https://example.org/heat-pump"},
        {"title": "Quantised parsimony of lunar beekeeping across provinces"},
    ]

    report = asyncio.run(
        desk.audit().audit_bibliography(bibliography_audit.build_entries_request(entries))
    )

    glances = {query.title: query.glance for query in desk.queries}
    assert glances == {entries[0]["title"]: True, entries[1]["title"]: False}
    assert [entry.flags for entry in report.entries] == [(), ("unchecked",)]
