"""Many users at once against one server with limits on: is it fair, does it fail, does it grow?

`python -m benchmarks load`: 200 users in 10 tenants, 50 calls each, through the header of a
trusted proxy. A user who is refused waits as long as the refusal says and tries again.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.clients import CALL, HELLO, INITIALIZED, VERSION, message, request, unchunked
from benchmarks.measures import resident
from benchmarks.report import Goal, Section, table
from benchmarks.subjects import Subject, loopback

USERS, TENANTS, CALLS = 200, 10, 50
ROUNDS = 5  # after each of which all users wait for the last, and memory is measured
MAX_SECONDS = 200.0  # of the whole load; a server that takes longer has failed
MAX_IDLE_SECONDS = 2.0  # a client closes a connection that the server might close meanwhile
LIMITS = {
    "CITEWELL_RATE_LIMIT_PER_USER": "60",
    "RATE_LIMIT_PER_TENANT": "600",
    "RATE_LIMIT_GLOBAL": "200",
    "DAILY_QUOTA_PER_TENANT": "5000",
}
IDENTITY = {
    "CITEWELL_PROXY_USER_HEADER": "X-Forwarded-User",
    "CITEWELL_PROXY_TENANT_HEADER": "X-Forwarded-Tenant",
    "CITEWELL_TRUSTED_PROXIES": "127.0.0.1",
}


@dataclass(slots=True)
class UserRun:
    """What one user met: the time to get each call answered, and every status."""

    waits: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRun:
    users: tuple[UserRun, ...]
    seconds: float
    memory_mb: tuple[float, ...]  # before the load, and after each round


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCheck:
    is_sound: bool
    calls: int  # successful ones


class UserConnection:
    """One keep-alive connection of one user, with an MCP session of its own."""

    def __init__(self, port: int, tenant: str, user: str) -> None:
        self._port = port
        self._identity = f"X-Forwarded-Tenant: {tenant}\r\nX-Forwarded-User: {user}\r\n"
        self._session = ""

    async def open(self) -> None:
        await self._connect()
        status, fields, _ = await self.post(request(0, "initialize", HELLO))
        if status != 200:
            raise RuntimeError(f"the handshake was refused with {status}")
        self._session = f"Mcp-Session-Id: {fields[b'mcp-session-id'].decode()}\r\n"
        await self.post(INITIALIZED)

    async def post(self, body: bytes) -> tuple[int, dict[bytes, bytes], bytes]:
        """Status, header fields and body of the response."""
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{self._identity}"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"Mcp-Protocol-Version: {VERSION}\r\n{self._session}Content-Length: {len(body)}\r\n\r\n"
        )
        if self._writer.is_closing() or self._reader.at_eof():
            await self._connect()
        self._writer.write(head.encode() + body)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        pairs = (line.partition(b":") for line in lines[1:] if line)
        fields = {name.lower(): value.strip() for name, _, value in pairs}
        return int(lines[0].split(b" ")[1]), fields, await self._read_body(fields)

    def close(self) -> None:
        self._writer.close()

    async def _connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def _read_body(self, fields: dict[bytes, bytes]) -> bytes:
        if fields.get(b"transfer-encoding", b"").lower() != b"chunked":
            return await self._reader.readexactly(int(fields.get(b"content-length", b"0")))
        held = b""
        while (body := unchunked(held)) is None:
            held += await self._reader.readuntil(b"\r\n")
        return body


async def run_user(link: UserConnection, run: UserRun, calls: int, number: int) -> None:
    """So many calls one after the other, each repeated until it is answered."""
    chance = random.Random(number)
    for turn in range(calls):
        asked = request(turn + 1, "tools/call", CALL)
        begun = time.perf_counter()
        while True:
            try:
                status, fields, body = await link.post(asked)
            except (OSError, asyncio.IncompleteReadError) as error:
                run.statuses[type(error).__name__] += 1
                continue
            run.statuses[_judge_response(status, body)] += 1
            if status != 429:
                break
            # A little later than told, as clients should, so that not all come back at once.
            pause = int(fields[b"retry-after"]) * (1 + 0.2 * chance.random())
            if pause > MAX_IDLE_SECONDS:
                link.close()
            await asyncio.sleep(pause)
        run.waits.append(time.perf_counter() - begun)


def _judge_response(status: int, body: bytes) -> str:
    """`ok`, `429`, or what else came."""
    if status == 429:
        error = json.loads(body)["error"]
        return "429" if error["data"]["retryAfterSeconds"] >= 1 else "429 without advice"
    if status != 200:
        return f"HTTP {status}"
    answer = json.loads(message(body))
    return "ok" if not answer.get("result", {"isError": True}).get("isError") else "an error"


async def run_load(process: subprocess.Popen[bytes], port: int) -> LoadRun:
    """All users at once; raises TimeoutError if they are not through in time."""
    links = [
        UserConnection(port, f"tenant-{number % TENANTS}", f"user-{number}")
        for number in range(USERS)
    ]
    for link in links:
        await link.open()
    await links[0].post(request(0, "tools/call", CALL))  # so that workers and caches are there
    memory, begun = [resident(process)], time.perf_counter()
    rounds = [CALLS // ROUNDS] * ROUNDS
    try:
        async with asyncio.timeout(MAX_SECONDS):
            users = [UserRun() for _ in links]
            for calls in rounds:
                await asyncio.gather(
                    *(
                        run_user(link, run, calls, number)
                        for number, (link, run) in enumerate(zip(links, users, strict=True))
                    )
                )
                memory.append(resident(process))
    finally:
        for link in links:
            link.close()
    return LoadRun(
        users=tuple(users),
        seconds=time.perf_counter() - begun,
        memory_mb=tuple(memory),
    )


def load() -> Section:
    with tempfile.TemporaryDirectory() as folder, loopback() as web:
        home = Path(folder)
        env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": folder}
        env |= web | LIMITS | IDENTITY | {"SEARCH_PROVIDER": "searxng"}
        command = str(Path(sys.executable).with_name("citewell"))
        subject = Subject(
            name="citewell",
            stdio=(command, "serve"),
            http=(command, "serve", "--http"),
            endpoint="/mcp",
            env=env | {"CITEWELL_DATA_DIR": str(home / "data")},
        )
        with subject.listening() as (process, port):
            run = asyncio.run(run_load(process, port))
            process.kill()  # in the middle, as far as the audit log knows
            process.wait()
        audit = check_audit_log(subject)
    return describe_load(run, audit)


def check_audit_log(subject: Subject) -> AuditCheck:
    """What the log says after kill -9: whether its chain holds, and how many calls it has."""
    command = (subject.stdio[0], "audit-log")
    verified = subprocess.run([*command, "verify"], env=dict(subject.env), check=False)
    exported = subprocess.run(
        [*command, "export", "--tool", str(CALL["name"])],
        env=dict(subject.env),
        capture_output=True,
        text=True,
        check=True,
    )
    events = (json.loads(line) for line in exported.stdout.splitlines())
    return AuditCheck(
        is_sound=verified.returncode == 0, calls=sum(one["success"] for one in events)
    )


def describe_load(run: LoadRun, audit: AuditCheck) -> Section:
    statuses = sum((user.statuses for user in run.users), Counter[str]())
    others = sum(count for what, count in statuses.items() if what not in {"ok", "429"})
    waits = sorted(sum(user.waits) for user in run.users)
    median = statistics.median(waits)
    growth = run.memory_mb[-1] / run.memory_mb[1]
    memory = " / ".join(f"{one:.0f}" for one in run.memory_mb)
    rows = [
        ["calls answered", f"{statuses['ok']:,}"],
        ["refusals with 429", f"{statuses['429']:,}"],
        ["anything else", f"{others:,}{_list_others(statuses)}"],
        ["seconds in all", f"{run.seconds:.0f}"],
        ["waiting of a user, median", f"{median:.1f} s"],
        ["waiting of the slowest user", f"{waits[-1]:.1f} s"],
        ["waiting of the quickest user", f"{waits[0]:.1f} s"],
        ["resident memory, before and after each round", f"{memory} MB"],
        ["calls in the audit log after kill -9", f"{audit.calls:,}"],
    ]
    return Section(
        title="Many users with limits",
        command="python -m benchmarks load",
        body=table(("what", "measured"), rows),
        notes=(
            f"{USERS} users in {TENANTS} tenants, {CALLS} calls each, all at once, through the "
            "headers of a trusted proxy; limits of 60 calls a minute for a user, 600 for a tenant "
            "and 200 a second for all. Who is refused waits as long as told, and up to a fifth "
            "longer. The calls come in five rounds. Waiting is from the first try of a call to its "
            "answer, summed over a user's calls. Then the server is killed with -9; one more call "
            "than the users made warmed it up."
        ),
        goals=(
            Goal(
                text="nobody waits more than twice the median",
                measured=f"{waits[-1] / median:.2f} times",
                met=waits[-1] <= 2 * median,
            ),
            Goal(
                text="no error but 429 under load",
                measured=f"{others}",
                met=not others and statuses["ok"] == USERS * CALLS,
            ),
            Goal(
                text="memory is flat after the first of five rounds (at most a tenth more)",
                measured=f"{growth:.2f} times",
                met=growth <= 1.1,
            ),
            Goal(
                text="the audit log is complete and verifies after kill -9",
                measured=f"{audit.calls:,} calls, chain {'sound' if audit.is_sound else 'broken'}",
                met=audit.is_sound and audit.calls >= statuses["ok"],
            ),
        ),
    )


def _list_others(statuses: Counter[str]) -> str:
    """What came beside answers and refusals, in brackets."""
    named = [f"{count} × {what}" for what, count in statuses.items() if what not in {"ok", "429"}]
    return f" ({', '.join(named)})" if named else ""
