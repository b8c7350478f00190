"""What the tools of deep research answer with by default, in the life of one small job."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import Client

from tests.e2e.clients import connected
from tests.e2e.deep import QUESTION, ask, deep, ended, researched
from tests.internet.serve import Internet
from tests.requirements import requires


async def live_through(client: Client) -> dict[str, Any]:
    begun = await researched(client, budgetTier="XXS")
    job, thread = begun["jobId"], begun["threadId"]
    told = {
        "research": begun,
        "research_status": await ended(client, job),
        "get_results": await ask(client, "get_results", jobId=job),
        "balance": await ask(client, "balance"),
        "usage": await ask(client, "usage"),
        "list_threads": await ask(client, "list_threads"),
        "one tier": await ask(client, "list_providers", budgetTier="M"),
        "all tiers": await ask(client, "list_providers"),
        "search_claims": await ask(client, "search_claims", jobId=job, limit=1),
    }
    claim = told["search_claims"]["claims"][0]["id"]
    told["evidence"] = await ask(client, "get_claim_evidence", claimId=claim)
    told["follow_up"] = await ask(
        client, "follow_up", jobId=job, topicIndex=0, customQuery="What of sodium-ion cells?"
    )
    await ended(client, told["follow_up"]["jobId"])
    told["second"] = await ask(client, "research", query=QUESTION, budgetTier="XXS")
    told["cancelled"] = await ask(client, "research_cancel", jobId=told["second"]["jobId"])
    told["get_thread"] = await ask(client, "get_thread", threadId=thread)
    return told


@pytest.fixture(scope="module")
def told(loopback_web: Internet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The answers of each tool while one job of the free engine lives."""
    loopback_web.world.reset()
    folder = tmp_path_factory.mktemp("deep")
    environ = loopback_web.env() | {
        "CITEWELL_CONFIG": str(folder / "none.toml"),
        "CITEWELL_DATA_DIR": str(folder / "data"),
        "HOME": str(folder),
        "CITEWELL_STEALTH": "false",
        "CHROME_PATH": "disabled",
    }

    async def run() -> dict[str, Any]:
        async with connected("memory", deep(environ)) as client:
            return await live_through(client)

    found = asyncio.run(run())
    loopback_web.world.reset()
    return found


@requires("research.new_thread")
def test_research_always_begins_a_thread_of_its_own(told: dict[str, Any]) -> None:
    assert told["second"]["threadId"] != told["research"]["threadId"]
    assert told["second"]["jobId"] != told["research"]["jobId"]


@requires("research_status.progress")
def test_progress_is_told_for_each_provider(told: dict[str, Any]) -> None:
    status = told["research_status"]

    assert set(status["progress"]) == set(told["research"]["selectedProviders"])
    for row in status["progress"].values():
        assert row["status"] == "completed"
        assert row["durationSeconds"] >= 0
        assert row["startedAt"].endswith("Z")
    assert status["providersComplete"] == status["providersTotal"] == len(status["progress"])


@requires("get_results.provider_reports", "get_results.claims", "get_results.follow_ons")
def test_reports_and_claims_come_on_request_only(told: dict[str, Any]) -> None:
    results = told["get_results"]

    assert not {"providerReports", "claims"} & set(results)
    assert all({"topic", "rationale"} <= set(row) for row in results["followOnSuggestions"])


@requires("balance.answer", "balance.transactions")
def test_transactions_come_on_request_only(told: dict[str, Any]) -> None:
    balance = told["balance"]

    assert {"balanceCents", "balanceDollars", "hasPaymentMethod"} <= set(balance)
    assert balance["balanceDollars"].startswith("$")
    assert "transactions" not in balance


@requires("usage.period", "usage.answer", "usage.recent_jobs")
def test_usage_is_of_the_last_thirty_days_by_default(told: dict[str, Any]) -> None:
    usage = told["usage"]

    assert usage["period"] == "30d"
    assert usage["totalSpendCents"] == 0
    assert [row["id"] for row in usage["recentJobs"]] == [told["research"]["jobId"]]


@requires("list_threads.answer", "list_threads.limit", "list_threads.offset")
def test_threads_are_listed_twenty_at_a_time(told: dict[str, Any]) -> None:
    listed = told["list_threads"]

    assert (listed["count"], listed["limit"], listed["offset"]) == (1, 20, 0)
    assert set(listed["threads"][0]) >= {"id", "title", "createdAt", "updatedAt"}


@requires("list_providers.budget_tier", "list_providers.tiers", "list_providers.answer")
def test_one_tier_is_shown_where_one_was_asked_for(told: dict[str, Any]) -> None:
    one, every = told["one tier"], told["all tiers"]

    assert [row["tier"] for row in every["budgetTiers"]] == ["XXS", "XS", "S", "M", "L", "XL"]
    [tier] = one["budgetTiers"]
    assert (tier["tier"], tier["maxCostCents"], tier["maxCostDollars"]) == ("M", 1500, "$15.00")
    assert "local" in tier["defaultProviders"]


@requires("search_claims.limit", "search_claims.answer", "search_claims.filters")
def test_claims_are_counted_beyond_the_limit(told: dict[str, Any]) -> None:
    found = told["search_claims"]

    assert len(found["claims"]) == 1
    assert found["total"] > 1
    assert found["claims"][0]["jobId"] == told["research"]["jobId"]


@requires("get_claim_evidence.evidence", "get_claim_evidence.history", "get_claim_evidence.answer")
def test_evidence_names_its_source_and_history_comes_on_request_only(told: dict[str, Any]) -> None:
    shown = told["evidence"]

    assert "history" not in shown
    assert shown["evidenceCount"] == len(shown["evidence"]) >= 1
    for row in shown["evidence"]:
        assert {"id", "relation", "snippet", "relevanceScore", "discoveredByProvider"} <= set(row)
        assert {"url", "title", "domain", "type", "doi"} <= set(row["source"])


@requires("follow_up.custom_query", "follow_up.budget_tier", "follow_up.answer")
def test_a_question_of_ones_own_goes_before_a_suggestion(told: dict[str, Any]) -> None:
    followed = told["follow_up"]

    assert followed["query"] == "What of sodium-ion cells?"
    assert followed["budgetTier"] == "XXS"
    assert followed["parentJobId"] == told["research"]["jobId"]
    assert followed["threadId"] == told["research"]["threadId"]


@requires("get_thread.jobs", "get_thread.steps", "get_thread.answer")
def test_a_thread_shows_its_newest_job_first_with_its_steps(told: dict[str, Any]) -> None:
    thread = told["get_thread"]

    assert [job["id"] for job in thread["jobs"]] == [
        told["follow_up"]["jobId"],
        told["research"]["jobId"],
    ]
    assert {row["provider"] for row in thread["steps"]} == {"local"}


@requires("research_cancel.answer")
def test_a_cancelled_job_answers_like_its_status(told: dict[str, Any]) -> None:
    assert set(told["cancelled"]) >= {"jobId", "status", "progress", "nextStep"}
    assert told["cancelled"]["jobId"] == told["second"]["jobId"]
