"""Tells a machine without internet from a host that has no address, so that nobody waits for nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from citewell.errors import FailureReason, NotConnected

HostResolver = Callable[[str], Awaitable[Sequence[str]]]

OFFLINE_MESSAGE = "No network: this machine cannot reach the internet."
# Looked up to tell the two apart; the names say nothing about the caller or the request.
_KNOWN_NAMES = ("example.com", "doi.org", "wikipedia.org")
_PATIENCE_SECONDS = 0.5  # for an answer, before the known names are looked up as well
_SILENCE_SECONDS = 1.0  # without an answer about any known name, there is no network
_OFFLINE_SECONDS = 5.0  # how long a machine counts as offline before it is checked again
_ONLINE_SECONDS = 30.0  # after an answer about any host, the others are not doubted
_PROXY_VARIABLES = ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY")


class InternetReach:
    """Looks up public hosts, and knows for a few seconds whether the machine is offline."""

    def __init__(
        self,
        resolver: HostResolver,
        *,
        clock: Callable[[], float] = time.monotonic,
        message: str = OFFLINE_MESSAGE,
    ) -> None:
        self._resolver = resolver
        self._clock = clock
        self.offline_message = message
        self._offline_until = self._online_until = float("-inf")
        self._checking = asyncio.Lock()

    @property
    def is_offline(self) -> bool:
        """Whether a check of the last seconds found that the machine is offline."""
        return self._clock() < self._offline_until

    @property
    def was_offline(self) -> bool:
        """Whether the machine was offline when this was last found out, however long ago."""
        return self._offline_until > float("-inf")

    async def resolve_public(self, host: str) -> Sequence[str]:
        """The addresses of a public host. Raises OSError if it has none, NotConnected if offline."""
        lookup = asyncio.ensure_future(self._resolver(host))
        try:
            await asyncio.wait({lookup}, timeout=_PATIENCE_SECONDS)
            is_answered = lookup.done() and lookup.exception() is None
            if not is_answered and await self.check_offline():
                raise NotConnected(
                    self.offline_message,
                    reason=FailureReason.OFFLINE,
                    detail=FailureReason.OFFLINE,
                    action="inform_user",
                )
            answers = await lookup
        finally:
            lookup.cancel()
        self._note_online()
        return answers

    async def check_offline(self) -> bool:
        """Whether the machine is offline, looked up unless that is known; takes about a second if so."""
        async with self._checking:
            now = self._clock()
            if now >= max(self._offline_until, self._online_until):
                if await self._is_any_name_known():
                    self._note_online()
                else:
                    self._offline_until = self._clock() + _OFFLINE_SECONDS
        return self.is_offline

    def _note_online(self) -> None:
        self._online_until = self._clock() + _ONLINE_SECONDS
        self._offline_until = float("-inf")

    async def _is_any_name_known(self) -> bool:
        lookups = [asyncio.ensure_future(self._is_known(name)) for name in _KNOWN_NAMES]
        try:
            for answer in asyncio.as_completed(lookups, timeout=_SILENCE_SECONDS):
                if await answer:
                    return True
        except TimeoutError:
            return False
        finally:
            for lookup in lookups:
                lookup.cancel()
        return False

    async def _is_known(self, name: str) -> bool:
        try:
            return bool(await self._resolver(name))
        except (OSError, UnicodeError):
            return False


def describe_offline(raw: Mapping[str, str]) -> str:
    """The message for a machine that is offline; it names a proxy that is set but not used."""
    name = next((name for name in _PROXY_VARIABLES if raw.get(name)), None)
    if name is None:
        return OFFLINE_MESSAGE
    return f"This machine cannot reach the internet directly; to use the proxy in {name}, set CITEWELL_PROXY=env."
