"""Opens an app for one command, with little on stderr and results that are never linked."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from citewell import config
from citewell.config import Settings
from citewell.net.guard.internet_reach import InternetReach
from citewell.server.app import App
from citewell.server.log_output import configure_logging
from citewell.tooling import build_local_owner


def load_command_settings() -> Settings:
    """The server's settings, with large results inline and no audit lines on stderr."""
    read = config.load_settings(link_threshold=sys.maxsize, answer_limit=sys.maxsize)
    # Audit lines go to stderr by default, where a person wants to see only errors.
    quiet = {} if read.audit_path else {"audit_enabled": False}
    return read.model_copy(update=quiet)


@asynccontextmanager
async def open_command_app(
    chosen: Settings | None = None, *, log_level: str = "error", is_gate: bool = False
) -> AsyncIterator[App]:
    """An app that is closed with the block; `log_level` counts if LOG_LEVEL is not set.

    A gate goes on without a network, so that it lists what it could not check. Stderr says why, before
    anything else is started if all it needs is on the internet.
    """
    chosen = chosen or load_command_settings()
    configure_logging(chosen.raw.get("LOG_LEVEL", log_level), chosen.log_format)
    app = App(chosen, local_owner=build_local_owner(chosen.stdio_user))
    reach = app.network.reach if is_gate else None
    has_own_hosts = bool(chosen.allow_private_ips or chosen.allow_private_hosts)
    try:
        is_reported = reach is not None and not has_own_hosts and await reach.check_offline()
        if reach is not None and is_reported:
            report_offline(reach)
        yield app
        if reach is not None and not is_reported and reach.was_offline:
            report_offline(reach)
    finally:
        await app.aclose()


def report_offline(reach: InternetReach) -> None:
    """Say on stderr that there is no network."""
    sys.stderr.write(f"citewell: {reach.offline_message}\n")
    sys.stderr.flush()
