"""Deep research when providers fail it, pages are not what they were cited for, and owners differ."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp import Client

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.research import research_workflow
from citewell.server.app import App
from citewell.server.protocol.sdk_server import build_sdk_server
from tests.conditions import until
from tests.e2e.clients import TRANSPORTS, connected
from tests.e2e.deep import KEYS, PATIENCE, QUESTION, ask, deep, ended, refusal, researched
from tests.internet.faults import ALWAYS, Fault
from tests.internet.researchers import Mark, Written, answer, bench
from tests.internet.world import World
from tests.requirements import requires

GROK = {"cost_in_usd_ticks": 1_234_567_891, "input_tokens": 1, "output_tokens": 1}


def report(*said: tuple[str, str]) -> dict[str, Any]:
    """Grok's whole answer: each sentence with the page it cites, if any."""
    text, marks = "# Report\n\n", []
    for sentence, url in said:
        text += sentence
        if url:
            mark = f" ([page]({url}))"
            marks.append(Mark(url=url, title="page", start=len(text), end=len(text) + len(mark)))
            text += mark
        text += "\n\n"
    return answer("grok", "resp_1", Written(text=text, marks=tuple(marks)), GROK)


async def results_of(client: Client, **arguments: Any) -> dict[str, Any]:
    begun = await researched(client, **arguments)
    return await ask(
        client,
        "get_results",
        jobId=begun["jobId"],
        includeClaimsJson=True,
        includeProviderReports=True,
    )


def researched_by_grok(environ: dict[str, Any], **more: Any) -> dict[str, Any]:
    async def main() -> dict[str, Any]:
        env = deep(environ, XAI_API_KEY="xai-test", CITEWELL_RESEARCH_WRITER="extractive", **more)
        async with connected("memory", env) as client:
            return await results_of(client, providers=["grok"], budgetTier="S")

    return asyncio.run(main())


@contextlib.asynccontextmanager
async def two_owners(environ: dict[str, Any]) -> AsyncIterator[Any]:
    """Two clients of one server that are not the same person."""
    app = App(config.load_settings(environ))
    names = (Owner(user="ann"), Owner(user="ben"))

    def serve_owner(owner: Owner) -> Any:
        return build_sdk_server(app, identify=lambda _context: owner)

    servers = [serve_owner(owner) for owner in names]
    async with Client(servers[0]) as ann, Client(servers[1]) as ben:
        yield ann, ben
    await app.aclose()


@requires("deep.owner")
def test_jobs_threads_claims_and_credit_belong_to_their_owner(environ: dict[str, str]) -> None:
    async def main() -> tuple[Any, ...]:
        async with two_owners(deep(environ)) as (ann, ben):
            mine = await researched(ann, budgetTier="XXS")
            job, thread = mine["jobId"], mine["threadId"]
            found = await ask(ann, "search_claims", jobId=job)
            claim = found["claims"][0]["id"]
            told = [
                await refusal(ben, "research_status", jobId=job),
                await refusal(ben, "get_results", jobId=job),
                await refusal(ben, "research_cancel", jobId=job),
                await refusal(ben, "follow_up", jobId=job),
                await refusal(ben, "research_export", jobId=job),
                await refusal(ben, "search_claims", jobId=job),
                await refusal(ben, "get_thread", threadId=thread),
                await refusal(ben, "search_claims", threadId=thread),
                await refusal(ben, "get_claim_evidence", claimId=claim),
            ]
            others = [
                (await ask(ben, "search_claims", query="lithium battery"))["total"],
                (await ask(ben, "list_threads"))["count"],
                len((await ask(ben, "usage"))["recentJobs"]),
            ]
            again = await ask(ben, "research", query=QUESTION, budgetTier="XXS")
            return [row["error"] for row in told], others, again

    codes, others, again = asyncio.run(main())

    assert codes == [*["JOB_NOT_FOUND"] * 6, *["THREAD_NOT_FOUND"] * 2, "CLAIM_NOT_FOUND"]
    assert others == [0, 0, 0]
    assert "priorWork" not in again


