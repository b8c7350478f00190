"""Decides with whom an answer may be shared: with everybody, within one tenant, or with nobody.

Whatever is kept for later callers is kept under a cache owner, and `AnswerSharing` chooses it:

1. The answer of a call that may use a library is private: it can hold documents of one owner, so
   it is not cached at all.
2. Otherwise, if the setting CACHE_ISOLATION is `tenant`, it is shared within the tenant that asked.
   A call that names no tenant is then not cached.
3. Otherwise it is shared with everybody.

What depends on a public address alone (a page, a registry's record, the state of a link) is the same
for all and never holds library text, so rule 1 does not apply to it.

The library answers only a call that is known to be private. Whether it is has to be known deep below
the tool, in the library and in every cache, and also in tasks that the call starts. Passing it through
every service would put it into dozens of signatures, where a forgotten argument would leak documents.
So a context variable carries the running call, and without one nothing is private and the library is
empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum

from citewell.core.values.search_queries import LIBRARY_PROVIDER
from citewell.store.cache.single_flight import SHARED_OWNER

_MAX_REFERENCE_CHARS = 64  # only the start of an argument is looked at


class SharingScope(Enum):
    """Who may be given an answer that somebody else has asked for."""

    EVERYBODY = "everybody"
    TENANT = "tenant"
    PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class _RunningCall:
    owner: str
    is_private: bool


_RUNNING_CALL: ContextVar[_RunningCall | None] = ContextVar("running_call", default=None)


class OwnerBlock:
    """What `run_as_owner` returns; a class, because every call passes it."""

    __slots__ = ("_before", "_call")

    def __init__(self, call: _RunningCall) -> None:
        self._call = call

    def __enter__(self) -> None:
        self._before = _RUNNING_CALL.set(self._call)

    def __exit__(self, *_: object) -> None:
        _RUNNING_CALL.reset(self._before)


def run_as_owner(owner: str, *, private: bool) -> OwnerBlock:
    """Run the `with` block, including tasks started in it, on behalf of this owner.

    If `private`, the owner's library may be used, and answers are not shared.
    """
    return OwnerBlock(_RunningCall(owner, private))


@contextmanager
def without_library() -> Iterator[None]:
    """Run the block without the library, because its answers may be shared."""
    owner = find_current_owner()
    token = _RUNNING_CALL.set(_RunningCall(owner, is_private=False) if owner is not None else None)
    try:
        yield
    finally:
        _RUNNING_CALL.reset(token)


def find_current_owner() -> str | None:
    """The owner of the running call; None outside a call, as in background upkeep."""
    call = _RUNNING_CALL.get()
    return call.owner if call is not None else None


def find_library_owner() -> str | None:
    """The owner whose library may answer; None if the answer could be shared with others."""
    call = _RUNNING_CALL.get()
    return call.owner if call is not None and call.is_private else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSharing:
    """The rules above, for one server. By default everything but library answers is shared."""

    is_split_by_tenant: bool = False
    is_library_routed: bool = False  # searches may use the library although they do not name it

    def choose_scope(self, tenant: str | None, *, is_public: bool = False) -> SharingScope:
        """Who may be given an answer of the running call.

        `is_public` says that the answer depends on a public address alone.
        """
        if not is_public and find_library_owner() is not None:
            return SharingScope.PRIVATE
        if not self.is_split_by_tenant:
            return SharingScope.EVERYBODY
        return SharingScope.PRIVATE if tenant is None else SharingScope.TENANT

    def find_cache_owner(self, tenant: str | None, *, is_public: bool = False) -> str | None:
        """The owner under which an answer is cached; None if it must not be cached."""
        scope = self.choose_scope(tenant, is_public=is_public)
        if scope is SharingScope.PRIVATE:
            return None
        return tenant if scope is SharingScope.TENANT else SHARED_OWNER

    def can_use_library(self, arguments: Mapping[str, object]) -> bool:
        """Whether a call with these arguments may be answered from the library."""
        if self.is_library_routed and "query" in arguments:
            return True
        return any(_is_library_reference(value) for value in arguments.values())

    def run_call(
        self, owner: str, arguments: Mapping[str, object], *, is_cacheable: bool
    ) -> OwnerBlock:
        """Run a tool call for its owner: private if its answer is never cached or may use the library."""
        return run_as_owner(owner, private=not is_cacheable or self.can_use_library(arguments))


SHARED_WITH_EVERYBODY = AnswerSharing()


def _is_library_reference(value: object) -> bool:
    """Whether this argument, or an item of it, is the library's name or the id of a document in it."""
    if isinstance(value, list | tuple):
        return any(_is_library_reference(part) for part in value)
    if not isinstance(value, str):
        return False
    plain = value[:_MAX_REFERENCE_CHARS].strip().lower()
    return plain.partition(":")[0] == LIBRARY_PROVIDER  # an id is "library:" and a hash
