"""Kills a process that writes session steps, again and again, and looks for what was lost.

Run as a program: one process forks writers, so that five hundred kills take seconds. A writer
acknowledges a step on a pipe only after the store has.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import cryptography.hazmat.primitives.ciphers.aead  # noqa: F401 - loaded before the forks

from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore
from citewell.sessions.session_store import SessionChange

SESSIONS, WRITERS = 6, 12
ROUNDS = 20  # kills after which everything is read back, in fresh sessions again
OWNER = "someone"


def settings(engine: str, folder: str, url: str) -> Settings:
    address = url if engine == "postgres" else None
    return Settings(data_dir=Path(folder), session_max=10_000, database_url=address)


async def write(state: StateStore, batch: int, life: int, pipe: int) -> None:
    """Step after step by several writers, each acknowledged once it is durable."""

    async def one(writer: int) -> None:
        for number in range(10_000):
            session = (writer + number) % SESSIONS
            step = f"{life}.{writer}.{number}"

            def change(held: Any, step: Any = step) -> Any:
                return SessionChange(
                    body=str(len(held.steps) + 1).encode(), appended=(step.encode(),)
                )

            await state.sessions.edit_session(OWNER, f"{batch}.{session}", change)
            os.write(pipe, f"{batch}.{session} {step}\n".encode())

    await asyncio.gather(*(one(writer) for writer in range(WRITERS)))


async def begin(state: StateStore, batch: int) -> None:
    for session in range(SESSIONS):
        await state.sessions.create_session(OWNER, f"{batch}.{session}", b"0")


async def look(state: StateStore, batch: int, pipe: int) -> None:
    held = {}
    for session in range(SESSIONS):
        name = f"{batch}.{session}"
        loaded = await state.sessions.load_session(OWNER, name)
        assert loaded.head.body == str(len(loaded.steps)).encode(), "head and steps differ"
        held[name] = [step.decode() for step in loaded.steps]
    os.write(pipe, json.dumps(held).encode())


def forked(chosen: Settings, work: Callable[[StateStore, int], Coroutine[Any, Any, None]]) -> Any:
    """A child that does the work with a store of its own, and the pipe it talks on."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 1
        try:
            asyncio.run(_work(chosen, work, writing))
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    return child, reading


async def _work(chosen: Any, work: Any, pipe: Any) -> None:
    state = StateStore(chosen)
    await work(state, pipe)
    await state.aclose()


def heard(pipe: int) -> str:
    parts = []
    while part := os.read(pipe, 65536):
        parts.append(part)
    os.close(pipe)
    return b"".join(parts).decode()


def waited(child: int) -> None:
    _, status = os.waitpid(child, 0)
    assert status == 0, f"a child that was not killed ended with {status}"


def begun(chosen: Settings, batch: int) -> Any:
    return forked(chosen, lambda state, _: begin(state, batch))


def looked(chosen: Settings, batch: int) -> Any:
    return forked(chosen, lambda state, out: look(state, batch, out))


def killed(chosen: Settings, batch: int, life: int, dice: random.Random) -> str:
    """What a writer acknowledged before it was killed: while opening, or some way into its work."""
    child, pipe = forked(chosen, lambda state, out: write(state, batch, life, out))
    text = ""
    if dice.random() > 0.2:
        wanted = dice.randint(1, 40)
        while text.count("\n") < wanted and (part := os.read(pipe, 4096)):
            text += part.decode()
    time.sleep(dice.uniform(0.0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    text += heard(pipe)
    return text[: text.rfind("\n") + 1]  # half a line was not acknowledged


def torture(chosen: Settings, kills: int, seed: int) -> dict[str, int]:
    dice = random.Random(seed)
    lost = acknowledged = 0
    for start in range(0, kills, ROUNDS):
        batch = start // ROUNDS
        child, pipe = begun(chosen, batch)
        heard(pipe)
        waited(child)
        told: dict[str, set[str]] = defaultdict(set)
        for life in range(min(ROUNDS, kills - start)):
            for line in killed(chosen, batch, life, dice).splitlines():
                session, step = line.split()
                told[session].add(step)
        child, pipe = looked(chosen, batch)
        held = json.loads(heard(pipe))
        waited(child)
        for session, steps in told.items():
            acknowledged += len(steps)
            lost += len(steps - set(held[session]))
        lost += sum(len(steps) - len(set(steps)) for steps in held.values())
    return {"kills": kills, "acknowledged": acknowledged, "lost": lost}


def main() -> None:
    engine, folder, url, kills, seed = sys.argv[1:]
    if engine == "postgres":
        import asyncpg  # noqa: F401 - loaded before the forks
    else:
        import sqlite3  # noqa: F401 - loaded before the forks
    told = torture(settings(engine, folder, url), int(kills), int(seed))
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
