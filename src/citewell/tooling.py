"""How a tool is declared: its arguments, its result, its conduct."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict

from citewell.model.base import Value
from citewell.model.routing import Trace

S = TypeVar("S")


class _Unkeyed:
    """Marks an argument that does not change the result, and so stays out of the cache key."""


UNKEYED = _Unkeyed()
SessionId = Annotated[str, UNKEYED]


class Arguments(BaseModel):
    """Base of every tool's Args: unknown names are refused, values are frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    def keyed(self) -> dict[str, Any]:
        """Every result-affecting argument, by construction."""
        return self.model_dump(mode="json", exclude=self._unkeyed())

    @classmethod
    @cache
    def _unkeyed(cls) -> set[str]:
        return {
            name
            for name, field_ in cls.model_fields.items()
            if any(isinstance(mark, _Unkeyed) for mark in field_.metadata)
        }

    @classmethod
    @cache
    def names(cls) -> dict[str, tuple[str, ...]]:
        """Each field's accepted wire names, the published one first."""
        return {
            name: _wire_names(name, cls.model_fields[name].validation_alias)
            for name in cls.model_fields
        }


def _wire_names(name: str, alias: object) -> tuple[str, ...]:
    if isinstance(alias, AliasChoices):
        return tuple(str(choice) for choice in alias.choices)
    return (alias,) if isinstance(alias, str) else (name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose call this is; taken from the verified token, never from an argument."""

    tenant: str = "default"
    user: str = "anonymous"

    def __str__(self) -> str:
        return f"{self.tenant}/{self.user}"


async def nobody_listens(_done: float, _total: float | None, _message: str | None) -> None:
    """Progress for a caller that did not ask for any."""


@dataclass(slots=True, kw_only=True)
class Call:
    """One call while it runs: who asked, where progress goes, and the services it may use."""

    owner: Owner = field(default_factory=Owner)
    provide: Callable[[type[Any]], Any]
    report: Callable[[float, float | None, str | None], Awaitable[None]] = nobody_listens
    trace: Trace = field(default_factory=Trace)
    session_id: str | None = None
    _done: float = 0.0
    _total: float | None = None

    def service(self, kind: type[S]) -> S:
        service: S = self.provide(kind)
        return service

    async def progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the client how far the work is; the number only ever grows."""
        self._done, self._total = max(done, self._done), total
        await self.report(self._done, total, message)

    async def alive(self, seconds: float) -> None:
        """A sign of life between two steps of long work."""
        self._done += 0.01  # MCP wants each report larger than the last
        await self.report(self._done, self._total, f"still working after {seconds:.0f} s")


A = TypeVar("A", bound=Arguments)
R = TypeVar("R", bound=Value)

TOOLSETS = ("core", "scholar", "trust", "domains", "sessions", "deep", "connector", "people")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool's declaration; its name is its file's name and its description the Args docstring."""

    args: type[Arguments]
    result: type[Value]
    run: Callable[[Any, Call], Awaitable[Value]]
    toolset: str
    default: bool = False  # part of the default profile
    read_only: bool = True
    idempotent: bool = True
    open_world: bool = True
    ttl: float | None = None  # seconds an answer may be reused; None is never
    version: int = 1  # raised when a cached answer's shape changes
    long: bool = False  # takes the longer time-out
    fresh_meta: bool = False  # cache freshness is told on fresh answers too
    empty: Callable[[Any], bool] | None = (
        None  # an answer that found nothing, kept a minute at most
    )
    inline: bool = False  # always one whole text item, never a link (spec 4)
    promised: tuple[str, ...] = ()  # keys that stay in the answer even where the rest is a link
    publish_result: bool = False  # output schema in tools/list

    SHORT: ClassVar[float] = 60.0  # seconds an empty answer may be reused
