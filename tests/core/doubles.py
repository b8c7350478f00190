"""Scholarly providers that answer from a script, and services built on them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citewell.core.errors import CitewellError
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    OpenCopy,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
    WorkAuthor,
)
from citewell.routing.ports import Offer
from citewell.routing.provider_panel import ProviderPanel
from citewell.scholar.registry_records import WorkRecords
from tests.search.doubles import Shop, spec

DOI = "10.1234/first"
SCHOLARLY = frozenset(
    {Offer.PAPERS, Offer.LOOKUP, Offer.MATCH, Offer.GRAPH, Offer.COPIES, Offer.REGISTRY}
)


def doi(value: str = DOI) -> PaperId:
    return PaperId(scheme=IdentifierScheme.DOI, value=value)


def paper(title: str = "Of Water and Stone", *, source: str = "crossref", **changes: Any) -> Paper:
    """A work with a DOI, unless `doi=None`."""
    given: dict[str, Any] = {
        "authors": (WorkAuthor(name="Ada Stone", family="Stone", given="Ada"),)
    }
    known = changes.pop("doi", DOI)
    ids = dict(changes.pop("ids", {})) | ({IdentifierScheme.DOI: known} if known else {})
    url = f"https://doi.org/{known}" if known else "https://example.org/work"
    given |= {"ids": ids, "year": 2020, "url": url}
    return Paper(title=title, source=source, **(given | changes))


@dataclass
class Registry:
    """One scholarly provider; an error in place of an answer is raised, `slow` waits for ever."""

    holds: Mapping[str, Any] = field(default_factory=dict)  # identifier → paper or error
    found: Any = ()  # papers by subject: a list, a PapersFound or an error
    matching: Any = ()
    citing_: Any = None
    cited_: Any = None
    free: Mapping[str, Any] = field(default_factory=dict)
    handles: Any = frozenset()  # registered DOIs, or an error
    schemes: frozenset[IdentifierScheme] = frozenset({IdentifierScheme.DOI})
    fails: CitewellError | None = None
    slow: bool = False
    asked: list[str] = field(default_factory=list)
    queries: list[PaperQuery] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: int = 0
    most_at_once: int = 0

    async def _say(self, what: str, answer: Any) -> Any:
        self.asked.append(what)
        self.at_once += 1
        self.begun.set()
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(0)
            if self.slow:
                await asyncio.Event().wait()
        finally:
            self.at_once -= 1
        for reply in (self.fails, answer):
            if isinstance(reply, CitewellError):
                raise reply
        return answer

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        self.queries.append(query)
        answer = self.found(query) if callable(self.found) else self.found
        reply = await self._say(f"papers {query.text}", answer)
        return reply if isinstance(reply, PaperHits) else PaperHits(papers=tuple(reply))

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        reply: Paper | None = await self._say(str(paper_id), self.holds.get(paper_id.value))
        return reply

    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        return tuple(await self._say(f"match {query.title or query.text}", self.matching))

    async def list_citing_papers(
        self, paper_id: PaperId, *, count: int
    ) -> tuple[Paper, ...] | None:
        reply: Sequence[Paper] | None = await self._say(f"citing {paper_id}", self.citing_)
        return None if reply is None else tuple(reply[:count])

    async def list_cited_papers(self, paper_id: PaperId, *, count: int) -> tuple[Paper, ...] | None:
        reply: Sequence[Paper] | None = await self._say(f"cited {paper_id}", self.cited_)
        return None if reply is None else tuple(reply[:count])

    async def list_open_copies(self, doi: str) -> tuple[OpenCopy, ...] | None:
        reply: tuple[OpenCopy, ...] | None = await self._say(f"copies {doi}", self.free.get(doi))
        return reply

    async def is_registered(self, doi: str) -> bool:
        reply = await self._say(f"handle {doi}", self.handles)
        return doi in reply


def shop(offers: frozenset[Offer], /, **registries: Any) -> Shop:
    """A catalogue in which every provider has the same offers."""
    stock = [
        (spec(name, offers=offers, rank=at), registry)
        for at, (name, registry) in enumerate(registries.items())
    ]
    return Shop(*stock)


def mixed(*stock: tuple[str, frozenset[Offer], Any], **settings: Any) -> Shop:
    """A catalogue in which each provider has its own offers."""
    return Shop(
        *(
            (spec(name, offers=offers, rank=at), provider)
            for at, (name, offers, provider) in enumerate(stock)
        ),
        **settings,
    )


LOOKUP = frozenset({Offer.LOOKUP})
MATCH = frozenset({Offer.MATCH})
REGISTRY = frozenset({Offer.REGISTRY})
PAPERS = frozenset({Offer.PAPERS})


def records(catalogue: Shop, **changes: Any) -> WorkRecords:
    panel = ProviderPanel(
        catalogue.catalogue, **{"timeout_seconds": 5.0, **changes.pop("panel", {})}
    )
    return WorkRecords(panel, **{"grace": 0.0, **changes})
