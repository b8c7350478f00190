"""What one call of each kind costs, and where a cluster of three is full: `python -m benchmarks capacity`."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import httpx2
import psutil

from benchmarks.report import Goal, Section, table
from tests.cluster.cluster import Cluster, run_cluster
from tests.cluster.load_run import IDENTITY_SETTINGS, UNLIMITED_SETTINGS
from tests.cluster.mcp_caller import CallFailed, McpCaller
from tests.cluster.workload import BIBLIOGRAPHY, PAGES, QUERIES

INSTANCES, WORKERS = 3, 2
CALLS = {"cached search": 400, "fresh search": 120, "page": 60, "audit": 30, "session step": 120, "research": 12}  # fmt: skip
# The mix of the load: the share of each kind among the calls of a user.
MIX = {"cached search": 0.55, "fresh search": 0.15, "page": 0.15, "audit": 0.03, "session step": 0.11, "research": 0.01}  # fmt: skip
CLIENTS = (1, 2, 4, 8, 16, 32, 64)  # the last ones far beyond the knee
TENANTS = 8
STAGE_SECONDS = 12.0
IDLE_SECONDS = 6.0
LATE_SECONDS = 1.5
CALLS_PER_USER_DAY = 60  # of somebody whose assistant researches every day
BUSY_HOURS = 8  # of the day, in which these calls fall
PEAK_FACTOR = 3  # the busiest minute beside the mean of these hours
USERS = (10, 1_000, 100_000)
MAX_LOAD = 0.6  # share of a core that may be busy, so that waiting stays short
MAX_ERROR = 0.35  # of the predicted knee beside the measured one


@dataclass(frozen=True, kw_only=True)
class CallCost:
    """Processor seconds by part, and what one call moves."""

    seconds: Mapping[str, float]
    transactions: float
    bytes: float
    latency: float

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


def capacity() -> Section:
    settings = (
        IDENTITY_SETTINGS
        | UNLIMITED_SETTINGS
        | {
            "OPENAI_API_KEY": "",
            "PERPLEXITY_API_KEY": "",
            "XAI_API_KEY": "",
        }
    )
    with run_cluster(
        instances=INSTANCES, workers=WORKERS, pooled=True, settings=settings
    ) as cluster:
        return asyncio.run(_measure_cluster(cluster))


async def _measure_cluster(cluster: Cluster) -> Section:
    async with httpx2.AsyncClient(limits=httpx2.Limits(max_connections=200)) as http:
        users = [
            McpCaller(
                http=http,
                url=cluster.url,
                is_modern=True,
                user=f"user-{number}",
                tenant=f"tenant-{number % TENANTS}",
            )
            for number in range(max(CLIENTS))
        ]
        actions = _build_actions(cluster)
        for kind in CALLS:
            await _call_many(actions[kind], users[:4], 8)  # connections, keys and modules are there
        idle = await _measure_idle(cluster)
        costs = {
            kind: await _measure_kind(cluster, actions[kind], users[:4], count, idle)
            for kind, count in CALLS.items()
        }
        memory = _measure_memory(cluster)
        stages = [await _run_stage(cluster, actions, users[:count]) for count in CLIENTS]
    return _build_section(costs, idle, memory, stages)


Action = Callable[[McpCaller], Awaitable[dict[str, object]]]


def _build_actions(cluster: Cluster) -> dict[str, Action]:
    numbers = itertools.count()
    internet = cluster.internet.url

    async def search_again(caller: McpCaller) -> dict[str, object]:
        return await caller.call_tool("web_search", query=QUERIES[0])

    async def search_anew(caller: McpCaller) -> dict[str, object]:
        return await caller.call_tool("web_search", query=f"{QUERIES[1]} {next(numbers)}")

    async def read_page(caller: McpCaller) -> dict[str, object]:
        number = next(numbers)
        page = PAGES[number % len(PAGES)]
        return await caller.call_tool("scrape_page", url=f"{internet}/site/{page}?v={number}")

    async def audit(caller: McpCaller) -> dict[str, object]:
        note = f"\n@misc{{n{next(numbers)}, title={{Note {next(numbers)}}}}}\n"
        return await caller.call_tool("audit_bibliography", bibliography=BIBLIOGRAPHY + note)

    async def take_step(caller: McpCaller) -> dict[str, object]:
        return await caller.call_tool(
            "sequential_search",
            searchStep=f"Step {next(numbers)}",
            stepNumber=1,
            nextStepNeeded=True,
            researchGoal="Ageing",
        )

    async def research(caller: McpCaller) -> dict[str, object]:
        begun = await caller.call_tool(
            "research", query=f"{QUERIES[2]} {next(numbers)}", budgetTier="S", providers=["local"]
        )
        status: dict[str, object] = {"status": ""}
        while status["status"] not in {"completed", "failed"}:
            status = await caller.call_tool(
                "research_status", jobId=begun["jobId"], wait_seconds=20
            )
        return status

    return dict(
        zip(
            CALLS,
            (search_again, search_anew, read_page, audit, take_step, research),
            strict=True,
        )
    )


async def _call_many(action: Action, users: Sequence[McpCaller], count: int) -> float:
    """Seconds from the first to the last answer of `count` calls by all users at once."""
    began = time.monotonic()
    left = iter(range(count))

    async def work(user: McpCaller) -> None:
        for _ in left:
            await action(user)

    await asyncio.gather(*map(work, users))
    return time.monotonic() - began


@dataclass(frozen=True, kw_only=True)
class IdleCost:
    """What the cluster spends in a second in which nobody calls."""

    seconds: Mapping[str, float]
    transactions: float
    bytes: float

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


async def _measure_idle(cluster: Cluster) -> IdleCost:
    before, commits, moved = _read_seconds(cluster), _count_commits(cluster), _count_bytes(cluster)
    await asyncio.sleep(IDLE_SECONDS)
    after = _read_seconds(cluster)
    return IdleCost(
        seconds={part: (after[part] - before[part]) / IDLE_SECONDS for part in before},
        transactions=(_count_commits(cluster) - commits) / IDLE_SECONDS,
        bytes=(_count_bytes(cluster) - moved) / IDLE_SECONDS,
    )


async def _measure_kind(
    cluster: Cluster, action: Action, users: Sequence[McpCaller], count: int, idle: IdleCost
) -> CallCost:
    before, commits, moved = _read_seconds(cluster), _count_commits(cluster), _count_bytes(cluster)
    began = time.monotonic()
    elapsed = await _call_many(action, users, count)
    await asyncio.sleep(LATE_SECONDS)  # what is written later belongs to the calls too
    after = _read_seconds(cluster)
    passed = time.monotonic() - began

    def share(spent: float, idle_rate: float) -> float:
        return max(0.0, spent - idle_rate * passed) / count

    return CallCost(
        seconds={part: share(after[part] - before[part], idle.seconds[part]) for part in before},
        transactions=share(_count_commits(cluster) - commits, idle.transactions),
        bytes=share(_count_bytes(cluster) - moved, idle.bytes),
        latency=elapsed * len(users) / count,
    )


def _read_seconds(cluster: Cluster) -> dict[str, float]:
    """Processor seconds of each part so far, with those of its children."""
    parts = {
        "instance": list(cluster.instances.values()),
        "worker": list(cluster.workers.values()),
        "database": [cluster.database.process, *filter(None, (cluster.pooler,))],
        "redis": list(filter(None, (cluster.redis,))),
        "balancer": [cluster.balancer.process] if cluster.balancer else [],
        "internet": [cluster.internet.process],
    }
    spent = {
        name: sum(_sum_tree_seconds(one.pid) for one in processes)
        for name, processes in parts.items()
    }
    return spent | {"client": time.process_time()}


def _sum_tree_seconds(pid: int) -> float:
    """Of a process, its children and those that have ended, as far as the system still knows them."""
    total = 0.0
    try:
        found = psutil.Process(pid)
        for one in (found, *found.children(recursive=True)):
            times = one.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    except psutil.NoSuchProcess:
        return total
    return total


def _count_commits(cluster: Cluster) -> int:
    return int(
        cluster.database.run_sql(
            "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database"
        ).strip()
    )


def _count_bytes(cluster: Cluster) -> int:
    """Bytes that the instances have read and written so far, files and sockets alike."""
    found = [psutil.Process(one.pid).io_counters() for one in cluster.instances.values()]
    return sum(one.read_chars + one.write_chars for one in found)


def _measure_memory(cluster: Cluster) -> dict[str, float]:
    """Megabytes that one process of each part has for itself, with its children."""

    def weigh(pid: int) -> float:
        found = psutil.Process(pid)
        tree = (found, *found.children(recursive=True))
        return float(sum(one.memory_full_info().uss for one in tree)) / 2**20

    first = next(iter(cluster.instances.values())), next(iter(cluster.workers.values()))
    return {"instance": weigh(first[0].pid), "worker": weigh(first[1].pid)}


@dataclass(frozen=True, kw_only=True)
class LoadStage:
    clients: int
    per_second: float
    p50: float
    p95: float
    errors: str


async def _run_stage(
    cluster: Cluster, actions: Mapping[str, Action], users: Sequence[McpCaller]
) -> LoadStage:
    """The mix by so many users at once, each with its next call after the answer."""
    del cluster
    kinds = [kind for kind, share in MIX.items() for _ in range(round(share * 100))]
    order = itertools.cycle(kinds[(number * 37) % 100] for number in range(100))
    end = time.monotonic() + STAGE_SECONDS
    latencies: list[float] = []
    failed: Counter[str] = Counter()

    async def act(user: McpCaller) -> None:
        while time.monotonic() < end:
            kind, began = next(order), time.monotonic()
            try:
                await actions[kind](user)
            except CallFailed as error:
                failed[error.kind] += 1
            else:
                if kind != "research":
                    latencies.append(time.monotonic() - began)

    began = time.monotonic()
    await asyncio.gather(*map(act, users))
    seen = sorted(latencies)
    return LoadStage(
        clients=len(users),
        per_second=len(latencies) / (time.monotonic() - began),
        p50=seen[len(seen) // 2],
        p95=seen[int(len(seen) * 0.95)],
        errors=", ".join(f"{count} {kind}" for kind, count in failed.most_common()) or "0",
    )


def _mix_cost(costs: Mapping[str, CallCost], parts: Sequence[str] = ()) -> float:
    """Processor seconds of a call of the mix, of all parts or of some."""
    return sum(
        share
        * sum(value for part, value in costs[kind].seconds.items() if not parts or part in parts)
        for kind, share in MIX.items()
    )


def _build_section(
    costs: Mapping[str, CallCost],
    idle: IdleCost,
    memory: Mapping[str, float],
    stages: Sequence[LoadStage],
) -> Section:
    cores = os.cpu_count() or 1
    predicted = (cores - idle.total) / _mix_cost(costs)
    measured = max(stage.per_second for stage in stages if stage.errors == "0")
    knee = next(stage for stage in stages if stage.per_second >= 0.9 * measured)
    error = abs(predicted - measured) / measured
    parts = ("instance", "worker", "database", "redis", "balancer")
    head = ["a call", *(f"{part}, ms" for part in parts), "transactions", "kB", "answer, ms"]
    rows = [
        [
            kind,
            *(f"{1000 * cost.seconds[part]:.1f}" for part in parts),
            f"{cost.transactions:.1f}",
            f"{cost.bytes / 1000:.0f}",
            f"{1000 * cost.latency:.0f}",
        ]
        for kind, cost in costs.items()
    ]
    load = [
        [f"{one.clients}", f"{one.per_second:.0f}", f"{1000 * one.p50:.0f} / {1000 * one.p95:.0f}", f"{one.errors}"]
        for one in stages
    ]  # fmt: skip
    body = "\n\n".join(
        [
            table(head, rows),
            "The same mix by more and more callers at once, each with its next call after the answer:",
            table(["callers", "calls a second", "ms p50 / p95", "errors"], load),
            "What users need, by the model below:",
            table(
                [
                    "users",
                    "calls a second at the peak",
                    "cores of instances",
                    "of workers",
                    "of the database",
                    "instances of one core",
                ],
                [_describe_need(costs, users) for users in USERS],
            ),
        ]
    )
    return Section(
        title="Capacity: what a call costs, and what users need",
        command="python -m benchmarks capacity",
        body=body,
        notes=(
            f"Processor time of each part for one call, on {INSTANCES} instances, {WORKERS} workers, PostgreSQL "
            "behind PgBouncer, Redis and haproxy, all on one machine with the client and the loopback web. "
            f"An instance holds {memory['instance']:.0f} MB of its own with its parsing processes, a worker {memory['worker']:.0f} MB. "
            f"With nobody calling all parts together spend {1000 * idle.total:.0f} ms of processor time and "
            f"{idle.transactions:.0f} transactions a second (heartbeats, the job queue, health checks), which is not in the table. "
            f"Model: a core does one second of work a second, so this machine does ({cores} - {idle.total:.2f}) / (mean cost of the mix, "
            f"client and loopback web included) = {predicted:.0f} calls a second; measured {measured:.0f}, the knee at {knee.clients} callers. "
            f"For users: {CALLS_PER_USER_DAY} calls a user and day within {BUSY_HOURS} hours, {PEAK_FACTOR} times the mean at the peak, "
            f"cores at most {MAX_LOAD:.0%} busy. Mix: {', '.join(f'{kind} {share:.0%}' for kind, share in MIX.items())}."
        ),
        goals=(
            Goal(
                text=f"the load model is within {MAX_ERROR:.0%} of the measured knee of three instances",
                measured=f"{predicted:.0f} predicted, {measured:.0f} measured",
                met=error <= MAX_ERROR,
            ),
        ),
    )


def _describe_need(costs: Mapping[str, CallCost], users: int) -> list[str]:
    rate = users * CALLS_PER_USER_DAY / (BUSY_HOURS * 3600) * PEAK_FACTOR

    def cores(*parts: str) -> float:
        return rate * _mix_cost(costs, parts) / MAX_LOAD

    instances = cores("instance")
    return [
        f"{users:,}",
        f"{rate:.2f}" if rate < 10 else f"{rate:.0f}",
        f"{instances:.2f}",
        f"{cores('worker'):.2f}",
        f"{cores('database', 'redis'):.2f}",
        f"{max(1, round(instances + 0.5))}",
    ]
