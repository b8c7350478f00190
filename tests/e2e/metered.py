"""A provider that charges for calls, in a process of its own: it remembers every charge it made.

One JSON object a line over loopback. `background` calls give a reference and are ready a little
later; `tagged` ones charge once for a tag; `blocking` ones answer when they are done.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from citewell.core.errors import NetworkFailed
from citewell.core.values.research import TICKS_PER_CENT, ResearchStatus
from citewell.jobs.durable_job import CallReply

PRICE = 3 * TICKS_PER_CENT + 33_333_333  # a third of a cent more than three
ESTIMATE = 5 * TICKS_PER_CENT
READY_AFTER = 0.02


@dataclass
class Double:
    dice: random.Random
    charges: Counter[str] = field(default_factory=Counter)
    by_tag: dict[str, str] = field(default_factory=dict)
    begun: dict[str, float] = field(default_factory=dict)

    async def answer(self, ask: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(self.dice.uniform(0, 0.005))
        if ask["verb"] == "charges":
            return dict(self.charges)
        if ask["verb"] == "submit":
            return await self.submit(ask)
        return self.poll(ask["ref"])

    async def submit(self, ask: dict[str, Any]) -> dict[str, Any]:
        tag = ask["tag"] if ask["tagged"] else ""
        if not tag or tag not in self.by_tag:
            self.charges[ask["step"]] += 1
            ref = f"ref-{len(self.begun)}"
            self.begun[ref] = asyncio.get_running_loop().time()
            self.by_tag[tag] = ref
        if ask["background"]:
            return {"ref": self.by_tag[tag]}
        await asyncio.sleep(self.dice.uniform(0, READY_AFTER))
        return {"done": True}

    def poll(self, ref: str) -> dict[str, Any]:
        ready = asyncio.get_running_loop().time() - self.begun[ref] >= READY_AFTER
        return {"done": ready, "ref": ref}


def serve(listener: socket.socket, seed: int) -> None:
    double = Double(random.Random(seed))

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A caller that was killed is charged for what it had sent all the same.
        line = await reader.readline()
        if line.endswith(b"\n"):
            answer = await double.answer(json.loads(line))
            writer.write(json.dumps(answer).encode() + b"\n")
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(talk, sock=listener)
        async with server:
            await server.serve_forever()

    asyncio.run(main())


def forked(seed: int) -> tuple[int, int]:
    """The double's process and its port."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    child = os.fork()
    if child == 0:
        try:
            serve(listener, seed)
        finally:
            os._exit(1)
    port: int = listener.getsockname()[1]
    listener.close()
    return child, port


@dataclass(kw_only=True)
class Call:
    """The double as a paid call; `point` is passed wherever a process might be killed."""

    port: int
    step: str
    background: bool
    is_idempotent: bool
    point: Callable[[], None]
    provider: str = "metered"
    estimate_cost: int = ESTIMATE

    async def submit_research(self, tag: str) -> CallReply:
        ask = {
            "verb": "submit",
            "step": self.step,
            "tag": tag,
            "tagged": self.is_idempotent,
            "background": self.background,
        }
        return self._reply(await self._asked(ask))

    async def poll_research(self, ref: str) -> CallReply:
        return self._reply(await self._asked({"verb": "poll", "ref": ref}))

    async def cancel_research(self, ref: str) -> CallReply:
        return CallReply(status=ResearchStatus.CANCELLED, cost=PRICE)

    def _reply(self, answer: dict[str, Any]) -> CallReply:
        if answer.get("done"):
            return CallReply(
                status=ResearchStatus.COMPLETED, result={"step": self.step}, cost=PRICE
            )
        return CallReply(status=ResearchStatus.RUNNING, ref=answer["ref"])

    async def _asked(self, ask: dict[str, Any]) -> dict[str, Any]:
        self.point()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(json.dumps(ask).encode() + b"\n")
            await writer.drain()
            self.point()
            line = await reader.readline()
            writer.close()
        except OSError as error:
            raise NetworkFailed(str(error)) from error
        self.point()
        answer: dict[str, Any] = json.loads(line)
        return answer
