"""A registry that takes lists of identifiers, for tests of lookups that go together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citewell.core.errors import CitewellError
from citewell.core.values.paper import IdentifierScheme, Paper, PaperId

MOST = 10


@dataclass
class Lister:
    """A registry that takes lists; `silent` leaves what it lacks out, where others say so."""

    holds: Mapping[str, Paper] = field(default_factory=dict)
    schemes: frozenset[IdentifierScheme] = frozenset({IdentifierScheme.DOI})
    max_batch: Mapping[IdentifierScheme, int] = field(
        default_factory=lambda: {IdentifierScheme.DOI: MOST}
    )
    fails: BaseException | None = None  # every request
    poison: Mapping[str, CitewellError] = field(
        default_factory=dict
    )  # any request with one of these
    alone: Mapping[str, CitewellError] = field(default_factory=dict)  # one asked for by itself
    silent: bool = False
    gate: asyncio.Event | None = None
    lists: list[list[str]] = field(default_factory=list)
    singles: list[str] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: int = 0
    most_at_once: int = 0

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        self.singles.append(paper_id.value)
        await self._answered([paper_id.value])
        if error := self.alone.get(paper_id.value):
            raise error
        return self.holds.get(paper_id.value)

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        values = [paper_id.value for paper_id in ids]
        self.lists.append(values)
        await self._answered(values)
        return {
            paper_id: self.holds.get(paper_id.value)
            for paper_id in ids
            if not self.silent or paper_id.value in self.holds
        }

    async def _answered(self, values: list[str]) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.begun.set()
        try:
            await (self.gate.wait() if self.gate else asyncio.sleep(0))
        finally:
            self.at_once -= 1
        for error in (self.fails, *(self.poison.get(value) for value in values)):
            if error is not None:
                raise error
