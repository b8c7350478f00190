"""Tracks the owner of the running call, and whether it may be answered from the library.

The library answers each owner from their own documents, and only if the answer is not put into a
shared cache: for a call that was not recognised as private the library is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from citewell.config import Settings

LIBRARY_ENGINE = "library"
LIBRARY_ID_PREFIX = "library:"  # of document ids


@dataclass(frozen=True, slots=True)
class _CallOwner:
    owner: str
    can_use_library: bool


_CURRENT_CALLER: ContextVar[_CallOwner | None] = ContextVar("library_asker", default=None)


@contextmanager
def run_as_owner(owner: str, *, private: bool) -> Iterator[None]:
    """Run the block, including tasks started in it, on behalf of this owner."""
    token = _CURRENT_CALLER.set(_CallOwner(owner, private))
    try:
        yield
    finally:
        _CURRENT_CALLER.reset(token)


@contextmanager
def without_library() -> Iterator[None]:
    """Run the block without the library, because its answers may be shared."""
    owner = find_current_owner()
    token = _CURRENT_CALLER.set(
        _CallOwner(owner, can_use_library=False) if owner is not None else None
    )
    try:
        yield
    finally:
        _CURRENT_CALLER.reset(token)


def find_current_owner() -> str | None:
    """The owner of the running call; None outside a call, as in background upkeep."""
    asked = _CURRENT_CALLER.get()
    return asked.owner if asked is not None else None


def find_library_owner() -> str | None:
    """The owner whose library may answer; None if the answer could be shared with others."""
    asked = _CURRENT_CALLER.get()
    return asked.owner if asked is not None and asked.can_use_library else None


class LibraryPrivacy:
    """Decides from a call's arguments, before anything is cached, whether it may use the library."""

    def __init__(self, settings: Settings) -> None:
        chosen = f"{settings.search_provider or ''} {settings.search_routing or ''}"
        self._routed = (
            LIBRARY_ENGINE in chosen.lower()
        )  # searches may use the library without naming it

    def can_use_library(self, arguments: Mapping[str, object]) -> bool:
        """Whether a call may be answered from the library."""
        if self._routed and "query" in arguments:
            return True
        return any(_is_library_reference(value) for value in arguments.values())


def _is_library_reference(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(_is_library_reference(one) for one in value)
    if not isinstance(value, str):
        return False
    plain = value[:64].strip().lower()
    return plain == LIBRARY_ENGINE or plain.startswith(LIBRARY_ID_PREFIX)
