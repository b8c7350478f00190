"""Money is shown in whole cents, and shown amounts add up to the shown sums."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from citewell.core.config import Settings
from citewell.core.errors import NetworkFailed
from citewell.core.values.research import TICKS_PER_CENT, ResearchFindings, ResearchStatus
from citewell.jobs.durable_job import BudgetSpent, CallReply, CallUncertain, JobOrder
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.job_service import JobService
from citewell.jobs.run_record import EngineTiming
from citewell.jobs.step_values import RESEARCH_JOB_KIND, ResearchAssignment
from citewell.jobs.store.thread_store import BalanceTooLow
from citewell.research.planning.provider_choice import ProviderChoice
from citewell.research.research_service import ResearchService
from citewell.routing.provider_catalogue import ProviderCatalogue
from tests.contract.offices import embedded
from tests.inline import InlineDatabase, inline_state
from tests.requirements import requires

OWNER = "someone"
PROVIDERS = ("anthropic", "gemini", "openai", "perplexity")
CAP_CENTS = 10


@dataclass(frozen=True, kw_only=True)
class Charge:
    """One paid call; what an uncertain one really cost is found out later, or never."""

    provider: str
    ticks: int
    is_uncertain: bool = False
    billed: str | None = None  # dollars


@dataclass(kw_only=True)
class MeteredCall:
    charge: Charge
    provider: str
    estimate_cost: int
    background: bool = False
    is_idempotent: bool = False

    async def submit_research(self, tag: str) -> CallReply:
        if self.charge.is_uncertain:
            raise NetworkFailed("The line went dead.")
        report = {"provider": self.provider, "text": "A report."}
        return CallReply(status=ResearchStatus.COMPLETED, result=report, cost=self.charge.ticks)

    async def poll_research(self, ref: str) -> CallReply:
        raise NotImplementedError

    async def cancel_research(self, ref: str) -> CallReply:
        raise NotImplementedError


class Bureau:
    """Deep research in memory, whose jobs are nothing but bills."""

    def __init__(self, *, budget: int | None) -> None:
        numbers = itertools.count()
        self.now = 1_800_000_000.0
        self.state = inline_state(
            InlineDatabase(),
            lambda: self.now,
            lambda: f"id{next(numbers)}",
            research_budget=budget,
        )
        self.jobs = JobService(
            self.state,
            {RESEARCH_JOB_KIND: self._pay_bill},
            timing=EngineTiming(resend_delays=()),
            clock=lambda: self.now,
            new_id=lambda: f"job{next(numbers)}",
        )
        catalogue = ProviderCatalogue(
            Settings(data_dir=Path("unused")), lambda _spec, _settings: None, names=()
        )
        self.research = ResearchService(
            jobs=self.jobs,
            store=self.state.research,
            threads=self.state.threads,
            ledger=self.state.ledger,
            choice=ProviderChoice(catalogue),
            clock=lambda: self.now,
        )

    async def spend(self, bill: Sequence[Charge]) -> tuple[str, str] | None:
        """The job that paid the bill and its thread; None if the balance does not cover its cap."""
        work = ResearchAssignment(
            query="What does it cost?", tier="XXS", providers=PROVIDERS, mode="methodical"
        )
        args = work.to_json() | {"bill": [vars(charge) for charge in bill]}
        self.now += 1
        thread = f"thread{self.now:.0f}"
        order = JobOrder(
            kind=RESEARCH_JOB_KIND,
            args=args,
            cap=CAP_CENTS * TICKS_PER_CENT,
            thread=thread,
            title="Money",
            question=work.query,
        )
        try:
            job = (await self.jobs.dispatch_job(OWNER, order)).job.id
        except BalanceTooLow as error:
            told = error.extra
        else:
            await self._finish(job)
            await self._reconcile(job, bill)
            return job, thread
        shown = (await self.research.load_balance_view(OWNER))["balanceCents"]
        assert told == {"balanceCents": max(0, shown), "requiredCents": CAP_CENTS}
        assert shown < CAP_CENTS
        return None

    async def _reconcile(self, job: str, bill: Sequence[Charge]) -> None:
        for number, charge in enumerate(bill):
            step = (await self.jobs.store.require_job_view(OWNER, job)).find_step(f"call:{number}")
            if charge.billed is not None and step is not None and step.state == "uncertain":
                await self.research.reconcile_cost(OWNER, job, step.key, dollars=charge.billed)

    async def _finish(self, job: str) -> None:
        while not (await self.jobs.store.require_job_view(OWNER, job)).status.is_final:
            await embedded(self.jobs).run_turn()
            await asyncio.sleep(0)

    async def _pay_bill(self, run: WorkflowRun) -> Any:
        for number, row in enumerate(run.job.args["bill"]):
            charge = Charge(**row)
            call = MeteredCall(charge=charge, provider=charge.provider, estimate_cost=charge.ticks)
            try:
                await run.run_paid_call(f"call:{number}", call)
            except (CallUncertain, BudgetSpent):
                continue
        found = ResearchFindings(query="?", synthesis="# Report", synthesis_by="extractive")
        await self.state.research.store_findings(OWNER, run.job.id, found)
        return {}


charges = st.builds(
    Charge,
    provider=st.sampled_from(PROVIDERS),
    ticks=st.integers(0, 3 * TICKS_PER_CENT) | st.sampled_from([0, 1, TICKS_PER_CENT]),
    is_uncertain=st.booleans(),
    billed=st.none() | st.decimals("0", "0.07", places=5).map(str),
)
ledgers = st.lists(st.lists(charges, min_size=1, max_size=4), min_size=1, max_size=4)
third = TICKS_PER_CENT // 3


@requires("deep.rounding", "balance.no_budget", "deep.cost_agrees")
@settings(max_examples=60, deadline=None)
@given(bills=ledgers, budget=st.none() | st.integers(0, 60), credit=st.none() | st.just("0.255"))
@example(
    bills=[[Charge(provider=name, ticks=15 * TICKS_PER_CENT // 2) for name in PROVIDERS]],
    budget=None,
    credit=None,
)
@example(bills=[[Charge(provider="openai", ticks=third)] for _ in range(9)], budget=30, credit=None)
def test_amounts_agree_to_the_cent_wherever_they_are_shown(
    bills: list[list[Charge]], budget: int | None, credit: str | None
) -> None:
    async def main() -> None:
        bureau = Bureau(budget=budget)
        paid = [done for bill in bills if (done := await bureau.spend(bill))]
        if credit is not None:
            await bureau.research.add_credit(OWNER, credit)
        await check_agreement(bureau, paid, is_limited=budget is not None or credit is not None)

    asyncio.run(main())


async def check_agreement(
    bureau: Bureau, paid: Sequence[tuple[str, str]], *, is_limited: bool
) -> None:
    research = bureau.research
    balance = await research.load_balance_view(OWNER, transactions=True)
    usage = await research.load_usage_view(OWNER, "all")
    booked: Counter[str] = Counter()
    by_provider: Counter[str] = Counter()
    by_job: Counter[str] = Counter()
    for row in balance["transactions"]:
        booked[row["type"]] += row["amountCents"]
        if row["type"] == "settle":
            by_provider[row["provider"]] += row["amountCents"]
            by_job[row["jobId"]] += row["amountCents"]
    for job, thread in paid:
        cost = (await research.load_results(OWNER, job))["cost"]
        status = await research.wait_for_status(OWNER, job)
        (shown,) = (await research.load_thread_view(OWNER, thread))["jobs"]
        assert cost["totalCents"] == sum(cost["byProvider"].values()) == by_job[job]
        assert status["costCents"] == shown["totalCustomerCostCents"] == cost["totalCents"]
        assert cost["totalCents"] == await count_exact_cents(bureau, job)
    assert {row["id"]: row["costCents"] for row in usage["recentJobs"]} == {
        job: by_job[job] for job, _ in paid
    }
    breakdown = {row["provider"]: row["totalCostCents"] for row in usage["providerBreakdown"]}
    assert breakdown == {name: by_provider[name] for name in breakdown}
    assert usage["totalSpendCents"] == sum(breakdown.values()) == sum(by_job.values())
    assert usage["totalSpendCents"] == balance["spentCents"] == booked["settle"]
    assert balance["unlimited"] is not is_limited
    left = booked["credit"] - booked["settle"] - balance["reservedCents"]
    assert balance["balanceCents"] == (left if is_limited else 0)
    assert balance["reservedCents"] == 0


async def count_exact_cents(bureau: Bureau, job: str) -> int:
    """What the job cost, never shown as less than it was and never by a whole cent as more."""
    ticks = (await bureau.jobs.store.require_job_view(OWNER, job)).spent
    return -(-ticks // TICKS_PER_CENT)
