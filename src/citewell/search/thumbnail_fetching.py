"""Fetches small previews of images through the guarded network; nothing of them is parsed here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Self

from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.net.http.messages import HttpRequest, RequestSender

_MAX_THUMBNAIL_BYTES = 512 * 1024
_THUMBNAIL_SECONDS = 5.0
_MAX_PARALLEL_THUMBNAILS = 6
_HTTP_OK = 200
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_IMAGE_SIGNATURES = (PNG_SIGNATURE, b"\xff\xd8\xff", b"GIF87a", b"GIF89a")


class ThumbnailFetcher:
    def __init__(self, sender: RequestSender) -> None:
        self._sender = sender

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.network.client)

    async def fetch_thumbnails(self, links: Sequence[str | None]) -> list[bytes | None]:
        """The bytes of each preview; None for one that is absent, too large, too slow or no image."""
        slots = asyncio.Semaphore(_MAX_PARALLEL_THUMBNAILS)

        async def fetch_one(link: str | None) -> bytes | None:
            async with slots:
                return await self._fetch_thumbnail(link) if link else None

        return await asyncio.gather(*map(fetch_one, links))

    async def _fetch_thumbnail(self, link: str) -> bytes | None:
        request = HttpRequest(
            url=link, timeout=_THUMBNAIL_SECONDS, max_bytes=_MAX_THUMBNAIL_BYTES, page=True
        )
        try:
            response = await self._sender.send_request(request)
        except CitewellError:
            return None
        is_image = response.body.startswith(_IMAGE_SIGNATURES)
        return response.body if response.status == _HTTP_OK and is_image else None
