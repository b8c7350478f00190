"""Compression of stored bodies, and running work on large ones off the event loop."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")

_PLAIN_MARK, _COMPRESSED_MARK = b"\x00", b"\x01"
_COMPRESS_ABOVE_BYTES = 2048  # smaller bodies are not worth compressing
_MAX_ON_LOOP_BYTES = 64 * 1024  # larger bodies would block the event loop


def compress_body(plain: bytes) -> bytes:
    if len(plain) > _COMPRESS_ABOVE_BYTES:
        return _COMPRESSED_MARK + zlib.compress(plain, 1)
    return _PLAIN_MARK + plain


def decompress_body(packed: bytes) -> bytes:
    return zlib.decompress(packed[1:]) if packed[:1] == _COMPRESSED_MARK else packed[1:]


async def run_off_loop_if_large(size: int, make: Callable[[], Made]) -> Made:
    return await asyncio.to_thread(make) if size > _MAX_ON_LOOP_BYTES else make()
