"""Run queued research jobs and checks until stopped.

The jobs are those of this machine, or of a shared PostgreSQL database; the checks are those of `citewell watch` that are due.
"""

from __future__ import annotations

import asyncio
import signal
import sys

from citewell.cli import exit_codes
from citewell.cli.command_app import open_command_app
from citewell.core.errors import Misconfigured
from citewell.core.room_modules import list_room_modules
from citewell.research.research_service import ResearchService
from citewell.research.settings import ResearchSettings
from citewell.server.startup import share_breakers
from citewell.server.state.state_store import refuse_lasting_faults
from citewell.store.settings import StoreSettings


def command() -> int:
    asyncio.run(_run_worker())
    return exit_codes.OK


async def _run_worker() -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with open_command_app(log_level="warning") as app:
        if app.settings[ResearchSettings].research_concurrency == 0:
            raise Misconfigured(
                "CITEWELL_RESEARCH_CONCURRENCY is 0, so a worker would run nothing. Give it a number.",
                action="inform_user",
            )
        if database_url := app.settings[StoreSettings].direct_database_url:
            from citewell.jobs.dbos_host import check_installed
            from citewell.store.sql.postgres_listener import require_sessions

            check_installed()
            await require_sessions(database_url)
        await refuse_lasting_faults(app.open_state(), app.settings)
        app.require_service(ResearchService).start_serving()
        if "watch" in list_room_modules("commands"):
            from citewell.watching.watch_schedule import WatchSchedule

            app.require_service(WatchSchedule).keep_checking()
        sys.stderr.write("citewell: running research jobs; stop with Ctrl-C.\n")
        async with share_breakers(app):
            await stopped.wait()
