"""Chooses whom to ask: own instance, then the list, then discovered ones, the best grade first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

from citewell.errors import CitewellError
from citewell.providers.searxng.directory import Directory, rank
from citewell.providers.searxng.health import Health
from citewell.providers.searxng.instance import Instance, Plan

_PROBES = 6  # at a time, and the most for one search
_ENOUGH = 2  # with so many that speak JSON, nobody else is probed

Probe = Callable[[Instance], Awaitable[None]]


class Pool:
    """`problem` is why discovery gave nothing, for the report when nobody else answers either."""

    def __init__(self, plan: Plan, *, directory: Directory | None, health: Health) -> None:
        self._plan = plan
        self._directory = directory
        self._health = health
        self.problem: CitewellError | None = None

    @property
    def configured(self) -> bool:
        return bool(self._plan.chosen) or self._directory is not None

    async def members(self) -> tuple[Instance, ...]:
        """Everybody we know, resting or not; an instance named twice counts where it is named first."""
        await self._health.load()
        chosen = {instance.url: instance for instance in self._plan.chosen}
        found = {instance.url: instance for instance in await self._discovered()}
        return tuple((found | chosen)[url] for url in dict.fromkeys((*chosen, *found)))

    async def turns(self, probe: Probe) -> AsyncIterator[Instance]:
        """Who may be asked now, in order; strangers are probed for JSON before they see a query.

        Nobody is probed while the own instance answers. Within a grade the one asked longest ago
        goes first, which is a round robin that survives a restart. Those without JSON come last:
        reading their pages is the last resort.
        """
        members = await self.members()
        for instance in self._awake(members):
            if instance.own:
                yield instance
        public = [one for one in members if not one.own]
        await self._probe(sorted(self._awake(public), key=self._turn), probe)
        known = [one for one in self._awake(public) if self._health.speaks_json(one) is not None]
        for instance in sorted(known, key=self._turn):
            yield instance

    async def _discovered(self) -> tuple[Instance, ...]:
        self.problem = None
        if self._directory is None:
            return ()
        try:
            return await self._directory.instances()
        except CitewellError as error:
            self.problem = error
            return ()

    async def _probe(self, awake: list[Instance], probe: Probe) -> None:
        fluent = sum(1 for one in awake if self._health.speaks_json(one))
        unknown = [one for one in awake if self._health.speaks_json(one) is None]
        if fluent < _ENOUGH and unknown:
            await asyncio.gather(*(probe(one) for one in unknown[:_PROBES]))

    def _awake(self, members: Iterable[Instance]) -> list[Instance]:
        return [instance for instance in members if not self._health.rest(instance)]

    def _turn(self, instance: Instance) -> tuple[object, ...]:
        mute = self._health.speaks_json(instance) is False
        band, *measured = rank(instance)
        return mute, instance.source, band, self._health.record(instance).used_at, *measured
