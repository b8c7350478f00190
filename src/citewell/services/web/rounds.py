"""Provider after provider until there is enough: who answered, who failed, who was left alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from citewell.errors import CitewellError, NetworkFailed, RateLimited, Unavailable
from citewell.model.routing import Trace
from citewell.model.search import Query
from citewell.services.web import merge
from citewell.services.web.asking import Asker, Reply
from citewell.services.web.lenses import Lens
from citewell.services.web.route import Chain
from citewell.text import stopwords


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """A provider that is left alone for a while."""

    seconds: float
    limited: bool = False  # it asked for the pause itself


Resting = Callable[[str], Rest | None]  # None when the provider may be asked


@dataclass(slots=True)
class Harvest:
    """What the providers brought."""

    replies: list[Reply] = field(default_factory=list)
    failures: dict[str, CitewellError] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def ranked(self) -> tuple[merge.Ranked, ...]:
        return merge.fuse(reply.hits for reply in self.replies)

    def attempted(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(r.provider for r in self.replies), *self.failures]))


class Rounds:
    """Asks the providers of a chain in turn, with one relaxed retry for a thin answer."""

    def __init__(self, asker: Asker, *, resting: Resting, thin: int, patience: float) -> None:
        """`patience` bounds the wait for more, in seconds, once something is in hand."""
        self._asker = asker
        self._resting = resting
        self._thin = thin
        self._patience = patience

    async def only(self, name: str, query: Query, *, lens: Lens | None, trace: Trace) -> Harvest:
        """One provider and no other; its failure is the caller's."""
        harvest = Harvest()
        trace.attempt(name)
        reply = await self._asker.ask(name, query, lens=lens)
        harvest.replies.append(reply)
        await self._relax(harvest, reply, query, lens)
        _credit(harvest, trace)
        return harvest

    async def through(
        self, chain: Chain, query: Query, *, lens: Lens | None, trace: Trace
    ) -> Harvest:
        """The chain in order until the answer is not thin; failures are kept, not raised."""
        harvest = Harvest()
        await self._walk(harvest, chain.main, query, lens=lens, trace=trace)
        if not harvest.ranked() and (harvest.failures or not harvest.replies):
            await self._walk(harvest, chain.spare, query, lens=lens, trace=trace)
        _credit(harvest, trace)
        return harvest

    async def _walk(
        self,
        harvest: Harvest,
        names: Iterable[str],
        query: Query,
        *,
        lens: Lens | None,
        trace: Trace,
    ) -> None:
        for name in names:
            if (rest := self._resting(name)) is not None:
                trace.skipped(name, reason="circuit_open")
                harvest.failures[name] = _asleep(name, rest)
                continue
            trace.attempt(name)
            reply = await self._try(harvest, name, query, lens)
            if reply is None:
                continue
            await self._relax(harvest, reply, query, lens)
            if not self._is_thin(harvest, query):
                return

    async def _relax(self, harvest: Harvest, reply: Reply, query: Query, lens: Lens | None) -> None:
        """A thin answer is asked for once more without the words that carry no subject."""
        text = stopwords.without(query.text, language=query.language)
        if text == query.text or not self._is_thin(harvest, query) or reply.queries > 1:
            return  # a lens in several parts has cost enough
        before = len(harvest.ranked())
        await self._try(harvest, reply.provider, query.with_(text=text), lens)
        if len(harvest.ranked()) > before:
            harvest.notes.append(f"Little was found, so {text!r} was searched as well.")

    async def _try(
        self, harvest: Harvest, name: str, query: Query, lens: Lens | None
    ) -> Reply | None:
        """The reply, kept; None when it failed and its error was kept instead."""
        limit = self._patience if harvest.ranked() else None
        try:
            async with asyncio.timeout(limit):
                reply = await self._asker.ask(name, query, lens=lens)
        except CitewellError as error:
            harvest.failures[name] = error
            return None
        except TimeoutError:
            harvest.failures[name] = NetworkFailed(
                f"{name} gave no answer in {self._patience:g} seconds."
            )
            return None
        harvest.replies.append(reply)
        return reply

    def _is_thin(self, harvest: Harvest, query: Query) -> bool:
        found = len(harvest.ranked())
        return found <= self._thin and found < query.count


def _asleep(name: str, rest: Rest) -> RateLimited | Unavailable:
    kind, why = (
        (RateLimited, "asked for a pause") if rest.limited else (Unavailable, "failed repeatedly")
    )
    message = f"{name} {why} and is left alone for {rest.seconds:.0f} more seconds."
    return kind(message, provider=name, retry_after=rest.seconds)


def _credit(harvest: Harvest, trace: Trace) -> None:
    """Those with results served the call; with none at all, whoever answered did."""
    with_hits = [reply.provider for reply in harvest.replies if reply.hits]
    for name in with_hits or [reply.provider for reply in harvest.replies]:
        trace.served(name)
