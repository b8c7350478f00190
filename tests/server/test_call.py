"""The steps around a tool."""

from __future__ import annotations

import asyncio
import json
import logging
from itertools import pairwise
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.core.errors import Blocked, InvalidInput, NetworkFailed, RateLimited
from citewell.core.tooling import MainBody, Owner, ToolCall
from citewell.server.call import ProgressHeartbeat, run_tool
from citewell.server.call_answers import (
    AnswerCache,
    AnswerSize,
    build_call_key,
    describe_freshness,
)
from citewell.server.call_records import AuditTrail, CallMetrics
from citewell.server.call_values import ToolInvocation, ToolOutcome
from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache.artifact_store import ArtifactInfo, ArtifactStore
from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.store.failures import StoreError
from tests.jumping_time import run_in_jumping_time
from tests.requirements import requires
from tests.server import steps

SECRET = "sk-" + "a1b2c3d4" * 4


def failing(error: Exception) -> Any:
    async def run(args: steps.Args, call: object) -> steps.Result:
        raise error

    return run


def store() -> CacheStore:
    return open_cache_store(Settings(cache_max_disk_mb=0))


async def fit_outcome(artifacts: Any, step: ToolInvocation, *, limit: int) -> ToolOutcome:
    size = AnswerSize(artifacts, threshold=limit, limit=limit)
    return await size.fit_outcome(step, await run_tool(step))


@requires("error.form", "error.provider")
def test_an_error_is_a_sentence_a_blank_line_and_a_block() -> None:
    error = RateLimited(
        "Rate limited (google). Wait.", provider="google", retry_after=42, alternatives=["brave"]
    )

    outcome = steps.run(steps.invocation(run=failing(error)))

    sentence, _, block = (outcome.text or "").partition("\n\n")
    assert outcome.is_error
    assert sentence == "Rate limited (google). Wait."
    assert json.loads(block) == {
        "error": {
            "kind": "rate_limited",
            "retryable": True,
            "retryAfterSeconds": 42,
            "suggestedAction": "retry_after_delay",
            "provider": "google",
            "alternatives": ["brave"],
        }
    }


@requires("error.own_fault")
def test_a_fault_of_ours_is_logged_whole_and_shown_short(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        outcome = steps.run(steps.invocation(run=failing(KeyError("secret detail"))))

    assert outcome.is_error
    assert "secret detail" not in (outcome.text or "")
    assert "report_bug" in (outcome.text or "")
    assert "secret detail" in caplog.text


@requires("audit.secrets", "error.secrets")
def test_no_secret_leaves_in_an_error() -> None:
    outcome = steps.run(steps.invocation(run=failing(Blocked(f"It said {SECRET}.", detail=SECRET))))

    assert SECRET not in (outcome.text or "")


@requires("limit.tool")
def test_a_call_that_takes_too_long_is_ended_with_advice() -> None:
    async def forever(args: steps.Args, call: object) -> steps.Result:
        await asyncio.Event().wait()
        raise AssertionError

    outcome = steps.run(steps.invocation(run=forever), steps.build_runner(tool_timeout=0.01))

    assert "did not finish within" in (outcome.text or "")
    assert outcome.meta["errorKind"] == NetworkFailed.kind


@requires("limit.heartbeat")
def test_long_work_shows_signs_of_life() -> None:
    heard: list[tuple[float, str | None]] = []
    enough = asyncio.Event()

    async def listen(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, message))
        if len(heard) >= 3:
            enough.set()

    async def wait_for_messages() -> None:
        call = steps.invocation().call
        call.send_progress = listen
        heartbeat = ProgressHeartbeat(call, every=0.001)
        await enough.wait()
        heartbeat.stop_heartbeat()

    asyncio.run(wait_for_messages())

    numbers = [number for number, _ in heard]
    assert numbers == sorted(set(numbers))
    assert all(message and "still working" in message for _, message in heard)


def test_reports_that_count_nothing_new_still_grow() -> None:
    heard: list[float] = []

    async def listen(number: float, _total: float | None, _message: str | None) -> None:
        heard.append(number)

    async def report(call: ToolCall) -> None:
        for done in (0, 0, 1, 0.5, 2):
            await call.report_progress(done, 2)

    step = steps.invocation()
    step.call.send_progress = listen
    asyncio.run(report(step.call))

    assert heard == sorted(set(heard))
    assert (heard[0], heard[-1]) == (0, 2)


