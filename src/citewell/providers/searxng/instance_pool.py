"""Chooses which instances to ask: your own, then the listed ones, then discovered ones by grade."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

from citewell.errors import CitewellError
from citewell.providers.searxng.instance_directory import InstanceDirectory, build_rank_key
from citewell.providers.searxng.instance_health import InstanceHealth
from citewell.providers.searxng.instance_settings import InstancePlan, SearxngInstance

_MAX_PROBES = 6  # for one search; all run at the same time
_MIN_JSON_INSTANCES = 2  # if so many are known to offer JSON, no others are probed

InstanceProbe = Callable[[SearxngInstance], Awaitable[None]]


class InstancePool:
    """All known instances. `problem` is the error of the last discovery, if it failed."""

    def __init__(
        self,
        plan: InstancePlan,
        *,
        directory: InstanceDirectory | None,
        health: InstanceHealth,
        draw: Callable[[], float] | None = None,  # numbers for a random order; None for turns
    ) -> None:
        self._draw = draw
        self._plan = plan
        self._directory = directory
        self._health = health
        self.problem: CitewellError | None = None

    @property
    def has_sources(self) -> bool:
        return bool(self._plan.configured_instances) or self._directory is not None

    async def list_known_instances(self) -> tuple[SearxngInstance, ...]:
        """All known instances, resting or not; the first mention of an instance decides its place."""
        await self._health.load_records()
        chosen = {instance.url: instance for instance in self._plan.configured_instances}
        found = {instance.url: instance for instance in await self._list_discovered_instances()}
        return tuple((found | chosen)[url] for url in dict.fromkeys((*chosen, *found)))

    async def choose_instances(self, probe: InstanceProbe) -> AsyncIterator[SearxngInstance]:
        """The instances that may be asked now, in order.

        Your own instance comes first. Only if the caller needs more are public instances probed
        for JSON, before they see a query. Within a grade the one asked longest ago comes first,
        a round robin that survives a restart. Instances without JSON come last.
        """
        members = await self.list_known_instances()
        for instance in self._drop_resting_instances(members):
            if instance.is_own:
                yield instance
        public = [one for one in members if not one.is_own]
        await self._probe_unknown_instances(
            sorted(self._drop_resting_instances(public), key=self._build_turn_key), probe
        )
        known = [
            one
            for one in self._drop_resting_instances(public)
            if self._health.has_json(one) is not None
        ]
        for instance in sorted(known, key=self._build_turn_key):
            yield instance

    async def _list_discovered_instances(self) -> tuple[SearxngInstance, ...]:
        self.problem = None
        if self._directory is None:
            return ()
        try:
            return await self._directory.list_public_instances()
        except CitewellError as error:
            self.problem = error
            return ()

    async def _probe_unknown_instances(
        self, awake: list[SearxngInstance], probe: InstanceProbe
    ) -> None:
        fluent = sum(1 for one in awake if self._health.has_json(one))
        unknown = [one for one in awake if self._health.has_json(one) is None]
        if fluent < _MIN_JSON_INSTANCES and unknown:
            await asyncio.gather(*(probe(one) for one in unknown[:_MAX_PROBES]))

    def _drop_resting_instances(self, members: Iterable[SearxngInstance]) -> list[SearxngInstance]:
        return [instance for instance in members if not self._health.measure_rest(instance)]

    def _build_turn_key(self, instance: SearxngInstance) -> tuple[object, ...]:
        mute = self._health.has_json(instance) is False
        band, *measured = build_rank_key(instance)
        turn = self._draw() if self._draw else self._health.look_up_record(instance).used_at
        return mute, instance.source, band, turn, *measured
