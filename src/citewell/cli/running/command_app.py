"""Opens an app for one command, with little on stderr and results that are never linked."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from citewell import config
from citewell.config import Settings
from citewell.server.app import App
from citewell.server.log_output import configure_logging
from citewell.tooling import build_local_owner


def load_command_settings() -> Settings:
    """The server's settings, with large results inline and no audit lines on stderr."""
    read = config.load_settings(link_threshold=sys.maxsize)
    # Audit lines go to stderr by default, where a person wants to see only errors.
    quiet = {} if read.audit_path else {"audit_enabled": False}
    return read.model_copy(update=quiet)


@asynccontextmanager
async def open_command_app(
    chosen: Settings | None = None, *, log_level: str = "error"
) -> AsyncIterator[App]:
    """An app that is closed with the block; `log_level` counts if LOG_LEVEL is not set."""
    chosen = chosen or load_command_settings()
    configure_logging(chosen.raw.get("LOG_LEVEL", log_level), chosen.log_format)
    app = App(chosen, local_owner=build_local_owner(chosen.stdio_user))
    try:
        yield app
    finally:
        await app.aclose()