@requires("limit.heartbeat")
def test_a_silent_tool_is_reported_on_at_least_every_five_seconds() -> None:
    times: list[float] = []

    async def run() -> None:
        clock = asyncio.get_running_loop().time

        async def listen(done: float, total: float | None, message: str | None) -> None:
            times.append(clock())

        async def silent(args: steps.Args, call: object) -> steps.Result:
            await asyncio.sleep(90)
            return steps.Result(text="done")

        step = steps.invocation(run=silent)
        step.call.send_progress = listen
        times.append(clock())
        await steps.build_runner(tool_timeout=100).run_call(step)
        times.append(clock())

    run_in_jumping_time(run())

    assert times[-1] - times[0] == 90
    assert max(later - earlier for earlier, later in pairwise(times)) < 5


@requires("freshness.fields")
def test_an_answer_is_kept_and_tells_its_age() -> None:
    async def twice() -> tuple[ToolOutcome, ToolOutcome]:
        kept = store()
        cache = AnswerCache(kept.loader)
        first = await cache.load_answer(
            steps.invocation(ttl_seconds=100.0, shows_freshness=True), run_tool
        )
        return first, await cache.load_answer(
            steps.invocation(ttl_seconds=100.0, shows_freshness=True), run_tool
        )

    first, second = asyncio.run(twice())

    assert first.meta == {
        "cached": False,
        "ageSeconds": 0,
        "maxAgeSeconds": 100,
        "freshness": "fresh",
    }
    assert second.meta["cached"] is True
    assert first.body == second.body == {"text": "hello", "trust": "untrusted-external-content"}


@requires("cache.empty", "defect.empty_answers")
def test_an_empty_answer_is_kept_for_a_minute_at_most() -> None:
    step = steps.invocation(
        ttl_seconds=1800.0, shows_freshness=True, is_empty_result=lambda result: True
    )

    outcome = asyncio.run(AnswerCache(store().loader).load_answer(step, run_tool))

    assert outcome.meta["maxAgeSeconds"] == 60


@requires("cache.empty")
def test_an_empty_answer_of_a_tool_that_keeps_none_is_made_again() -> None:
    async def twice() -> ToolOutcome:
        cache = AnswerCache(store().loader)
        step: dict[str, Any] = {
            "ttl_seconds": 1800.0,
            "is_empty_result": lambda _: True,
            "empty_ttl_seconds": 0.0,
        }
        await cache.load_answer(steps.invocation(**step), run_tool)
        return await cache.load_answer(steps.invocation(**step), run_tool)

    assert "cached" not in asyncio.run(twice()).meta


@requires("cache.errors")
def test_an_error_is_never_kept() -> None:
    async def twice() -> ToolOutcome:
        runner = steps.build_runner()
        await runner.run_call(steps.invocation(ttl_seconds=100.0, run=failing(Blocked("no"))))
        return await runner.run_call(steps.invocation(ttl_seconds=100.0))

    assert asyncio.run(twice()).body == {"text": "hello", "trust": "untrusted-external-content"}


@requires("tenant.cache")
def test_tenants_share_answers_only_when_the_setting_says_so() -> None:
    async def second_tenant(sharing: AnswerSharing) -> ToolOutcome:
        cache = AnswerCache(store().loader, sharing=sharing)
        await cache.load_answer(
            steps.invocation(owner=Owner(tenant="a"), ttl_seconds=100.0), run_tool
        )
        return await cache.load_answer(
            steps.invocation(owner=Owner(tenant="b"), ttl_seconds=100.0), run_tool
        )

    assert asyncio.run(second_tenant(AnswerSharing())).meta["cached"] is True
    assert "cached" not in asyncio.run(second_tenant(AnswerSharing(is_split_by_tenant=True))).meta


@requires("cache.coalesced", "defect.cancelled_caller")
def test_identical_calls_in_flight_share_one_run_and_one_cancelled_caller_harms_nobody() -> None:
    runs = 0
    go = asyncio.Event()

    async def slow(args: steps.Args, call: object) -> steps.Result:
        nonlocal runs
        runs += 1
        await go.wait()
        return steps.Result(text="shared")

    async def scene() -> list[Any]:
        cache = AnswerCache(store().loader)
        callers = [
            asyncio.create_task(
                cache.load_answer(steps.invocation(ttl_seconds=9.0, run=slow), run_tool)
            )
            for _ in range(3)
        ]
        while not runs:  # noqa: ASYNC110 - the run tells nobody
            await asyncio.sleep(0)
        callers[0].cancel()
        await asyncio.sleep(0)
        go.set()
        return await asyncio.gather(*callers, return_exceptions=True)

    first, *others = asyncio.run(scene())

    assert runs == 1
    assert isinstance(first, asyncio.CancelledError)
    assert [outcome.body["text"] for outcome in others] == ["shared", "shared"]


