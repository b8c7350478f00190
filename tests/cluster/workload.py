"""Users of a cluster: each calls one tool after the other and remembers what was acknowledged."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from citewell.core.errors import CitewellError
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.library.library_store import SqlLibraryStore
from tests.cluster.mcp_caller import CallFailed, McpCaller

PAID_PROVIDERS = ("perplexity", "openai", "grok")
QUERIES = (
    "How do lithium-ion batteries age?",
    "How does HTTP caching work?",
    "How much water does a dishwasher use?",
    "How far apart should tomato plants stand?",
)
PAGES = ("batteries.example.org/lithium-ion-ageing",)
BIBLIOGRAPHY = (
    "Akiba T, Sano S, Yanase T, Ohta T, Koyama M. Optuna: A Next-generation Hyperparameter "
    "Optimization Framework. KDD 2019. doi:10.1145/3292500.3330701"
)
MAX_SESSION_STEPS = 8


@dataclass(frozen=True, kw_only=True)
class FailedCall:
    """A call that was not answered well, and when it ran."""

    user: str
    action: str
    began: float
    ended: float
    kind: str
    detail: str
    instance: str


@dataclass(kw_only=True)
class Acknowledged:
    """What users were told is done, and so has to be found again."""

    jobs: dict[str, str] = field(default_factory=dict)  # the user of each job
    steps: defaultdict[tuple[str, str], list[int]] = field(
        default_factory=lambda: defaultdict(list)
    )  # the numbers of the steps of each user's session
    documents: dict[str, str] = field(default_factory=dict)  # the user of each document
    answered: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: list[FailedCall] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class WorkloadPace:
    """How much of what a user does; shares of the actions, and the longest pause between two."""

    pause_seconds: float = 0.5
    shares: tuple[tuple[str, int], ...] = (
        ("search", 30),
        ("read", 20),
        ("audit", 10),
        ("research", 6),
        ("status", 14),
        ("session", 15),
        ("document", 5),
    )


@dataclass(kw_only=True)
class ClusterUser:
    caller: McpCaller
    owner: str  # as the store names it
    library: SqlLibraryStore
    internet_url: str
    dice: random.Random
    told: Acknowledged
    pace: WorkloadPace = field(default_factory=WorkloadPace)
    _session: tuple[str, int] = ("", 0)
    _mine: list[str] = field(default_factory=list)

    async def act_until(self, is_over: Callable[[], bool]) -> None:
        names = [name for name, _ in self.pace.shares]
        weights = [share for _, share in self.pace.shares]
        while not is_over():
            (action,) = self.dice.choices(names, weights)
            await self._try_action(action, getattr(self, f"do_{action}"))
            await asyncio.sleep(self.dice.uniform(0, self.pace.pause_seconds))

    async def _try_action(self, action: str, do: Callable[[], Awaitable[None]]) -> None:
        began = time.monotonic()
        try:
            await do()
        except (CallFailed, CitewellError) as error:
            if action == "session":
                self._session = ("", 0)  # whether the step was kept is not known
            kind = error.kind
            self.told.failed.append(
                FailedCall(
                    user=self.owner,
                    action=action,
                    began=began,
                    ended=time.monotonic(),
                    kind=kind,
                    detail=str(error)[:300],
                    instance=getattr(error, "instance", ""),
                )
            )
        else:
            self.told.answered[action] += 1
            self.told.seconds[action].append(time.monotonic() - began)

    async def do_search(self) -> None:
        number = self.dice.randrange(40)  # some of them are cached, some are not
        await self.caller.call_tool("web_search", query=f"{self.dice.choice(QUERIES)} {number}")

    async def do_read(self) -> None:
        page = self.dice.choice(PAGES)
        url = f"{self.internet_url}/site/{page}?v={self.dice.randrange(40)}"
        await self.caller.call_tool("scrape_page", url=url)

    async def do_audit(self) -> None:
        await self.caller.call_tool("audit_bibliography", bibliography=BIBLIOGRAPHY)

    async def do_research(self) -> None:
        providers = [self.dice.choice(PAID_PROVIDERS), "local"]
        begun = await self.caller.call_tool(
            "research", query=self.dice.choice(QUERIES), budgetTier="S", providers=providers
        )
        self.told.jobs[begun["jobId"]] = self.owner
        self._mine.append(begun["jobId"])

    async def do_status(self) -> None:
        if not self._mine:
            await self.do_research()
            return
        job = self._mine[-1]
        await self.caller.call_tool("research_status", jobId=job, wait_seconds=2)

    async def do_session(self) -> None:
        session, step = self._session
        arguments: dict[str, Any] = (
            {"sessionId": session} if session else {"researchGoal": "Ageing"}
        )
        kept = await self.caller.call_tool(
            "sequential_search",
            searchStep=f"Step {step + 1} of {self.owner}",
            stepNumber=step + 1,
            nextStepNeeded=True,
            **arguments,
        )
        self.told.steps[self.owner, kept["sessionId"]].append(step + 1)
        is_long = step + 1 >= MAX_SESSION_STEPS
        self._session = ("", 0) if is_long else (kept["sessionId"], step + 1)

    async def do_document(self) -> None:
        name = f"doc-{self.dice.getrandbits(64):016x}"
        card = DocumentCard(id=name, title=f"Notes {name}")
        document = LibraryDocument(card=card, text=f"Notes on {self.dice.choice(QUERIES)} {name}")
        await self.library.store_documents(self.owner, [document])
        self.told.documents[name] = self.owner
