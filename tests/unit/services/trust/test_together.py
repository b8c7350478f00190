"""A long bibliography asks registries for many works at once, and for web pages next to nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from citewell.errors import RateLimited, Unavailable
from citewell.model.paper import BibliographicQuery, Event, Notice, Paper, PaperId
from citewell.services.scholar.records import Matches
from citewell.services.trust import intake
from citewell.services.trust.retraction import Checked, Retractions
from tests.unit.services.scholar.doubles import paper
from tests.unit.services.scholar.listing import Lister
from tests.unit.services.trust.desk import Desk

GONE = Event(kind=Notice.RETRACTION, source="retraction-watch", date="2020-01-01")


@dataclass
class Noticing(Lister):
    """A registry of notices that takes lists."""

    events_asked: list[PaperId] = field(default_factory=list)

    async def events(self, paper_id: PaperId) -> tuple[Event, ...] | None:
        self.events_asked.append(paper_id)
        found = await self.paper(paper_id)
        return None if found is None else found.events


class Shelf:
    def __init__(self, registries: Mapping[str, Noticing]) -> None:
        self._registries = registries

    def offering(self, _offer: object) -> tuple[str, ...]:
        return tuple(self._registries)

    def provider(self, name: str) -> Noticing:
        return self._registries[name]


def looked(dois: list[str], **registries: Noticing) -> list[Any]:
    async def every() -> list[Any]:
        shelf: Any = Shelf(registries)
        desk = Retractions(shelf)
        return await asyncio.gather(*map(desk.look, dois), return_exceptions=True)

    return asyncio.run(every())


def held(count: int, **changes: Any) -> dict[str, Paper]:
    values = [f"10.1234/{number}" for number in range(count)]
    return {value: paper(doi=value, **changes) for value in values}


def test_notices_of_many_works_come_with_their_records_in_one_list():
    works = held(8) | {"10.1234/8": paper(doi="10.1234/8", events=(GONE,))}
    crossref = Noticing(works)

    found = looked(list(works), crossref=crossref)

    assert [one.status is not None for one in found] == [False] * 8 + [True]
    assert crossref.events_asked == []
    assert len(crossref.lists) == 1


def test_openalex_is_asked_for_its_mark_as_ever():
    openalex = Noticing(held(2))

    looked(["10.1234/0", "10.1234/1"], openalex=openalex)

    assert len(openalex.events_asked) == 2


@pytest.mark.parametrize("error", [RateLimited("Slow down."), Unavailable("Down.")])
def test_a_list_that_fails_is_no_clean_record(error: Exception):
    found = looked(["10.1234/0", "10.1234/1"], crossref=Noticing(fails=error))

    assert [type(one) for one in found] == [Unavailable, Unavailable]


def test_a_work_that_the_first_list_lacks_is_looked_for_in_the_next():
    works = held(3, events=(GONE,))

    found = looked(list(works), crossref=Noticing(), europepmc=Noticing(works))

    assert all(isinstance(one, Checked) and one.status is not None for one in found)


@dataclass
class Listening(Desk):
    queries: list[BibliographicQuery] = field(default_factory=list)

    async def match(self, query: BibliographicQuery, *, tenant: str | None = None) -> Matches:
        self.queries.append(query)
        return await super().match(query, tenant=tenant)


def test_an_entry_with_an_address_of_its_own_is_only_glanced_at():
    desk = Listening(papers=[])
    entries = [
        {"title": "How a heat pump heats a house", "url": "https://example.org/heat-pump"},
        {"title": "Quantised parsimony of lunar beekeeping across provinces"},
    ]

    report = asyncio.run(desk.audit().audit(intake.of_entries(entries)))

    glances = {query.title: query.glance for query in desk.queries}
    assert glances == {entries[0]["title"]: True, entries[1]["title"]: False}
    assert [entry.flags for entry in report.entries] == [(), ("unchecked",)]
