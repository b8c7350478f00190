"""Downloads large files to disk: guarded like any request, never whole in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from citewell.config import Settings
from citewell.errors import (
    FailureReason,
    MalformedResponse,
    NetworkFailed,
    TooLarge,
)
from citewell.net.guard.address_guard import Guard
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.net.http.outbound_route import OutboundRoute
from citewell.net.http.redirects import (
    MAX_REDIRECT_HOPS,
    build_redirect_limit_error,
    build_redirect_request,
)
from citewell.net.http.request_headers import build_default_headers
from citewell.net.http.status_errors import check_status

if TYPE_CHECKING:
    from citewell.net.http.connection_pools import ConnectionPools, ResponseHead

ByteProgress = Callable[[int, int | None], None]  # bytes so far, and the total if it is known


@dataclass(frozen=True, slots=True, kw_only=True)
class _DownloadSink:
    """The output file, its maximum size, and the progress callback."""

    file: IO[bytes]
    max_bytes: int
    progress: ByteProgress

    async def write_chunks(self, head: ResponseHead, chunks: AsyncIterator[bytes]) -> None:
        length = head.headers.get("content-length", "")
        total = int(length) if length.isdigit() and len(length) < 16 else None
        done = 0
        async for chunk in chunks:
            done += len(chunk)
            if done > self.max_bytes:
                raise TooLarge(f"The file has more than {self.max_bytes} bytes.")
            await asyncio.to_thread(self.file.write, chunk)
            self.progress(done, total)


class FileDownloader:
    def __init__(self, guard: Guard, settings: Settings) -> None:
        self._guard = guard
        self._outbound = OutboundRoute.from_settings(settings)
        # Decompressing a stream would need limits of its own, and large files are rarely compressed.
        self._headers = {
            **build_default_headers(settings.user_agent),
            "accept-encoding": "identity",
        }

    async def download_file(
        self,
        request: HttpRequest,
        file: IO[bytes],
        *,
        progress: ByteProgress = lambda _done, _total: None,
    ) -> None:
        """Write the whole body to `file`, within the request's timeout and size limit.

        Raises what `GuardedClient.send_request` raises, and what `check_status` raises for any
        status but success.
        """
        from citewell.net.http.connection_pools import ConnectionPools

        wire = ConnectionPools(self._guard, self._outbound)
        sink = _DownloadSink(file=file, max_bytes=request.max_bytes, progress=progress)
        try:
            async with asyncio.timeout(request.timeout):
                await self._follow_redirects(wire, request, sink)
        except TimeoutError:
            raise NetworkFailed(
                f"The file did not arrive within {request.timeout:.3g} s.",
                reason=FailureReason.TIMEOUT,
            ) from None
        finally:
            await wire.aclose()

    async def _follow_redirects(
        self, wire: ConnectionPools, request: HttpRequest, sink: _DownloadSink
    ) -> None:
        for _ in range(MAX_REDIRECT_HOPS + 1):
            onward = await self._download_hop(wire, request, sink)
            if onward is None:
                return
            request = onward
        raise build_redirect_limit_error()

    async def _download_hop(
        self, wire: ConnectionPools, request: HttpRequest, sink: _DownloadSink
    ) -> HttpRequest | None:
        target = self._guard.check_url(request.url, page=request.page)
        exchange = wire.open_exchange(target, method="GET", headers=self._headers, content=None)
        async with exchange as (head, chunks):
            location = head.headers.get("location")
            onward = build_redirect_request(request, target, status=head.status, location=location)
            if onward is None:
                answer = HttpResponse(
                    status=head.status, url=target.url, headers=head.headers, body=b""
                )
                check_status(answer, provider=target.host, accept=(), now=time.time)
                if head.headers.get("content-encoding", "identity") != "identity":
                    raise MalformedResponse("The file uses an encoding that was not requested.")
                await sink.write_chunks(head, chunks)
            return onward
