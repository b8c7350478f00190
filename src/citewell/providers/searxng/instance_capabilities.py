"""What an instance says it can do (/config): its engines, their categories and languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from citewell.errors import RefusedByPolicy, UpstreamError
from citewell.providers.searxng.instance_client import InstanceClient
from citewell.providers.searxng.instance_settings import SearxngInstance
from citewell.providers.searxng.json_memory import JsonMemory
from citewell.providers.searxng.result_page import SearxngResult

_CAPABILITIES_KEEP_SECONDS = 86400.0
_UNKNOWN_KEEP_SECONDS = 3600.0  # before an instance that did not answer is asked again


@dataclass(frozen=True, slots=True, kw_only=True)
class SearxngEngine:
    name: str
    categories: tuple[str, ...]
    languages: tuple[str, ...]  # empty if it has no language setting


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCapabilities:
    """The enabled engines of an instance."""

    engines: tuple[SearxngEngine, ...]

    @property
    def categories(self) -> frozenset[str]:
        return frozenset(name for engine in self.engines for name in engine.categories)

    def has_language(self, language: str, category: str) -> bool:
        """Whether any engine of the category lists the language; regions are ignored."""
        plain = language.partition("-")[0].lower()
        spoken = (engine.languages for engine in self.engines if category in engine.categories)
        return any(
            plain == name.replace("_", "-").partition("-")[0].lower()
            for names in spoken
            for name in names
        )

    def covers_result(self, result: SearxngResult, category: str) -> bool:
        names = {engine.name for engine in self.engines if category in engine.categories}
        return result.category == category or not names.isdisjoint(result.engines)


class CapabilityCache:
    """Keeps the capabilities of each instance, and asks for them at most once a day."""

    def __init__(
        self, door: InstanceClient, *, notebook: JsonMemory, clock: Callable[[], float]
    ) -> None:
        self._door = door
        self._notebook = notebook
        self._clock = clock
        self._known: dict[
            str, tuple[float, InstanceCapabilities | None]
        ] = {}  # with the time they expire

    async def look_up_capabilities(self, instance: SearxngInstance) -> InstanceCapabilities | None:
        """The capabilities; None if the instance does not publish them."""
        until, known = self._known.get(instance.url, (0.0, None))
        if self._clock() < until:
            return known
        found = await self._recall_capabilities(instance) or await self._fetch_capabilities(
            instance
        )
        self._known[instance.url] = (
            self._clock() + (_CAPABILITIES_KEEP_SECONDS if found else _UNKNOWN_KEEP_SECONDS),
            found,
        )
        return found

    async def _fetch_capabilities(self, instance: SearxngInstance) -> InstanceCapabilities | None:
        try:
            response = await self._door.fetch_from_instance(instance, "/config", {})
            found = parse_capabilities(response.parse_json()) if response.status == 200 else None
        except (UpstreamError, RefusedByPolicy):
            return None
        if found and not instance.is_own:
            await self._notebook.remember_json(
                _build_config_key(instance),
                _encode_capabilities(found),
                ttl=_CAPABILITIES_KEEP_SECONDS,
            )
        return found

    async def _recall_capabilities(self, instance: SearxngInstance) -> InstanceCapabilities | None:
        """The stored capabilities; None for your own instance, whose settings may have changed."""
        return (
            None
            if instance.is_own
            else parse_capabilities(await self._notebook.recall_json(_build_config_key(instance)))
        )


def parse_capabilities(config: object) -> InstanceCapabilities | None:
    rows = config.get("engines") if isinstance(config, dict) else None
    if not isinstance(rows, list):
        return None
    engines = (
        _parse_engine(row) for row in rows if isinstance(row, dict) and row.get("enabled", True)
    )
    found = tuple(engine for engine in engines if engine.name and engine.categories)
    return InstanceCapabilities(engines=found) if found else None


def _parse_engine(row: dict[str, Any]) -> SearxngEngine:
    name = row.get("name")
    languages = (*_keep_text_names(row.get("languages")), *_keep_text_names(row.get("regions")))
    return SearxngEngine(
        name=name if isinstance(name, str) else "",
        categories=_keep_text_names(row.get("categories")),
        languages=languages if row.get("language_support", True) else (),
    )


def _keep_text_names(value: object) -> tuple[str, ...]:
    listed: Iterable[object] = value if isinstance(value, list) else ()
    return tuple(name for name in listed if isinstance(name, str) and name)


def _encode_capabilities(capabilities: InstanceCapabilities) -> dict[str, object]:
    """The capabilities in the shape of /config, so that `parse_capabilities` can read them again."""
    rows = [
        {"name": one.name, "categories": list(one.categories), "languages": list(one.languages)}
        for one in capabilities.engines
    ]
    return {"engines": rows}


def _build_config_key(instance: SearxngInstance) -> str:
    return "config-" + sha256(instance.url.encode()).hexdigest()[:24]
