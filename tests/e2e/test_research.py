"""Deep research as an MCP client meets it, over every transport."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from mcp import Client

from tests.e2e.clients import TRANSPORTS, connected
from tests.e2e.deep import KEYS, PATIENCE, QUESTION, ask, deep, ended, refusal, researched
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

ALL = ["openai", "perplexity", "anthropic", "local"]
STATUS = {
    "jobId", "status", "progress", "providersComplete", "providersTotal", "elapsedMs", "nextStep",
}  # fmt: skip
CLAIM = {
    "id", "content", "confidence", "confidenceLevel", "supportingProviders", "contradictingProviders",
}  # fmt: skip
SPEC = {
    "research": {"threadId", "jobId", "status", "selectedProviders", "budgetTier", "estimatedDuration", "message"},
    "research_status": STATUS,
    "research_cancel": STATUS,
    "get_results": {"jobId", "status", "synthesis", "followOnSuggestions", "cost", "duration", "providerReports", "claims"},
    "follow_up": {"threadId", "jobId", "parentJobId", "query", "status", "budgetTier", "message"},
    "list_threads": {"threads", "count", "limit", "offset"},
    "get_thread": {"id", "title", "createdAt", "messages", "jobs", "steps"},
    "balance": {"balanceCents", "balanceDollars", "hasPaymentMethod", "transactions"},
    "usage": {"period", "totalSpendCents", "totalSpendDollars", "providerBreakdown", "recentJobs"},
    "list_providers": {"providers", "budgetTiers"},
    "search_claims": {"claims", "total"},
    "get_claim_evidence": {"claim", "evidence", "evidenceCount", "history"},
}  # fmt: skip
WITHIN = {
    ("get_results", "followOnSuggestions"): {"topic", "rationale"},
    ("get_results", "claims"): CLAIM | {"clusterSubject", "sources"},
    ("get_results", "sourceRegistry"): {"ref", "url", "title", "domain", "type"},
    ("list_threads", "threads"): {"id", "title", "createdAt", "updatedAt"},
    ("get_thread", "messages"): {"id", "role", "content", "costCents", "createdAt"},
    ("get_thread", "jobs"): {"id", "status", "budgetTier", "researchMode", "query", "synthesisMarkdown", "suggestedFollowOns", "totalCustomerCostCents", "durationSeconds", "createdAt", "completedAt"},
    ("get_thread", "steps"): {"id", "provider", "status", "durationSeconds"},
    ("balance", "transactions"): {"id", "type", "amountCents", "description", "createdAt"},
    ("usage", "providerBreakdown"): {"provider", "totalCostCents", "jobCount"},
    ("usage", "recentJobs"): {"id", "status", "budgetTier", "query", "costCents", "createdAt"},
    ("list_providers", "providers"): {"name", "provider", "displayName", "isActive", "typicalCostRange", "strengths"},
    ("list_providers", "budgetTiers"): {"tier", "maxCostCents", "maxCostDollars", "defaultProviders"},
    ("search_claims", "claims"): CLAIM | {"jobId", "createdAt"},
    ("get_claim_evidence", "evidence"): {"id", "relation", "snippet", "relevanceScore", "discoveredByProvider", "source"},
    ("get_claim_evidence", "history"): {"eventType", "actorType", "payload", "createdAt"},
}  # fmt: skip


async def whole_tour(client: Client) -> Any:
    """What each tool answers in the life of one job with every kind of provider."""
    told = {"research": await ask(client, "research", query=QUESTION, providers=ALL)}
    job, thread = told["research"]["jobId"], told["research"]["threadId"]
    told["research_status"] = await ended(client, job)
    told["get_results"] = await ask(
        client, "get_results", jobId=job, includeProviderReports=True, includeClaimsJson=True
    )
    claim = told["get_results"]["claims"][0]["id"]
    told["get_claim_evidence"] = await ask(
        client, "get_claim_evidence", claimId=claim, includeHistory=True
    )
    told["search_claims"] = await ask(client, "search_claims", query="battery temperature")
    told["list_threads"] = await ask(client, "list_threads", limit=5)
    told["get_thread"] = await ask(client, "get_thread", threadId=thread)
    told["balance"] = await ask(client, "balance", includeTransactions=True)
    told["usage"] = await ask(client, "usage", period="7d")
    told["list_providers"] = await ask(client, "list_providers")
    told["follow_up"] = await ask(client, "follow_up", jobId=job, budgetTier="XXS")
    told["research_cancel"] = await ask(client, "research_cancel", jobId=told["follow_up"]["jobId"])
    return told


@pytest.fixture(scope="module", params=TRANSPORTS)
def tour(
    request: pytest.FixtureRequest, loopback_web: Internet, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    """The same job looked at by many tests, on each transport."""
    folder = tmp_path_factory.mktemp("tour")
    environ = loopback_web.env() | {
        "CITEWELL_CONFIG": str(folder / "none.toml"),
        "CITEWELL_DATA_DIR": str(folder),
        "HOME": str(folder),
        "CITEWELL_RESEARCH_BUDGET_CENTS": "5000",
    }

    async def main() -> Any:
        async with connected(request.param, deep(environ, **KEYS)) as client:
            return await whole_tour(client)

    return asyncio.run(main())


@requires(
    "research.answer",
    "research_status.answer",
    "research_cancel.answer",
    "get_results.answer",
    "follow_up.answer",
    "list_threads.answer",
    "get_thread.answer",
    "get_thread.jobs",
    "get_thread.messages",
    "get_thread.steps",
    "balance.answer",
    "balance.transactions",
    "usage.answer",
    "usage.provider_breakdown",
    "usage.recent_jobs",
    "list_providers.answer",
    "list_providers.tiers",
    "search_claims.answer",
    "get_claim_evidence.answer",
    "get_claim_evidence.evidence",
    "get_claim_evidence.history",
    "get_results.provider_reports",
    "get_results.claims",
    "get_results.follow_ons",
)
@pytest.mark.parametrize("tool", SPEC)
def test_a_tool_answers_with_the_keys_of_the_spec(tool: Any, tour: Any) -> None:
    missing = SPEC[tool] - set(tour[tool])
    assert not missing

    for name, keys in ((part, keys) for (owner, part), keys in WITHIN.items() if owner == tool):
        assert tour[tool][name], name
        for row in tour[tool][name]:
            assert keys <= set(row), name


@requires("research.answer", "follow_up.answer", "follow_up.topic_index", "research.budget_tier")
def test_the_dispatch_is_answered_as_the_spec_shows(tour: Any) -> None:
    begun, followed = tour["research"], tour["follow_up"]

    assert (begun["status"], begun["budgetTier"]) == ("dispatched", "M")
    assert begun["selectedProviders"] == ALL
    assert followed["parentJobId"] == begun["jobId"]
    assert followed["threadId"] == begun["threadId"]
    assert followed["query"] == tour["get_results"]["followOnSuggestions"][0]["topic"]
    assert (followed["status"], followed["budgetTier"]) == ("dispatched", "XXS")


@requires("get_results.duration", "research_status.progress")
def test_seconds_are_seconds_and_milliseconds_are_where_the_spec_has_them(tour: Any) -> None:
    status, duration = tour["research_status"], tour["get_results"]["duration"]
    shown = tour["get_thread"]["jobs"][-1]

    assert set(duration["byProvider"]) == set(ALL)
    for name, milliseconds in duration["byProvider"].items():
        assert isinstance(milliseconds, int)
        assert status["progress"][name]["durationSeconds"] == pytest.approx(
            milliseconds / 1000, abs=0.51
        )
    assert duration["totalSeconds"] == pytest.approx(status["elapsedMs"] / 1000, abs=0.51)
    assert shown["durationSeconds"] == duration["totalSeconds"]


@requires("deep.cost_agrees")
def test_the_cost_is_the_same_wherever_it_is_told(tour: Any) -> None:
    cost, usage, balance = tour["get_results"]["cost"], tour["usage"], tour["balance"]
    by_provider = {row["provider"]: row["totalCostCents"] for row in usage["providerBreakdown"]}
    booked = {"credit": 0, "reserve": 0, "settle": 0, "release": 0}
    for row in balance["transactions"]:
        booked[row["type"]] += row["amountTicks"]

    assert by_provider == cost["byProvider"]
    assert usage["totalSpendCents"] == cost["totalCents"] == balance["spentCents"]
    assert tour["get_thread"]["jobs"][-1]["totalCustomerCostCents"] == cost["totalCents"]
    assert balance["balanceCents"] == 5000 - cost["totalCents"]
    assert booked["reserve"] == booked["settle"] + booked["release"]


def test_every_number_of_the_report_is_in_the_registry(tour: Any) -> None:
    results = tour["get_results"]
    known = {source["ref"] for source in results["sourceRegistry"]}
    cited = {part.partition("]")[0] for part in results["synthesis"].split("[")[1:]}

    assert {ref for ref in cited if ref.startswith("src_")} <= known
    assert {source["ref"] for row in results["claims"] for source in row["sources"]} <= known
    assert set(results["providerReports"]) == set(ALL)


@requires("get_thread.steps")
def test_a_thread_shows_one_step_for_each_provider_of_its_newest_job(tour: Any) -> None:
    steps = tour["get_thread"]["steps"]

    assert [row["provider"] for row in steps if row["id"].startswith("report:")] == ALL
    assert {row["id"] for row in steps} == {*(f"report:{name}" for name in ALL), "synthesis"}
    assert {row["status"] for row in steps} == {"completed"}
    assert all(row["durationSeconds"] >= 0 for row in steps)


@requires("get_thread.messages", "deep.rounding")
def test_an_answer_in_a_thread_costs_what_its_job_costs(tour: Any) -> None:
    question, answer = tour["get_thread"]["messages"]

    assert (question["role"], question["costCents"]) == ("user", None)
    assert answer["role"] == "assistant"
    assert answer["costCents"] == tour["get_results"]["cost"]["totalCents"] > 0


def test_times_are_written_alike_everywhere(tour: Any) -> None:
    stamps = [
        tour["get_results"]["claims"][0]["createdAt"],
        tour["search_claims"]["claims"][0]["createdAt"],
        tour["get_claim_evidence"]["claim"]["createdAt"],
        tour["get_claim_evidence"]["history"][0]["createdAt"],
        tour["get_thread"]["createdAt"],
        tour["balance"]["transactions"][0]["createdAt"],
    ]

    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp) for stamp in stamps)


def test_what_no_page_bears_out_is_flagged(tour: Any) -> None:
    claims = {row["content"]: row for row in tour["get_results"]["claims"]}
    lost = claims["A later survey found the opposite."]
    bare = next(row for text, row in claims.items() if "wooden teapots" in text)

    assert "probably_never_existed" in lost["flags"]
    assert "unsupported" in bare["flags"]
    assert {lost["confidenceLevel"], bare["confidenceLevel"]} == {"low"}


def test_claims_that_were_searched_for_fit_the_words(tour: Any) -> None:
    found = tour["search_claims"]

    assert found["total"] >= len(found["claims"]) >= 1
    assert all(row["jobId"] == tour["research"]["jobId"] for row in found["claims"])


REFUSALS = {
    "an unknown job": ("JOB_NOT_FOUND", "research_status", {"jobId": "nobody"}),
    "results of an unknown job": ("JOB_NOT_FOUND", "get_results", {"jobId": "nobody"}),
    "cancelling an unknown job": ("JOB_NOT_FOUND", "research_cancel", {"jobId": "nobody"}),
    "going on from an unknown job": ("JOB_NOT_FOUND", "follow_up", {"jobId": "nobody"}),
    "claims of an unknown job": ("JOB_NOT_FOUND", "search_claims", {"jobId": "nobody"}),
    "exporting an unknown job": ("JOB_NOT_FOUND", "research_export", {"jobId": "nobody"}),
    "an unknown thread": ("THREAD_NOT_FOUND", "get_thread", {"threadId": "nobody"}),
    "claims of an unknown thread": ("THREAD_NOT_FOUND", "search_claims", {"threadId": "nobody"}),
    "claims of a job and an unknown thread": (
        "JOB_NOT_FOUND", "search_claims", {"jobId": "nobody", "threadId": "nobody"},
    ),
    "no filter": ("MISSING_FILTER", "search_claims", {}),
    "a blank filter": ("MISSING_FILTER", "search_claims", {"query": " "}),
    "an unknown claim": ("CLAIM_NOT_FOUND", "get_claim_evidence", {"claimId": "nobody"}),
}  # fmt: skip


@requires(
    "research_status.unknown",
    "research_cancel.unknown",
    "get_results.unknown",
    "follow_up.unknown",
    "get_thread.unknown",
    "search_claims.unknown",
    "search_claims.filters",
    "get_claim_evidence.unknown",
)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_is_not_there_is_refused_with_the_code_of_the_spec(
    transport: Any, environ: dict[str, str]
) -> None:
    async def main() -> dict[str, Any]:
        async with connected(transport, deep(environ)) as client:
            return {
                case: await refusal(client, tool, **arguments)
                for case, (_, tool, arguments) in REFUSALS.items()
            }

    told = asyncio.run(main())

    assert {case: row["error"] for case, row in told.items()} == {
        case: code for case, (code, _, _) in REFUSALS.items()
    }
    assert all(row["message"] for row in told.values())


@requires("research.insufficient_balance")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_budget_that_is_too_small_is_refused_with_both_sums(
    transport: Any, environ: dict[str, str]
) -> None:
    async def main() -> tuple[Any, ...]:
        small = deep(environ, OPENAI_API_KEY="sk-test", CITEWELL_RESEARCH_BUDGET_CENTS="1499")
        async with connected(transport, small) as client:
            refused = await refusal(client, "research", query=QUESTION)
            threads = await ask(client, "list_threads")
            smaller = await ask(client, "research", query=QUESTION, budgetTier="XXS")
            return refused, threads, smaller, await ended(client, smaller["jobId"])

    refused, threads, smaller, status = asyncio.run(main())

    assert refused["error"] == "INSUFFICIENT_BALANCE"
    assert (refused["balanceCents"], refused["requiredCents"]) == (1499, 1500)
    assert threads["count"] == 0
    assert smaller["selectedProviders"] == ["openai", "local"]
    assert status["status"] == "completed"


@requires("deep.reserve")
def test_concurrent_jobs_cannot_spend_more_than_there_is(environ: dict[str, str]) -> None:
    async def main() -> Any:
        budget = deep(environ, OPENAI_API_KEY="sk-test", CITEWELL_RESEARCH_BUDGET_CENTS="3100")
        async with connected("memory", budget) as client:
            calls = [
                client.call_tool("research", {"query": f"{QUESTION} {number}"})
                for number in range(6)
            ]
            results = await asyncio.gather(*calls)
            for result in results:
                if not result.is_error:
                    await ended(client, result.structured_content["jobId"])
            return [result.is_error for result in results], await ask(client, "balance")

    refused, balance = asyncio.run(main())

    assert sorted(refused) == [False, False, True, True, True, True]
    assert balance["reservedCents"] == 0
    assert 0 < balance["balanceCents"] < 3100


@requires("get_results.not_complete", "follow_up.thread_busy")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_job_at_work_has_no_results_and_keeps_its_thread_to_itself(
    transport: Any, environ: dict[str, str], world: World
) -> None:
    async def main() -> tuple[Any, ...]:
        async with connected(transport, deep(environ)) as client:
            parent = await researched(client, budgetTier="XXS")
            world.latency = lambda _name: 2.0
            child = await ask(client, "follow_up", jobId=parent["jobId"], customQuery="Sodium-ion?")
            told = [
                await refusal(client, "get_results", jobId=child["jobId"]),
                await refusal(client, "follow_up", jobId=child["jobId"]),
                await refusal(client, "follow_up", jobId=parent["jobId"]),
                await refusal(client, "research_export", jobId=child["jobId"]),
            ]
            await ask(client, "research_cancel", jobId=child["jobId"])
            last = await ended(client, child["jobId"])
            told.append(await refusal(client, "get_results", jobId=child["jobId"]))
            return told, last

    try:
        told, last = asyncio.run(main())
    finally:
        world.latency = lambda _name: 0.0

    codes = [row["error"] for row in told]
    assert codes == [
        "JOB_NOT_COMPLETE", "THREAD_BUSY", "THREAD_BUSY", "JOB_NOT_COMPLETE", "JOB_NOT_COMPLETE",
    ]  # fmt: skip
    assert told[0]["status"] in {"pending", "running"}
    assert last["status"] == told[4]["status"] == "cancelled"


@requires("follow_up.invalid_topic", "follow_up.topic_index")
@pytest.mark.parametrize("index", [-1, 99])
def test_a_suggestion_that_is_not_there_is_refused_with_those_that_are(
    index: Any, environ: dict[str, str]
) -> None:
    async def main() -> Any:
        async with connected("memory", deep(environ)) as client:
            parent = await researched(client, budgetTier="XXS")
            results = await ask(client, "get_results", jobId=parent["jobId"])
            return results, await refusal(
                client, "follow_up", jobId=parent["jobId"], topicIndex=index
            )

    results, told = asyncio.run(main())

    assert told["error"] == "INVALID_TOPIC"
    assert told["availableSuggestions"] == [one["topic"] for one in results["followOnSuggestions"]]


@requires("follow_up.budget_tier", "follow_up.custom_query", "get_thread.jobs")
def test_a_follow_up_knows_what_its_parent_found(environ: dict[str, str], world: World) -> None:
    async def main() -> tuple[Any, ...]:
        async with connected("memory", deep(environ, OPENAI_API_KEY="sk-test")) as client:
            parent = await researched(client, providers=["openai"], budgetTier="S")
            child = await ask(
                client, "follow_up", jobId=parent["jobId"], customQuery="What of sodium-ion cells?"
            )
            await ended(client, child["jobId"])
            return parent, child, await ask(client, "get_thread", threadId=parent["threadId"])

    parent, child, thread = asyncio.run(main())

    sent = [row.json()["input"] for row in world.requests["openai"] if row.method == "POST"]
    assert sent[2].startswith("What of sodium-ion cells?\n\nAlready known:\n")
    assert QUESTION in sent[2]
    assert child["selectedProviders"] == ["openai"]
    assert child["budgetTier"] == "S"
    assert [job["id"] for job in thread["jobs"]] == [child["jobId"], parent["jobId"]]
    assert [row["role"] for row in thread["messages"]] == ["user", "assistant"] * 2


def test_earlier_work_is_offered_and_never_put_in_its_place(environ: dict[str, str]) -> None:
    async def main() -> Any:
        async with connected("memory", deep(environ)) as client:
            first = await researched(client, budgetTier="XXS")
            second = await researched(client, budgetTier="XXS")
            other = await ask(client, "research", query="Who invented the wooden teapot?")
            return first, second, other

    first, second, other = asyncio.run(main())

    assert "priorWork" not in first
    assert "priorWork" not in other
    assert second["jobId"] != first["jobId"]
    assert [job["jobId"] for job in second["priorWork"]["jobs"]] == [first["jobId"]]
    assert second["priorWork"]["claims"]


@requires("research.query", "research.budget_tier", "research.providers", "research.mode")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_question_is_refused_when_it_cannot_be_researched(
    transport: Any, environ: dict[str, str]
) -> None:
    cases: dict[str, dict[str, Any]] = {
        "empty": {"query": ""},
        "blank": {"query": "  \n "},
        "too long": {"query": "x" * 10_001},
        "unknown tier": {"query": QUESTION, "budgetTier": "XXXL"},
        "unknown provider": {"query": QUESTION, "providers": ["oracle"]},
        "unknown mode": {"query": QUESTION, "mode": "slow"},
        "not configured": {"query": QUESTION, "providers": ["gemini"]},
    }

    async def main() -> Any:
        async with connected(transport, deep(environ)) as client:
            told = {case: await refusal(client, "research", **args) for case, args in cases.items()}
            return told, await ask(client, "list_threads")

    told, threads = asyncio.run(main())

    kinds = {case: row["error"]["kind"] for case, row in told.items()}
    assert kinds.pop("not configured") == "config"
    assert set(kinds.values()) == {"validation"}
    assert "GEMINI_API_KEY" in str(told["not configured"])
    assert threads["count"] == 0


def test_ten_thousand_characters_are_researched(environ: dict[str, str]) -> None:
    query = (f"{QUESTION} " + "Consider the temperature of the cells. " * 300)[:10_000]

    async def main() -> Any:
        async with connected("memory", deep(environ)) as client:
            begun = await researched(client, query=query, budgetTier="XXS")
            return await ask(client, "get_results", jobId=begun["jobId"], includeClaimsJson=True)

    results = asyncio.run(main())

    assert results["claims"]
    assert len(results["synthesis"]) < 100_000


@requires("research.mode", "research.providers")
@pytest.mark.parametrize("mode", ["fast", "methodical"])
@pytest.mark.parametrize("tier", ["XXS", "XL"])
def test_somebody_is_always_chosen(mode: str, tier: str, environ: dict[str, str]) -> None:
    async def main() -> Any:
        async with connected("memory", deep(environ)) as client:
            free = await ask(client, "research", query=QUESTION, budgetTier=tier, mode=mode)
            await ask(client, "research_cancel", jobId=free["jobId"])
        async with connected("memory", deep(environ, **KEYS)) as client:
            paid = await ask(client, "research", query=QUESTION, budgetTier=tier, mode=mode)
            await ask(client, "research_cancel", jobId=paid["jobId"])
            return free["selectedProviders"], paid["selectedProviders"]

    free, paid = asyncio.run(main())

    assert free == ["local"]
    counts = {("fast", "XXS"): 1, ("fast", "XL"): 1, ("methodical", "XXS"): 2}
    assert len(paid) == counts.get((mode, tier), len(KEYS) + 1)


def test_finished_research_is_let_go_when_it_was_kept_long_enough(environ: dict[str, str]) -> None:
    async def main() -> Any:
        async with connected("memory", deep(environ)) as client:
            old = await researched(client, budgetTier="XXS")
        kept_briefly = deep(environ, CITEWELL_RESEARCH_RETENTION="0")
        async with connected("memory", kept_briefly) as client:
            new = await ask(client, "research", query="Why do tides come in?", budgetTier="XXS")
            async with asyncio.timeout(PATIENCE):
                while (threads := await ask(client, "list_threads"))["count"] > 1:
                    pass
            return await refusal(client, "get_results", jobId=old["jobId"]), new, threads

    told, new, threads = asyncio.run(main())

    assert told["error"] == "JOB_NOT_FOUND"
    assert [row["id"] for row in threads["threads"]] == [new["threadId"]]
