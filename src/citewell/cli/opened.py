"""An app for one command: quiet on stderr, whole results, closed when the command ends."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from citewell import config
from citewell.config import Settings
from citewell.server.app import App
from citewell.server.logs import configure


def settings() -> Settings:
    """The same settings as the server's, less what only a client of the server needs."""
    read = config.load(link_threshold=sys.maxsize)
    # Audit lines go to stderr by default, where a person wants to see errors only.
    quiet = {} if read.audit_path else {"audit_enabled": False}
    return read.model_copy(update=quiet)


@asynccontextmanager
async def opened(chosen: Settings | None = None) -> AsyncIterator[App]:
    chosen = chosen or settings()
    configure(chosen.raw.get("LOG_LEVEL", "error"))
    app = App(chosen)
    try:
        yield app
    finally:
        await app.aclose()