@requires("research_cancel.answer")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_cancelled_job_is_cancelled_at_its_providers(
    transport: Any, environ: dict[str, str], world: World
) -> None:
    bench(world).polls = 10_000

    async def main() -> tuple[Any, ...]:
        async with connected(transport, deep(environ, **KEYS)) as client:
            begun = await ask(
                client, "research", query=QUESTION, providers=["openai", "perplexity", "gemini"]
            )
            await until(lambda: len(bench(world).runs) == 3)
            await ask(client, "research_cancel", jobId=begun["jobId"])
            return await ended(client, begun["jobId"]), await ask(client, "balance")

    status, balance = asyncio.run(main())

    assert status["status"] == "cancelled"
    assert {part["status"] for part in status["progress"].values()} == {"cancelled"}
    assert all(run.cancelled for run in bench(world).runs.values())
    assert balance["reservedCents"] == 0


def test_what_was_paid_for_before_the_end_is_kept(environ: dict[str, str], world: World) -> None:
    bench(world).polls = 10_000

    async def main() -> dict[str, Any]:
        async with connected("memory", deep(environ, **KEYS)) as client:
            begun = await ask(client, "research", query=QUESTION, providers=["openai", "grok"])
            async with asyncio.timeout(PATIENCE):
                while True:
                    told = await ask(
                        client, "research_status", jobId=begun["jobId"], wait_seconds=5
                    )
                    if told["progress"]["grok"]["status"] == "completed":
                        break
            await ask(client, "research_cancel", jobId=begun["jobId"])
            await ended(client, begun["jobId"])
            return await ask(client, "get_results", jobId=begun["jobId"])

    results = asyncio.run(main())

    assert results["status"] == "cancelled"
    assert set(results["providerReports"]) == {"grok"}
    assert results["cost"]["totalCents"] == results["cost"]["byProvider"]["grok"] > 0