@requires("freshness.words")
@pytest.mark.parametrize(
    ("age", "label"), [(0, "fresh"), (49, "fresh"), (50, "aging"), (79, "aging"), (80, "expiring")]
)
def test_freshness_is_told_in_a_word(age: float, label: str) -> None:
    assert describe_freshness(age=age, ttl=100, cached=True)["freshness"] == label


@requires("cache.version", "cache.key")
def test_the_session_is_no_part_of_the_key() -> None:
    assert build_call_key(steps.invocation({"sessionId": "a"})) == build_call_key(
        steps.invocation({"sessionId": "b"})
    )
    assert build_call_key(steps.invocation({"times": 1})) != build_call_key(
        steps.invocation({"times": 2})
    )
    assert build_call_key(steps.invocation(cache_version=1)) != build_call_key(
        steps.invocation(cache_version=2)
    )


def test_a_large_result_is_linked_and_keeps_its_beginning() -> None:
    async def scene() -> tuple[ToolOutcome, bytes]:
        kept = store()
        step = steps.invocation({"query": "Some words. ", "times": 4000}, owner=Owner(user="me"))
        outcome = await fit_outcome(kept.artifacts, step, limit=10_000)
        artifact = (outcome.body or {})["resource"].rpartition("/")[2]
        return outcome, (await kept.artifacts.load_artifact("default/me", artifact)).body

    outcome, whole = asyncio.run(scene())

    body = outcome.body or {}
    assert body["linked"] is True
    assert body["trust"] == "untrusted-external-content"
    assert body["bytes"] == len(whole) == outcome.links[0].size
    assert json.loads(whole) == {"text": "Some words. " * 4000, "trust": body["trust"]}
    assert 8000 < len(body["text"]) < 10_000
    assert ("Some words. " * 4000).startswith(body["text"])
    assert body["text"].endswith("words. ")
    assert body["cut"] == [
        {"path": "/text", "unit": "characters", "kept": len(body["text"]), "total": 48_000}
    ]
    assert not {"firstPage", "nextOffset"} & set(body)


def test_a_main_text_is_stored_by_itself() -> None:
    async def scene() -> tuple[ToolOutcome, Any]:
        kept = store()
        main = MainBody(key="text", find_media_type=lambda body: "text/markdown")
        step = steps.invocation({"query": "word ", "times": 4000}, main_body=main)
        outcome = await fit_outcome(kept.artifacts, step, limit=10_000)
        artifact = (outcome.body or {})["resource"].rpartition("/")[2]
        return outcome, await kept.artifacts.load_artifact("default/anonymous", artifact)

    outcome, stored = asyncio.run(scene())

    assert stored.body.decode() == "word " * 4000
    assert (outcome.body or {})["mimeType"] == stored.artifact.media_type == "text/markdown"


def test_a_summary_of_the_tools_own_stays_beside_that_of_the_link() -> None:
    class Summarized(steps.Result):
        summary: str = "mine"

    async def run(args: steps.Args, call: object) -> Summarized:
        return Summarized(text=args.query * args.times)

    step = steps.invocation({"query": "word ", "times": 4000}, run=run, result=Summarized)

    outcome = asyncio.run(fit_outcome(store().artifacts, step, limit=10_000))

    body = outcome.body or {}
    assert body["summary"] == "mine"
    assert "repeat returned 20,0" in body["linkSummary"]


def test_a_call_that_bounds_its_own_size_is_left_whole() -> None:
    step = steps.invocation({"query": "word ", "times": 4000}, bounds_own_size=lambda args: True)

    outcome = asyncio.run(fit_outcome(store().artifacts, step, limit=10_000))

    assert outcome.links == ()
    assert (outcome.body or {})["text"] == "word " * 4000


@requires("artifact.inline")
def test_a_small_result_and_an_inline_tool_are_left_whole() -> None:
    small = asyncio.run(fit_outcome(store().artifacts, steps.invocation(), limit=10_000))
    inline = asyncio.run(
        fit_outcome(store().artifacts, steps.invocation(is_always_inline=True), limit=1)
    )

    assert small.links == inline.links == ()
    assert json.loads(small.text or "") == small.body


