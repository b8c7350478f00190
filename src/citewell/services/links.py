"""Whether addresses still lead anywhere, and where an archived copy is when they do not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.errors import CitewellError, NotFound, Refused
from citewell.net.message import Request, Response
from citewell.net.network import Network

AT_ONCE = 8
SECONDS = 8.0
_RESTING = frozenset({401, 403, 429, 503})  # somebody is there and will not let us in
_NO_HEAD = frozenset({405, 501})


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkState:
    """`live`, `blocked` (there, but not for us), `dead`, or `unchecked` when nobody could say."""

    state: str
    status: int | None = None
    archived: str | None = None


class Links:
    def __init__(self, network: Network, *, wayback: str) -> None:
        self._client = network.client
        self._archive = network.upstream("wayback", base_url=wayback, per_second=2.0, burst=4)

    async def check(self, urls: Iterable[str]) -> Mapping[str, LinkState]:
        """Every address once, a few at a time; never an error, at worst `unchecked`."""
        wanted = tuple(dict.fromkeys(urls))
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(url: str) -> LinkState:
            async with gate:
                return await self._state(url)

        states = await asyncio.gather(*map(one, wanted))
        return dict(zip(wanted, states, strict=True))

    async def _state(self, url: str) -> LinkState:
        try:
            status = await self._status(url)
        except Refused:
            return LinkState(state="unchecked")
        except CitewellError:
            return await self._dead(url, None)
        if status < 400:
            return LinkState(state="live", status=status)
        if status in _RESTING:
            return LinkState(state="blocked", status=status)
        return await self._dead(url, status)

    async def _status(self, url: str) -> int:
        head = await self._send(url, "HEAD")
        return (await self._send(url, "GET")).status if head.status in _NO_HEAD else head.status

    async def _send(self, url: str, method: str) -> Response:
        return await self._client.send(
            Request(url=url, method=method, timeout=SECONDS, max_bytes=512 * 1024, page=True)
        )

    async def _dead(self, url: str, status: int | None) -> LinkState:
        try:
            answer: Any = (await self._archive.get(params={"url": url})).parsed()
        except (CitewellError, NotFound):
            return LinkState(state="dead", status=status)
        return LinkState(state="dead", status=status, archived=_snapshot(answer))


def _snapshot(answer: Any) -> str | None:
    """The nearest copy the archive knows; tolerant of every shape it has answered in."""
    snapshots = answer.get("archived_snapshots") if isinstance(answer, dict) else None
    closest = snapshots.get("closest") if isinstance(snapshots, dict) else None
    address = closest.get("url") if isinstance(closest, dict) and closest.get("available") else None
    return address if isinstance(address, str) and address.startswith("http") else None
