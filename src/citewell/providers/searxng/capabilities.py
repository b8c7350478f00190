"""What an instance can do by its own account (/config): engines, their categories and languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from citewell.errors import Refused, UpstreamError
from citewell.providers.searxng.answer import Result
from citewell.providers.searxng.door import Door
from citewell.providers.searxng.instance import Instance
from citewell.providers.searxng.notebook import Notebook

_KEEP = 86400.0
_UNKNOWN = 3600.0  # how long an instance that does not tell is not asked again


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    name: str
    categories: tuple[str, ...]
    languages: tuple[str, ...]  # empty when it takes none


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The engines that are switched on."""

    engines: tuple[Engine, ...]

    @property
    def categories(self) -> frozenset[str]:
        return frozenset(name for engine in self.engines for name in engine.categories)

    def speaks(self, language: str, category: str) -> bool:
        """Whether any engine of the category says it can search in the language."""
        plain = language.partition("-")[0].lower()
        spoken = (engine.languages for engine in self.engines if category in engine.categories)
        return any(
            plain == name.replace("_", "-").partition("-")[0].lower()
            for names in spoken
            for name in names
        )

    def covers(self, result: Result, category: str) -> bool:
        names = {engine.name for engine in self.engines if category in engine.categories}
        return result.category == category or not names.isdisjoint(result.engines)


class Almanac:
    """The capabilities of every instance asked so far; asked once a day at most."""

    def __init__(self, door: Door, *, notebook: Notebook, clock: Callable[[], float]) -> None:
        self._door = door
        self._notebook = notebook
        self._clock = clock
        self._known: dict[str, tuple[float, Capabilities | None]] = {}  # good until

    async def of(self, instance: Instance) -> Capabilities | None:
        """None when the instance does not tell; the search goes on without."""
        until, known = self._known.get(instance.url, (0.0, None))
        if self._clock() < until:
            return known
        found = await self._recall(instance) or await self._ask(instance)
        self._known[instance.url] = (self._clock() + (_KEEP if found else _UNKNOWN), found)
        return found

    async def _ask(self, instance: Instance) -> Capabilities | None:
        try:
            response = await self._door.ask(instance, "/config", {})
            found = read(response.parsed()) if response.status == 200 else None
        except (UpstreamError, Refused):
            return None
        if found and not instance.own:
            await self._notebook.write(_key(instance), _rows(found), ttl=_KEEP)
        return found

    async def _recall(self, instance: Instance) -> Capabilities | None:
        """The own instance is asked anew after a restart: its owner may have changed it."""
        return None if instance.own else read(await self._notebook.read(_key(instance)))


def read(config: object) -> Capabilities | None:
    rows = config.get("engines") if isinstance(config, dict) else None
    if not isinstance(rows, list):
        return None
    engines = (_engine(row) for row in rows if isinstance(row, dict) and row.get("enabled", True))
    found = tuple(engine for engine in engines if engine.name and engine.categories)
    return Capabilities(engines=found) if found else None


def _engine(row: dict[str, Any]) -> Engine:
    name = row.get("name")
    languages = (*_names(row.get("languages")), *_names(row.get("regions")))
    return Engine(
        name=name if isinstance(name, str) else "",
        categories=_names(row.get("categories")),
        languages=languages if row.get("language_support", True) else (),
    )


def _names(value: object) -> tuple[str, ...]:
    listed: Iterable[object] = value if isinstance(value, list) else ()
    return tuple(name for name in listed if isinstance(name, str) and name)


def _rows(capabilities: Capabilities) -> dict[str, object]:
    """In the shape of /config, so that `read` reads both."""
    rows = [
        {"name": one.name, "categories": list(one.categories), "languages": list(one.languages)}
        for one in capabilities.engines
    ]
    return {"engines": rows}


def _key(instance: Instance) -> str:
    return "config-" + sha256(instance.url.encode()).hexdigest()[:24]