@requires("artifact.no_store")
def test_without_room_for_artifacts_the_answer_comes_whole() -> None:
    class Full(ArtifactStore):
        def __init__(self) -> None: ...

        async def store_artifact(self, owner: str, body: bytes, mime: str) -> ArtifactInfo:
            raise StoreError("full")

    outcome = asyncio.run(fit_outcome(Full(), steps.invocation(), limit=1))

    assert (outcome.body or {})["text"] == "hello"


@requires("audit.query", "audit.fields", "audit.secrets")
def test_an_audit_line_holds_no_query_unless_asked() -> None:
    lines: list[str] = []
    step = steps.invocation({"query": "my private question"})

    steps.run(step, steps.build_runner(audit=AuditTrail(lines.append)))
    steps.run(
        steps.invocation({"query": f"key {SECRET}"}),
        steps.build_runner(audit=AuditTrail(lines.append, include_query=True)),
    )

    quiet, open_ = map(json.loads, lines)
    assert "private" not in lines[0]
    assert quiet["metadata"] == {"query_length": 19}
    assert quiet["tool_name"] == "repeat"
    assert quiet["success"] is True
    assert open_["metadata"]["query"] == "key ***"


@requires("audit.fields")
def test_an_audit_line_names_the_kind_of_failure() -> None:
    lines: list[str] = []

    steps.run(
        steps.invocation(run=failing(InvalidInput("no"))),
        steps.build_runner(audit=AuditTrail(lines.append)),
    )

    line = json.loads(lines[0])
    assert (line["success"], line["error_code"]) == (False, "validation")


@requires("resource.errors")
def test_recent_errors_are_newest_first_and_each_owners_own() -> None:
    runner = steps.build_runner()
    mine, yours = Owner(user="me"), Owner(user="you")
    for owner, words in [(mine, "first"), (yours, "other"), (mine, "second")]:
        steps.run(steps.invocation(owner=owner, run=failing(Blocked(words))), runner)

    assert [entry["message"] for entry in runner.recent.list_owner_errors(mine)] == [
        "second",
        "first",
    ]
    assert [entry["message"] for entry in runner.recent.list_owner_errors(yours)] == ["other"]


def test_metrics_count_calls_errors_and_time() -> None:
    metrics = CallMetrics()
    failed = steps.run(steps.invocation(run=failing(Blocked("no"))))

    metrics.count_call(steps.invocation(), ToolOutcome(), 0.2)
    metrics.count_call(steps.invocation(), failed, 3.0)

    assert metrics.tools["repeat"].to_wire() == {
        "calls": 2, "errors": 1, "errorRate": 0.5, "cacheHits": 0, "averageMs": 1600.0, "slowestMs": 3000.0,
    }  # fmt: skip
    assert metrics.tools["repeat"].error_kinds == {"blocked": 1}


@requires("routing.absent", "routing.fields", "routing.fallback_reason")
def test_routing_appears_only_when_something_was_routed() -> None:
    async def routed(args: steps.Args, call: Any) -> steps.Result:
        call.trace.record_attempt("brave")
        call.trace.record_skip("brave", reason="circuit_open")
        call.trace.record_attempt("searxng")
        call.trace.record_success("searxng")
        return steps.Result(text="x")

    plain = steps.run(steps.invocation())
    outcome = steps.run(steps.invocation(run=routed))

    assert "routing" not in plain.meta
    assert outcome.meta["routing"] | {"latency_ms": 0} == {
        "provider_used": "searxng",
        "providers_attempted": ["brave", "searxng"],
        "fallback": True,
        "fallback_reason": "circuit_open",
        "cache_hit": False,
        "latency_ms": 0,
    }


def test_a_cancelled_call_is_counted_and_audited() -> None:
    lines: list[str] = []
    runner = steps.build_runner(audit=AuditTrail(lines.append))
    begun = asyncio.Event()

    async def forever(args: steps.Args, call: object) -> steps.Result:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def scenario() -> None:
        task = asyncio.create_task(runner.run_call(steps.invocation(run=forever)))
        await begun.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scenario())

    assert runner.metrics.tools["repeat"].error_kinds == {"cancelled": 1}
    assert json.loads(lines[0])["error_code"] == "cancelled"
