"""`citewell worker`: runs queued research jobs and checks what is watched, without serving clients."""

from __future__ import annotations

import asyncio
import signal
import sys

from citewell.cli.running import exit_codes
from citewell.cli.running.command_app import open_command_app
from citewell.errors import Misconfigured
from citewell.server.breaker_sharing import share_breakers
from citewell.services.research.research_service import ResearchService
from citewell.services.watching.watch_schedule import WatchSchedule
from citewell.store.state_start import refuse_lasting_faults


def command() -> int:
    asyncio.run(_run_worker())
    return exit_codes.OK


async def _run_worker() -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with open_command_app(log_level="warning") as app:
        if app.settings.research_concurrency == 0:
            raise Misconfigured(
                "CITEWELL_RESEARCH_CONCURRENCY is 0, so a worker would run nothing. Give it a number.",
                action="inform_user",
            )
        if app.settings.direct_database_url:
            from citewell.services.jobs.dbos_host import check_installed
            from citewell.store.sql.postgres_listener import require_sessions

            check_installed()
            await require_sessions(app.settings.direct_database_url)
        await refuse_lasting_faults(app.open_state(), app.settings)
        app.require_service(ResearchService).start_serving()
        app.require_service(WatchSchedule).keep_checking()
        sys.stderr.write("citewell: running research jobs; stop with Ctrl-C.\n")
        async with share_breakers(app):
            await stopped.wait()
