"""Scholarly providers in turn until there is enough: who answered, who failed, who was left alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from citewell.errors import CitewellError
from citewell.model.paper import Paper, PaperQuery, PapersFound
from citewell.model.routing import Trace
from citewell.model.source import FilterReport
from citewell.ports import PaperSearch
from citewell.services.catalogue import Catalogue
from citewell.services.scholar import merge
from citewell.services.scholar.ask import Ask, question
from citewell.services.scholar.copies import Copies
from citewell.services.scholar.panel import Answer, Panel
from citewell.services.scholar.sieve import Sieve, newest
from citewell.text import stopwords

_ROOM = 2  # times as many are asked for where some will be dropped


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A provider's papers after our own filters, and the account of how they came about."""

    provider: str
    papers: tuple[Paper, ...]
    total: int | None = None
    reports: tuple[FilterReport, ...] = ()
    dropped: int = 0  # papers our own filters removed


@dataclass(slots=True)
class Harvest:
    """What the providers brought."""

    replies: list[Reply] = field(default_factory=list)
    failures: dict[str, CitewellError] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def papers(self) -> tuple[Paper, ...]:
        return merge.merged(paper for reply in self.replies for paper in reply.papers)

    def attempted(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(reply.provider for reply in self.replies), *self.failures]))

    def served(self) -> tuple[str, ...]:
        """Those with results; with none at all, whoever answered."""
        with_papers = [reply.provider for reply in self.replies if reply.papers]
        return tuple(dict.fromkeys(with_papers or [reply.provider for reply in self.replies]))


class Ladder:
    """Asks scholarly providers in turn, with one relaxed retry for a thin answer."""

    def __init__(self, catalogue: Catalogue, panel: Panel, copies: Copies, *, thin: int) -> None:
        self._catalogue = catalogue
        self._panel = panel
        self._copies = copies
        self._thin = thin

    async def only(self, name: str, ask: Ask, *, trace: Trace) -> Harvest:
        """One provider and no other; its failure is the caller's."""
        harvest = Harvest()
        self._panel.note(name, trace)
        await self._try(harvest, name, ask)
        if name in harvest.failures:
            raise harvest.failures[name]
        await self._relax(harvest, name, ask)
        return harvest

    async def through(
        self, names: Iterable[str], ask: Ask, *, trace: Trace, harvest: Harvest
    ) -> None:
        """The providers in order until the answer is not thin; failures are kept, not raised."""
        for name in names:
            self._panel.note(name, trace)
            if not await self._try(harvest, name, ask):
                continue
            await self._relax(harvest, name, ask)
            if not self._is_thin(harvest, ask):
                return

    async def _relax(self, harvest: Harvest, name: str, ask: Ask) -> None:
        """A thin answer is asked for once more without the words that carry no subject."""
        text = stopwords.without(ask.query, language=None)
        if text == ask.query or not self._is_thin(harvest, ask):
            return
        before = len(harvest.papers())
        await self._try(harvest, name, replace(ask, query=text))
        if len(harvest.papers()) > before:
            harvest.notes.append(f"Little was found, so {text!r} was searched as well.")

    async def _try(self, harvest: Harvest, name: str, ask: Ask) -> bool:
        answer = await self._asked(name, ask)
        if answer.value is None:
            if answer.error is not None:
                harvest.failures.setdefault(name, answer.error)
            return False
        harvest.replies.append(await self._reply(name, ask, answer.value))
        return True

    async def _asked(self, name: str, ask: Ask) -> Answer[PapersFound]:
        provider = self._panel.provider(name)
        if not isinstance(provider, PaperSearch):
            raise TypeError(f"{name} declares papers and does not offer them")
        sent = self._sent(name, ask)
        return await self._panel.ask(name, lambda: provider.papers(sent))

    def _sent(self, name: str, ask: Ask) -> PaperQuery:
        room = _ROOM * ask.count if ask.constraints() else ask.count
        most = self._catalogue.spec(name).max_results
        return replace(question(ask), count=min(room, most))

    async def _reply(self, name: str, ask: Ask, found: PapersFound) -> Reply:
        papers = await self._copies.enriched(found.papers)
        sieve = Sieve(ask, found.applied)
        kept = tuple(paper for paper in papers if sieve.keeps(paper))
        later = ask.sort == "date" and "sort" not in found.applied
        return Reply(
            provider=name,
            papers=tuple(newest(kept)) if later else kept,
            total=found.total,
            reports=sieve.reports(name=name, title=self._catalogue.spec(name).title),
            dropped=len(papers) - len(kept),
        )

    def _is_thin(self, harvest: Harvest, ask: Ask) -> bool:
        found = len(harvest.papers())
        return found <= self._thin and found < ask.count
