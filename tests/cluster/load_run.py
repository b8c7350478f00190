"""One load on a cluster: users and faults at the same time, then the check of what was acknowledged."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field

import httpx2

from citewell.core import config
from citewell.server.state.state_store import StateStore
from tests.cluster.chaos import FAULTS, ChaosMonkey, FaultEvent, list_unexplained
from tests.cluster.cluster import Cluster
from tests.cluster.mcp_caller import McpCaller
from tests.cluster.verification import ClusterFindings, verify_cluster
from tests.cluster.workload import Acknowledged, ClusterUser, FailedCall, WorkloadPace

# A quiet machine reaches the usual limits, and a 429 is no failure that a load should show; nor is
# a session that went because its owner began so many others.
UNLIMITED_SETTINGS = {
    "CITEWELL_SESSION_MAX": "1000000",
    "CITEWELL_RATE_LIMIT_PER_USER": "0",
    "RATE_LIMIT_PER_TENANT": "0",
    "RATE_LIMIT_GLOBAL": "0",
}
IDENTITY_SETTINGS = {
    "CITEWELL_PROXY_USER_HEADER": "X-Forwarded-User",
    "CITEWELL_PROXY_TENANT_HEADER": "X-Forwarded-Tenant",
    "CITEWELL_TRUSTED_PROXIES": "127.0.0.1",
}


@dataclass(frozen=True, kw_only=True)
class LoadPlan:
    seed: int
    seconds: float = 0.0  # if no sequence is given
    users: int = 8
    fault_pause_seconds: tuple[float, float] = (1.5, 5.0)
    faults: tuple[tuple[str, int], ...] = FAULTS
    sequence: tuple[str, ...] = ()  # these faults one after the other, instead of chosen ones
    pace: WorkloadPace = field(default_factory=WorkloadPace)
    is_identified: bool = True  # whether each user has a name, or all are anonymous


@dataclass(frozen=True, kw_only=True)
class LoadOutcome:
    told: Acknowledged
    events: list[FaultEvent]
    findings: ClusterFindings
    unexplained: list[FailedCall]
    sessions_opened: int
    sessions_needed: int  # one for each user of the older era
    instances_seen: int


async def run_load(cluster: Cluster, plan: LoadPlan) -> LoadOutcome:
    settings = config.load_settings(
        cluster.environ | {"CITEWELL_DATA_DIR": str(cluster.folder / "load")}
    )
    state = StateStore(settings)
    told = Acknowledged()
    monkey = ChaosMonkey(
        cluster=cluster,
        dice=random.Random(plan.seed),
        pause_seconds=plan.fault_pause_seconds,
        faults=plan.faults,
    )
    try:
        async with httpx2.AsyncClient(
            limits=httpx2.Limits(max_keepalive_connections=0)
        ) as http:  # a connection of its own for each call, so that the balancer can choose anew
            users = [
                _build_user(cluster, plan, http, state, told, one) for one in range(plan.users)
            ]
            acting = asyncio.create_task(_choose_faults(monkey, plan))
            await asyncio.gather(acting, *(user.act_until(acting.done) for user in users))
        owners = sorted({user.owner for user in users})
        findings = await verify_cluster(state, told, owners, cluster.internet.url)
    finally:
        await state.aclose()
    callers = [user.caller for user in users]
    return LoadOutcome(
        told=told,
        events=monkey.events,
        findings=findings,
        unexplained=list_unexplained(told.failed, monkey.events),
        sessions_opened=sum(one.sessions_opened for one in callers),
        sessions_needed=sum(not one.is_modern for one in callers),
        instances_seen=len(set().union(*(one.served_by for one in callers)) - {""}),
    )


async def _choose_faults(monkey: ChaosMonkey, plan: LoadPlan) -> None:
    if plan.sequence:
        await monkey.act_in_order(plan.sequence)
    else:
        await monkey.act_until(time.monotonic() + plan.seconds)


def _build_user(
    cluster: Cluster,
    plan: LoadPlan,
    http: httpx2.AsyncClient,
    state: StateStore,
    told: Acknowledged,
    number: int,
) -> ClusterUser:
    user = f"user-{number}" if plan.is_identified else ""
    tenant = f"tenant-{number % 3}" if plan.is_identified else ""
    return ClusterUser(
        caller=McpCaller(
            http=http, url=cluster.url, is_modern=number % 2 == 1, user=user, tenant=tenant
        ),
        owner=f"{tenant}/{user}" if plan.is_identified else "default/anonymous",
        library=state.library,
        internet_url=cluster.internet.url,
        dice=random.Random(f"{plan.seed}/{number}"),
        told=told,
        pace=plan.pace,
    )
