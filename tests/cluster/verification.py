"""What is checked after a load: everything that was acknowledged is there, and nothing was paid twice."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field

from citewell.core.errors import CitewellError
from citewell.server.state.state_store import StateStore
from tests.cluster.workload import PAID_PROVIDERS, Acknowledged

FINAL_STATES = frozenset({"completed", "failed", "cancelled"})
SETTLE_SECONDS = 600.0  # for the jobs that were queued when the load ended
_PAID_STEPS = (*(f"report:{name}" for name in PAID_PROVIDERS), "synthesis")


@dataclass(kw_only=True)
class ClusterFindings:
    """Each list has to be empty."""

    lost_jobs: list[str] = field(default_factory=list)
    unfinished_jobs: list[str] = field(default_factory=list)
    failed_jobs: list[str] = field(default_factory=list)
    lost_steps: list[str] = field(default_factory=list)
    lost_documents: list[str] = field(default_factory=list)
    paid_twice: list[str] = field(default_factory=list)
    unknown_charges: list[str] = field(default_factory=list)
    lost_charges: list[str] = field(default_factory=list)
    unbalanced: list[str] = field(default_factory=list)
    states: Counter[str] = field(default_factory=Counter)  # of jobs
    charges: int = 0
    uncertain: int = (
        0  # calls of which nobody knows whether they were charged; reported, not sent again
    )

    def list_violations(self) -> dict[str, list[str]]:
        return {
            name: value for name, value in vars(self).items() if isinstance(value, list) and value
        }


async def verify_cluster(
    state: StateStore, told: Acknowledged, owners: list[str], internet_url: str
) -> ClusterFindings:
    found = ClusterFindings()
    await _await_jobs(state, told, found)
    await _check_steps(state, told, found)
    await _check_documents(state, told, found)
    await _check_money(state, owners, await asyncio.to_thread(_read_meter, internet_url), found)
    return found


async def _await_jobs(state: StateStore, told: Acknowledged, found: ClusterFindings) -> None:
    end = time.monotonic() + SETTLE_SECONDS
    for job, owner in told.jobs.items():
        status = await _read_status(state, owner, job)
        while status and status not in FINAL_STATES and time.monotonic() < end:
            await asyncio.sleep(0.2)
            status = await _read_status(state, owner, job)
        found.states[status or "lost"] += 1
        if not status:
            found.lost_jobs.append(job)
        elif status not in FINAL_STATES:
            found.unfinished_jobs.append(f"{job} {status}")
        elif status != "completed":
            view = await state.jobs.require_job_view(owner, job)
            found.failed_jobs.append(f"{job} {status}: {view.error}")


async def _read_status(state: StateStore, owner: str, job: str) -> str:
    """The state of a job; empty if there is none."""
    try:
        return (await state.jobs.require_job_view(owner, job)).status.value
    except CitewellError:
        return ""


async def _check_steps(state: StateStore, told: Acknowledged, found: ClusterFindings) -> None:
    for (owner, session), numbers in told.steps.items():
        try:
            stored = await state.sessions.load_session(owner, session)
        except CitewellError:
            found.lost_steps.append(f"{session}: all {len(numbers)}")
            continue
        steps = [json.loads(step) for step in stored.steps]
        if len(steps) < len(numbers):
            found.lost_steps.append(f"{session}: {len(steps)} of {len(numbers)}")


async def _check_documents(state: StateStore, told: Acknowledged, found: ClusterFindings) -> None:
    for name, owner in told.documents.items():
        try:
            document = await state.library.load_document(owner, name)
        except CitewellError:
            found.lost_documents.append(name)
            continue
        if name not in document.text:
            found.lost_documents.append(f"{name}: another text")


def _read_meter(internet_url: str) -> dict[str, int]:
    """How often the providers charged for each tag."""
    with urllib.request.urlopen(f"{internet_url}/meter", timeout=10) as answer:
        return {tag: times for _, tag, times in json.load(answer)}


async def _check_money(
    state: StateStore, owners: list[str], charges: dict[str, int], found: ClusterFindings
) -> None:
    found.charges = sum(charges.values())
    found.paid_twice = [tag for tag, times in charges.items() if times > 1]
    known = set()
    for owner in owners:
        views = await state.jobs.list_owner_jobs(owner, limit=100_000)
        costs = 0
        for listed in views:
            view = await state.jobs.require_job_view(owner, listed.job.id)
            costs += sum(step.cost for step in view.steps)
            for step in view.steps:
                tag = build_charge_tag(view.job.id, step.key)
                known.add(tag)
                is_paid = step.key in _PAID_STEPS and step.state.value == "done" and step.cost > 0
                found.uncertain += step.state.value == "uncertain"
                if is_paid and charges.get(tag, 0) != 1:
                    found.lost_charges.append(f"{view.job.id} {step.key}: {charges.get(tag, 0)}")
        await _check_account(state, owner, costs, found)
    found.unknown_charges = sorted(charges.keys() - known)


async def _check_account(state: StateStore, owner: str, costs: int, found: ClusterFindings) -> None:
    balance = await state.ledger.load_balance(owner)
    booked: Counter[str] = Counter()
    for entry in await state.ledger.list_transactions(owner, limit=10_000_000):
        booked[entry.type.value] += entry.ticks
    checks = {
        "reserved": balance.reserved == 0,
        "settled": balance.settled == booked["settle"] == costs,
        "released": booked["reserve"] == booked["settle"] + booked["release"],
    }
    found.unbalanced += [f"{owner}: {name}" for name, holds in checks.items() if not holds]


def build_charge_tag(job: str, step: str) -> str:
    """The idempotency key that is sent with a paid call of this step."""
    digest = hashlib.sha256(f"{job}\0{step}".encode()).hexdigest()
    return f"citewell-{digest[:32]}"
