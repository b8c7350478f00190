"""Whose call is running, and whether its answer is theirs alone.

The library answers each owner from their own documents, and only where the answer is kept in no
cache that others share: a call that was not recognised as private finds an empty library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from citewell.config import Settings

ENGINE = "library"
PREFIX = "library:"  # begins the id of a document


@dataclass(frozen=True, slots=True)
class _Asker:
    owner: str
    private: bool


_ASKER: ContextVar[_Asker | None] = ContextVar("library_asker", default=None)


@contextmanager
def asking(owner: str, *, private: bool) -> Iterator[None]:
    """Everything inside, tasks started there included, is done for this owner."""
    token = _ASKER.set(_Asker(owner, private))
    try:
        yield
    finally:
        _ASKER.reset(token)


@contextmanager
def sharing() -> Iterator[None]:
    """Inside, answers may be shared, and so the library gives none."""
    owner = asker()
    token = _ASKER.set(_Asker(owner, private=False) if owner is not None else None)
    try:
        yield
    finally:
        _ASKER.reset(token)


def asker() -> str | None:
    """None where nobody asked, as in the upkeep that a server does for itself."""
    asked = _ASKER.get()
    return asked.owner if asked is not None else None


def answering() -> str | None:
    """The owner whose library may answer; None while the answer could reach others."""
    asked = _ASKER.get()
    return asked.owner if asked is not None and asked.private else None


class Privacy:
    """Decides by a call's arguments alone, before anything is searched, read or cached."""

    def __init__(self, settings: Settings) -> None:
        chosen = f"{settings.search_provider or ''} {settings.search_routing or ''}"
        self._routed = ENGINE in chosen.lower()  # searches may go there without naming it

    def covers(self, arguments: Mapping[str, object]) -> bool:
        """Whether a call may be answered from the library."""
        if self._routed and "query" in arguments:
            return True
        return any(_own(value) for value in arguments.values())


def _own(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(_own(one) for one in value)
    if not isinstance(value, str):
        return False
    plain = value[:64].strip().lower()
    return plain == ENGINE or plain.startswith(PREFIX)
