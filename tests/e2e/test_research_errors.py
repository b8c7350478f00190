"""What deep research refuses: the code of the specification, and whether to try again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.conditions import until
from tests.e2e.clients import TRANSPORTS, connected
from tests.e2e.deep import KEYS, QUESTION, ask, deep, ended, refusal, researched
from tests.internet.faults import ALWAYS, Fault
from tests.internet.researchers import bench
from tests.internet.world import World
from tests.requirements import requires

SEARCHES = ("duckduckgo", "wikipedia", "hackernews")


@requires("follow_up.running_parent", "follow_up.thread_busy")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_follow_up_of_a_running_job_finds_the_thread_busy(
    transport: str, environ: dict[str, str], world: World
) -> None:
    bench(world).polls = 10_000

    async def main() -> tuple[Any, ...]:
        async with connected(transport, deep(environ, **KEYS)) as client:
            begun = await ask(client, "research", query=QUESTION, providers=["openai"])
            told = await refusal(client, "follow_up", jobId=begun["jobId"], customQuery="And?")
            await ask(client, "research_cancel", jobId=begun["jobId"])
            await ended(client, begun["jobId"])
            return begun, told

    begun, told = asyncio.run(main())

    assert (told["error"], told["retryable"]) == ("THREAD_BUSY", True)
    assert told["jobId"] == begun["jobId"]
    assert told["status"] in {"pending", "running"}
    assert told["retryAfterSeconds"] > 0


@requires("get_results.failed_job", "follow_up.running_parent")
def test_a_job_that_failed_for_good_is_nowhere_called_retryable(
    environ: dict[str, str], world: World
) -> None:
    for name in ("grok", *SEARCHES):
        world.fail(name, Fault(status=500), times=ALWAYS)

    async def main() -> tuple[Any, ...]:
        async with connected("memory", deep(environ, XAI_API_KEY="xai-test")) as client:
            begun = await ask(client, "research", query=QUESTION, providers=["grok"])
            await ended(client, begun["jobId"])
            return tuple(
                [
                    await refusal(client, tool, jobId=begun["jobId"])
                    for tool in ("get_results", "follow_up", "research_export")
                ]
            )

    told = asyncio.run(main())

    for row in told:
        assert (row["error"], row["status"]) == ("JOB_NOT_COMPLETE", "failed")
        assert row["retryable"] is False
        assert "retryAfterSeconds" not in row
        assert "grok" in row["message"]


@requires("get_results.failed_job", "research_cancel.answer")
def test_a_cancelled_job_is_not_called_retryable_and_its_steps_say_who_cancelled(
    environ: dict[str, str], world: World
) -> None:
    bench(world).polls = 10_000

    async def main() -> tuple[Any, ...]:
        async with connected("memory", deep(environ, **KEYS)) as client:
            begun = await ask(
                client, "research", query=QUESTION, providers=["openai", "perplexity", "gemini"]
            )
            await until(lambda: len(bench(world).runs) == 3)
            await ask(client, "research_cancel", jobId=begun["jobId"])
            status = await ended(client, begun["jobId"])
            return status, [
                await refusal(client, tool, jobId=begun["jobId"])
                for tool in ("get_results", "follow_up")
            ]

    status, told = asyncio.run(main())

    for row in told:
        assert (row["error"], row["status"]) == ("JOB_NOT_COMPLETE", "cancelled")
        assert row["retryable"] is False
        assert "cancelled" in row["message"]
    for part in status["progress"].values():
        assert part["status"] == "cancelled"
        assert part["error"]["kind"] == "cancelled"
        assert "cancelled" in part["error"]["message"]
        assert "refused" not in part["error"]["message"]


@requires("research_cancel.finished", "research_cancel.answer")
def test_cancelling_a_finished_job_shows_it_as_it_is(environ: dict[str, str]) -> None:
    async def main() -> tuple[Any, ...]:
        async with connected("memory", deep(environ, **KEYS)) as client:
            begun = await researched(client, providers=["perplexity", "local"])
            before = await ask(client, "research_status", jobId=begun["jobId"])
            return before, await ask(client, "research_cancel", jobId=begun["jobId"])

    before, after = asyncio.run(main())

    assert after == before
    assert after["status"] == "completed"
    assert after["pagesRead"] > 0
    assert after["claimsFound"] > 0
    assert after["costCents"] > 0


@requires("search_claims.filters", "search_claims.unknown")
def test_claims_are_searched_by_all_the_filters_given(environ: dict[str, str]) -> None:
    async def main() -> tuple[Any, ...]:
        async with connected("memory", deep(environ)) as client:
            first = await researched(client, budgetTier="XXS")
            second = await researched(client, "How does sleep help memory?", budgetTier="XXS")
            job = first["jobId"]
            return (
                await ask(client, "search_claims", jobId=job, threadId=first["threadId"]),
                await ask(client, "search_claims", jobId=job, threadId=second["threadId"]),
                await refusal(client, "search_claims", jobId=job, threadId="nobody"),
            )

    both, neither, unknown = asyncio.run(main())

    assert both["total"] > 0
    assert neither == {"claims": [], "total": 0}
    assert (unknown["error"], unknown["retryable"]) == ("THREAD_NOT_FOUND", False)
