"""A large file from the network to the disk: guarded like any request, never whole in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from citewell.config import Settings
from citewell.errors import BadShape, NetworkFailed, TooLarge, Unavailable
from citewell.net.agent import default_headers
from citewell.net.guard import Guard
from citewell.net.message import Request, Response
from citewell.net.outbound import Outbound
from citewell.net.redirect import MOST_HOPS, follow
from citewell.net.verdict import judge

if TYPE_CHECKING:
    from citewell.net.wire import Head, Wire

Progress = Callable[[int, int | None], None]  # bytes so far, and of how many where that is known


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sink:
    """Where the bytes go, how many may, and who wants to know."""

    file: IO[bytes]
    most: int
    progress: Progress

    async def fill(self, head: Head, chunks: AsyncIterator[bytes]) -> None:
        length = head.headers.get("content-length", "")
        total = int(length) if length.isdigit() and len(length) < 16 else None
        done = 0
        async for chunk in chunks:
            done += len(chunk)
            if done > self.most:
                raise TooLarge(f"The file has more than {self.most} bytes.")
            await asyncio.to_thread(self.file.write, chunk)
            self.progress(done, total)


class Downloads:
    def __init__(self, guard: Guard, settings: Settings) -> None:
        self._guard = guard
        self._outbound = Outbound.of(settings)
        # Unpacking a stream needs bounds of its own, and a large file is seldom packed.
        self._headers = {**default_headers(settings.user_agent), "accept-encoding": "identity"}

    async def save(
        self, request: Request, file: IO[bytes], *, progress: Progress = lambda _done, _total: None
    ) -> None:
        """Write the whole body to `file`, within the request's timeout and cap.

        Raises what `Client.send` raises, and what `judge` does for any status but success.
        """
        from citewell.net.wire import Wire

        wire = Wire(self._guard, self._outbound)
        sink = _Sink(file=file, most=request.max_bytes, progress=progress)
        try:
            async with asyncio.timeout(request.timeout):
                await self._follow(wire, request, sink)
        except TimeoutError:
            raise NetworkFailed(f"No whole file came within {request.timeout:.3g} s.") from None
        finally:
            await wire.aclose()

    async def _follow(self, wire: Wire, request: Request, sink: _Sink) -> None:
        for _ in range(MOST_HOPS + 1):
            onward = await self._hop(wire, request, sink)
            if onward is None:
                return
            request = onward
        raise Unavailable(f"The upstream sent us on more than {MOST_HOPS} times.")

    async def _hop(self, wire: Wire, request: Request, sink: _Sink) -> Request | None:
        target = self._guard.target(request.url, page=request.page)
        exchange = wire.exchange(target, method="GET", headers=self._headers, content=None)
        async with exchange as (head, chunks):
            location = head.headers.get("location")
            onward = follow(request, target, status=head.status, location=location)
            if onward is None:
                answer = Response(
                    status=head.status, url=target.url, headers=head.headers, body=b""
                )
                judge(answer, provider=target.host, accept=(), now=time.time)
                if head.headers.get("content-encoding", "identity") != "identity":
                    raise BadShape("The file comes packed in a way we did not ask for.")
                await sink.fill(head, chunks)
            return onward