FAILURES = {
    "a server error": Fault(status=500, body="Internal Server Error"),
    "a page of HTML": Fault(status=200, body="<!doctype html><html><body>Log in</body></html>"),
    "an empty answer": Fault(status=200, body={}),
    "a refused key": Fault(status=401, body={"error": {"message": "Bad key", "code": "x"}}),
    "no credit left": Fault(
        status=429, body={"error": {"message": "No quota", "code": "insufficient_quota"}}
    ),
    "a dropped connection": Fault(cut=0),
    "half an answer": Fault(cut=20),
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("name", ["openai", "grok", "anthropic"])
def test_one_provider_that_fails_leaves_the_others_results(
    name: str, failure: Any, environ: dict[str, str], world: World
) -> None:
    world.fail(name, FAILURES[failure], times=ALWAYS)
    env = deep(environ, **KEYS, CITEWELL_RESEARCH_WRITER="extractive")

    async def main() -> tuple[Any, ...]:
        async with connected("memory", env) as client:
            begun = await ask(
                client, "research", query=QUESTION, providers=[name, "perplexity", "local"]
            )
            status = await ended(client, begun["jobId"])
            results = await ask(
                client, "get_results", jobId=begun["jobId"], includeProviderReports=True
            )
            return status, results, await ask(client, "balance")

    status, results, balance = asyncio.run(main())

    assert results["status"] == "completed"
    assert set(results["providerReports"]) == {"perplexity", "local"}
    assert status["progress"][name]["status"] in {"failed", "uncertain"}
    assert status["progress"][name]["error"]["message"]
    assert any(note.startswith(f"{name} gave no report") for note in results["notes"])
    assert balance["reservedCents"] == 0
    assert balance["spentCents"] == results["cost"]["totalCents"]


def test_a_provider_that_takes_too_long_is_given_up_and_stopped(
    environ: dict[str, str], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        research_workflow,
        "_TIER_TIMEOUT_SECONDS",
        dict.fromkeys(research_workflow._TIER_TIMEOUT_SECONDS, 0.5),
    )
    bench(world).polls = 10_000

    async def main() -> dict[str, Any]:
        async with connected("memory", deep(environ, **KEYS)) as client:
            return await results_of(client, providers=["openai", "local"])

    results = asyncio.run(main())

    assert set(results["providerReports"]) == {"local"}
    assert [run.cancelled for run in bench(world).runs.values()] == [True]
    assert results["claims"]


def test_when_everything_fails_the_job_says_so(environ: dict[str, str], world: World) -> None:
    for name in ("grok", "duckduckgo", "wikipedia", "hackernews"):
        world.fail(name, Fault(status=500), times=ALWAYS)

    async def main() -> tuple[Any, ...]:
        async with connected("memory", deep(environ, XAI_API_KEY="xai-test")) as client:
            begun = await ask(client, "research", query=QUESTION, providers=["grok"])
            status = await ended(client, begun["jobId"])
            return status, await refusal(client, "get_results", jobId=begun["jobId"])

    status, told = asyncio.run(main())

    assert status["status"] == "failed"
    assert "grok" in status["error"]["message"]
    assert (told["error"], told["status"]) == ("JOB_NOT_COMPLETE", "failed")


def test_a_report_without_citations_is_shown_as_unchecked(
    environ: dict[str, str], world: World
) -> None:
    said = "Lithium-ion batteries lose capacity with every cycle."
    world.fail("grok", Fault(status=200, body=report((said, ""))))

    results = researched_by_grok(environ)

    assert said in results["providerReports"]["grok"]
    assert said in results["synthesis"]
    assert any("cites nothing" in note for note in results["notes"])
    assert results["claims"] == []


def test_citations_to_private_addresses_are_refused_and_flagged(
    environ: dict[str, str], world: World
) -> None:
    private = [
        "http://10.1.2.3/metrics",
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost:1/admin",
        "http://[::1]/admin",
    ]
    said = [
        (f"The {n} cell was seen to age by {n} percent.", url) for n, url in enumerate(private, 21)
    ]
    world.fail("grok", Fault(status=200, body=report(*said)))

    results = researched_by_grok(environ)

    states = {source["url"]: source["state"] for source in results["sourceRegistry"]}
    assert len(states) == len(private)
    assert set(states.values()) == {"refused"}
    assert len(results["claims"]) == len(private)
    for claim in results["claims"]:
        assert "unreachable" in claim["flags"]
        assert claim["confidenceLevel"] == "low"


def test_five_hundred_citations_are_all_accounted_for(
    environ: dict[str, str], world: World
) -> None:
    pages = [page for page in world.pages if page.host == "batteries.example.org"]
    said = [
        (
            f"Cell number {n} of the series lost {n} percent of its capacity.",
            f"{pages[n % len(pages)].url}?n={n}",
        )
        for n in range(500)
    ]
    world.fail("grok", Fault(status=200, body=report(*said)))

    results = researched_by_grok(environ, CITEWELL_LINK_THRESHOLD="100000000")

    assert len(results["sourceRegistry"]) == 500
    assert all(source["state"] == "read" for source in results["sourceRegistry"])
    assert results["claims"]


def test_a_page_that_vanished_is_told_from_one_that_never_was(
    environ: dict[str, str], world: World
) -> None:
    gone = world.address("batteries.example.org", "lithium-ion-ageing")
    never = world.address("lost.example.org", "no-such-page")
    said = "Lithium-ion batteries lose capacity in two ways, by calendar and by cycle."
    world.fail("grok", Fault(status=200, body=report((said, gone), (f"In 2020 {said}", never))))
    world.fail("/site/batteries.example.org/lithium-ion-ageing", Fault(status=503), times=ALWAYS)

    results = researched_by_grok(environ)

    states = {source["url"]: source["state"] for source in results["sourceRegistry"]}
    assert states == {gone: "unreachable", never: "probably_never_existed"}


def test_a_synthesis_that_is_a_web_page_is_not_taken(environ: dict[str, str], world: World) -> None:
    env = deep(environ, **KEYS, CITEWELL_RESEARCH_WRITER="grok")
    page = Written(text="<!doctype html><html><body>[src_1]</body></html>", marks=())
    world.fail("grok", Fault(status=200, body=answer("grok", "r", page, GROK)))

    async def main() -> dict[str, Any]:
        async with connected("memory", env) as client:
            return await results_of(client, providers=["local"], budgetTier="S")

    results = asyncio.run(main())

    assert results["synthesisBy"] == "extractive"
    assert "<html" not in results["synthesis"]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_finished_job_is_exported_in_every_form(transport: Any, environ: dict[str, str]) -> None:
    async def main() -> tuple[Any, ...]:
        env = deep(environ, CITEWELL_LINK_THRESHOLD="100000000")
        async with connected(transport, env) as client:
            job = (await researched(client, budgetTier="XXS"))["jobId"]
            return job, {
                form: await ask(client, "research_export", jobId=job, format=form)
                for form in ("markdown", "html", "json", "bibtex")
            }

    job, told = asyncio.run(main())

    for form, answered in told.items():
        assert (answered["jobId"], answered["format"]) == (job, form)
        assert (answered["researchGoal"], answered["tenantId"]) == (QUESTION, "default")
        assert answered["sourceCount"] >= 1
    documents = {form: answered["document"] for form, answered in told.items()}
    assert documents["json"]["jobId"] == job
    assert documents["json"]["claims"]
    assert documents["markdown"] == documents["json"]["synthesis"]
    assert documents["html"].lower().startswith("<!doctype html>")
    assert documents["bibtex"].startswith("@")


@pytest.mark.parametrize("given", [{}, {"jobId": "a", "sessionId": "b"}])
def test_an_export_of_nothing_or_of_two_things_is_refused(
    given: Any, environ: dict[str, str]
) -> None:
    async def main() -> dict[str, Any]:
        async with connected("memory", deep(environ)) as client:
            return await refusal(client, "research_export", **given)

    assert asyncio.run(main())["error"]["kind"] == "validation"


@requires("research_status.wait")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_waiting_answers_when_something_changes_and_says_how_it_goes(
    transport: Any, environ: dict[str, str], world: World
) -> None:
    heard: list[str | None] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async def main() -> list[Any]:
        async with connected(transport, deep(environ)) as client:
            begun = await ask(client, "research", query=QUESTION, budgetTier="S")
            seen: list[Any] = []
            async with asyncio.timeout(PATIENCE):
                while not seen or seen[-1]["status"] not in {"completed", "failed"}:
                    result = await client.call_tool(
                        "research_status",
                        {"jobId": begun["jobId"], "wait_seconds": 50},
                        progress_callback=listen,
                    )
                    seen.append(result.structured_content)
            return seen

    seen = asyncio.run(main())

    assert seen[-1]["status"] == "completed"
    assert any("Pages read: " in (message or "") for message in heard)
    # Small news is progress; an answer means that the job or a provider came further.
    stands = [(one["status"], one["progress"]["local"]["status"]) for one in seen]
    assert len(stands) == len(set(stands)) <= 6


def test_a_search_that_failed_is_told_in_the_report(environ: dict[str, str], world: World) -> None:
    world.fail("openalex", Fault(status=500), times=ALWAYS)

    async def main() -> dict[str, Any]:
        async with connected("memory", deep(environ)) as client:
            return await results_of(client, providers=["local"], budgetTier="XS")

    results = asyncio.run(main())

    assert results["claims"]
    assert any(
        note.startswith("literature search could not be searched") for note in results["notes"]
    )


def test_a_wait_beyond_what_a_client_would_endure_is_refused(environ: dict[str, str]) -> None:
    async def main() -> dict[str, Any]:
        async with connected("memory", deep(environ)) as client:
            return await refusal(client, "research_status", jobId="x", wait_seconds=51)

    assert asyncio.run(main())["error"]["kind"] == "validation"
