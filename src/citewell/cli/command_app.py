"""Opens an app for one command, with little on stderr and results that are never linked."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from citewell.core import config
from citewell.core.config import Settings
from citewell.core.settings import CoreSettings
from citewell.core.tooling import build_local_owner
from citewell.net.address_guard import InternetReach
from citewell.net.settings import NetSettings

if TYPE_CHECKING:
    from citewell.server.app import App

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AnswerJson = Annotated[bool, typer.Option("--json", help="Print the answer of the tool as JSON.")]
TenantArgument = Annotated[str, typer.Argument(help="The tenant of the user.")]
UserArgument = Annotated[str, typer.Argument(help="The user.")]
STDIN_NAME = "-"  # given instead of a file or a text, it means standard input
T = TypeVar("T")

# The commands of the rooms use this frame, and the server stands above the rooms: it is loaded by name.
_APP_MODULE = "citewell.server.app"
_LOG_MODULE = "citewell.server.log_output"


def load_command_settings() -> Settings:
    """The server's settings, with large results inline and no audit lines on stderr."""
    read = config.load_settings(link_threshold=sys.maxsize, answer_limit=sys.maxsize)
    # Audit lines go to stderr by default, where a person wants to see only errors.
    return read if "AUDIT_OUTPUT_PATH" in read.raw else read.replace(audit_enabled=False)


@asynccontextmanager
async def open_command_app(
    chosen: Settings | None = None, *, log_level: str = "error", is_gate: bool = False
) -> AsyncIterator[App]:
    """An app that is closed with the block; `log_level` counts if LOG_LEVEL is not set.

    A gate goes on without a network, so that it lists what it could not check. Stderr says why, before
    anything else is started if all it needs is on the internet.
    """
    chosen = chosen or load_command_settings()
    import_module(_LOG_MODULE).configure_logging(
        chosen.raw.get("LOG_LEVEL", log_level), chosen[CoreSettings].log_format
    )
    app: App = import_module(_APP_MODULE).App(
        chosen, local_owner=build_local_owner(chosen[CoreSettings].stdio_user)
    )
    reach = app.network.reach if is_gate else None
    net_settings = chosen[NetSettings]
    has_own_hosts = bool(net_settings.allow_private_ips or net_settings.allow_private_hosts)
    try:
        is_reported = reach is not None and not has_own_hosts and await reach.check_offline()
        if reach is not None and is_reported:
            report_offline(reach)
        yield app
        if reach is not None and not is_reported and reach.was_offline:
            report_offline(reach)
    finally:
        await app.aclose()


def call_with_app(work: Callable[[App], Awaitable[T]]) -> T:
    """What `work` returns for an app that is closed afterwards."""

    async def call_work() -> T:
        async with open_command_app() as app:
            return await work(app)

    return asyncio.run(call_work())


def report_offline(reach: InternetReach) -> None:
    """Say on stderr that there is no network."""
    sys.stderr.write(f"citewell: {reach.offline_message}\n")
    sys.stderr.flush()
