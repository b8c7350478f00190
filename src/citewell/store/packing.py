"""Bodies on their way to disk: packed where that pays, and off the event loop when large."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")

_PLAIN, _PACKED = b"\x00", b"\x01"
_PACK_ABOVE = 2048  # below, compression costs more than it saves
_OFF_LOOP_ABOVE = 64 * 1024  # larger bodies would hold up the event loop


def pack(plain: bytes) -> bytes:
    if len(plain) > _PACK_ABOVE:
        return _PACKED + zlib.compress(plain, 1)
    return _PLAIN + plain


def unpack(packed: bytes) -> bytes:
    return zlib.decompress(packed[1:]) if packed[:1] == _PACKED else packed[1:]


async def maybe_off_loop(size: int, make: Callable[[], Made]) -> Made:
    return await asyncio.to_thread(make) if size > _OFF_LOOP_ABOVE else make()
