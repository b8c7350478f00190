"""`citewell worker`: carries out queued research jobs and serves nobody."""

from __future__ import annotations

import asyncio
import signal
import sys

from citewell.cli import exits
from citewell.cli.opened import opened
from citewell.services.research.service import Research


def command() -> int:
    """Carry out research jobs of this machine's store, or of the PostgreSQL all machines share, until stopped."""
    asyncio.run(_work())
    return exits.OK


async def _work() -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with opened() as app:
        app.service(Research).serve()
        sys.stderr.write("citewell: working on research jobs; Ctrl-C ends it.\n")
        await stopped.wait()
