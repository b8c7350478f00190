"""What is past its time is deleted while the process runs, whatever happens to one attempt."""

from __future__ import annotations

import asyncio

from citewell.store.cache.artifact_store import SWEEP_INTERVAL_SECONDS, ExpirySweep
from citewell.store.failures import StoreFull


def test_it_goes_on_every_hour_and_after_a_failure() -> None:
    async def play() -> tuple[list[str], list[float]]:
        done: list[str] = []
        pauses: list[float] = []
        enough = asyncio.Event()

        async def delete_expired() -> int:
            done.append("deleted")
            if len(done) == 1:
                raise StoreFull("The disk is full.")
            return 0

        async def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 3:
                enough.set()
                await asyncio.Event().wait()

        sweep = ExpirySweep(delete_expired, pause)
        sweep.keep_sweeping()
        sweep.keep_sweeping()
        async with asyncio.timeout(120):
            await enough.wait()
        await sweep.aclose()
        return done, pauses

    done, pauses = asyncio.run(play())

    assert done == ["deleted"] * 3
    assert pauses == [SWEEP_INTERVAL_SECONDS] * 3


def test_one_that_never_began_can_be_closed() -> None:
    async def never() -> int:
        raise AssertionError

    asyncio.run(ExpirySweep(never).aclose())
