"""`citewell worker`: runs queued research jobs without serving clients."""

from __future__ import annotations

import asyncio
import signal
import sys

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.services.research.research_service import ResearchService


def command() -> int:
    asyncio.run(_run_worker())
    return exit_codes.OK


async def _run_worker() -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with open_command_app() as app:
        app.require_service(ResearchService).start_serving()
        sys.stderr.write("citewell: running research jobs; stop with Ctrl-C.\n")
        await stopped.wait()
