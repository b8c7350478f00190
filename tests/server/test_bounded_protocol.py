"""Writes of one turn of the event loop leave together."""

from __future__ import annotations

import asyncio
from typing import Any

from citewell.server.http.bounded_protocol import MAX_BUFFERED_BYTES, CoalescingTransport


def test_writes_of_one_turn_leave_together_and_large_ones_at_once() -> None:
    class Real:
        def __init__(self) -> None:
            self.written: list[bytes] = []

        def write(self, data: Any) -> None:
            self.written.append(bytes(data))

        def close(self) -> None:
            self.written.append(b"closed")

    async def scene() -> Any:
        real: Any = Real()
        gathering = CoalescingTransport(real, asyncio.get_running_loop())
        gathering.write(b"head")
        gathering.write(b"body")
        await asyncio.sleep(0)
        gathering.write(b"x" * MAX_BUFFERED_BYTES)
        gathering.write(b"last")
        gathering.close()
        return real.written

    assert asyncio.run(scene()) == [b"headbody", b"x" * MAX_BUFFERED_BYTES, b"last", b"closed"]
