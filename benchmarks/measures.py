"""What is measured of one server at a time; the caller takes turns between servers."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time

import psutil

from benchmarks.clients import CALL, Link, Piped, result
from benchmarks.subjects import Subject

CACHED_CALLS = 200
MB = 2**20


def start(subject: Subject, *, call: bool) -> float:
    """Milliseconds from spawn to the answer to tools/list, or to the first tools/call."""
    begun = time.perf_counter()
    with subject.piped() as process:
        client = Piped(process)
        client.open()
        result(client.ask("tools/call", CALL) if call else client.ask("tools/list"))
        return 1000 * (time.perf_counter() - begun)


def memory(subject: Subject) -> dict[str, float]:
    """Megabytes held by the process and its children at three moments of its life."""
    with subject.piped() as process:
        client = Piped(process)
        client.open()
        client.ask("tools/list")
        listed = resident(process)
        result(client.ask("tools/call", CALL))
        for _ in range(CACHED_CALLS):
            result(client.ask("tools/call", CALL))
        after = resident(process)
    with subject.listening() as (server, port):
        asyncio.run(_calls(port, subject.endpoint, CACHED_CALLS))
        return {"listed": listed, "called": after, "http": resident(server)}


async def _calls(port: int, endpoint: str, count: int) -> None:
    link = Link(port, endpoint)
    await link.open()
    for _ in range(count):
        await link.call()
    link.close()


def resident(process: subprocess.Popen[bytes]) -> float:
    root = psutil.Process(process.pid)
    family = [root, *root.children(recursive=True)]
    return float(sum(member.memory_info().rss for member in family) / MB)


def http_rate(subject: Subject, port: int, *, connections: int, seconds: float) -> float:
    """Cached calls per second over so many connections, each one after another."""
    return asyncio.run(_http_rate(subject, port, connections, seconds))


async def _http_rate(subject: Subject, port: int, connections: int, seconds: float) -> float:
    links = [Link(port, subject.endpoint, token=subject.token) for _ in range(connections)]
    for link in links:
        await link.open()
        await link.call()
    begun = time.perf_counter()
    counts = await asyncio.gather(*(link.repeat(begun + seconds) for link in links))
    elapsed = time.perf_counter() - begun
    for link in links:
        link.close()
    return sum(counts) / elapsed


def processor(process: subprocess.Popen[bytes]) -> float:
    """Seconds of processor time the server and its children have used, those gone included."""
    root = psutil.Process(process.pid)
    family = [root, *root.children(recursive=True)]
    return float(sum(sum(member.cpu_times()[:4]) for member in family))


def listing(subject: Subject, *further: str) -> dict[str, int]:
    """Size in bytes of each tool as tools/list shows it, and of all of them."""
    with subject.piped(*further) as process:
        client = Piped(process)
        client.open()
        tools = result(client.ask("tools/list"))["tools"]
    sizes = {tool["name"]: _size(tool) for tool in tools}
    return sizes | {"": _size(tools)}


def answer_size(subject: Subject) -> int:
    with subject.piped() as process:
        client = Piped(process)
        client.open()
        client.ask("tools/call", CALL)
        return len(client.ask("tools/call", CALL))


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
