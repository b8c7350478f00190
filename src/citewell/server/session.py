"""One stdio session on the SDK, from the moment the front hands over."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage

from citewell import config
from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.server.exchange import Exchange, Line
from citewell.server.front import Front
from citewell.server.logs import configure
from citewell.server.protocol import build
from citewell.server.resume import resuming
from citewell.server.unready import Unready
from citewell.server.wire import Lines, Wire
from citewell.text.secrets import masked

_PARENT_CHECK = 2.0  # seconds; a parent that died without closing the pipe is noticed by then
_FIRST_QUESTIONS = 1.0  # seconds before work that was left behind is looked for


def run(
    overrides: Mapping[str, Any], *, wire: Wire, lines: Lines, front: Front | None, parent: int
) -> int:
    app = _app(overrides, front)
    return asyncio.run(_serve(app, wire=wire, lines=lines, front=front, parent=parent))


def _app(overrides: Mapping[str, Any], front: Front | None) -> App:
    """With wrong settings a client is served all the same: one that sees us die cannot say why."""
    try:
        settings = config.load(**overrides)
        configure(settings.log_level)
        return App(settings)
    except CitewellError as error:
        sys.stderr.write(f"citewell: {masked(error.message)}\n")
        return Unready(error, front.tools if front else None)


async def _serve(app: App, *, wire: Wire, lines: Lines, front: Front | None, parent: int) -> int:
    server = build(app)
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](
        float("inf")
    )
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](64)
    desk = Exchange(app, wire, to_server, front.answered if front else [])
    for line in front.seen if front else ():
        desk.feed(line)
    pump = threading.Thread(
        target=_pump, args=(asyncio.get_running_loop(), lines, desk), daemon=True, name="pump"
    )
    pump.start()
    watch = asyncio.create_task(_watch_parent(lines, parent))
    write = asyncio.create_task(desk.write(from_server))
    _end_at(signal.SIGTERM, lines)
    try:
        async with _resuming(app):
            await server.run(incoming, outgoing, server.create_initialization_options())
            await write
    finally:
        watch.cancel()
        await app.aclose()
    return 0


def _pump(loop: asyncio.AbstractEventLoop, lines: Lines, desk: Exchange) -> None:
    """Carry lines from the reader's thread into the loop until the client is gone."""
    while True:
        batch: list[Line] = [lines.get()]
        with contextlib.suppress(queue.Empty):
            while True:
                batch.append(lines.get_nowait())
        with contextlib.suppress(RuntimeError):  # the loop has closed: there is nobody to tell
            loop.call_soon_threadsafe(desk.take, batch)
        if None in batch:
            return


def _resuming(app: App) -> AbstractAsyncContextManager[None]:
    unready = isinstance(app, Unready)
    return contextlib.nullcontext() if unready else resuming(app, after=_FIRST_QUESTIONS)


def _end_at(number: signal.Signals, lines: Lines) -> None:
    """Treat the signal as the client's leaving, once: whoever is in a hurry sends it again."""
    loop = asyncio.get_running_loop()

    def leave() -> None:
        loop.remove_signal_handler(number)
        lines.put(None)

    with contextlib.suppress(NotImplementedError):  # Windows: the process just ends
        loop.add_signal_handler(number, leave)


async def _watch_parent(lines: Lines, parent: int) -> None:
    """End with the process that started us, even when something else keeps our stdin open."""
    while os.getppid() == parent:  # noqa: ASYNC110 - only a poll can tell
        await asyncio.sleep(_PARENT_CHECK)
    lines.put(None)
