"""An assistant asks a question and gets an answer whose citations were checked, over a real server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.server.app import App
from tests.conditions import until
from tests.e2e.clients import body, connected
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet.faults import ALWAYS, Fault
from tests.internet.researchers import SCRIPT, UNSUPPORTED, Mark, Written, bench
from tests.internet.world import World
from tests.requirements import requires

QUESTION = "How do heat pumps work in winter?"
KEYS = {
    "exa": {"EXA_API_KEY": "k"},
    "tavily": {"TAVILY_API_KEY": "k"},
    "brave": {"BRAVE_API_KEY": "k"},
    "gemini": {"GEMINI_API_KEY": "k"},
    "perplexity": {"PERPLEXITY_API_KEY": "k"},
    "openai": {"OPENAI_API_KEY": "k"},
}
COSTS = {"exa": 0.005, "tavily": 0.008, "brave": 0.0115, "perplexity": 0.0755}


def balance(environ: Environ) -> tuple[int, int]:
    """What was settled and what is reserved, in cents rounded up."""

    async def look() -> tuple[int, int]:
        app = App(config.load_settings(environ))
        try:
            held = await app.open_state().ledger.load_balance(str(Owner()))
            return held.settled_cents, held.reserved_cents
        finally:
            await app.aclose()

    return asyncio.run(look())


@requires("answer.query", "answer.answer", "answer.citation", "answer.local")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_without_a_key_our_own_engine_answers_with_quotations(
    transport: str, environ: Environ, world: World
) -> None:
    result = call(environ, "answer", {"query": QUESTION}, transport)

    answer = body(result)
    cited = answer["citations"][0]
    page = world.page("energy.example.org", "heat-pumps")
    assert page is not None
    assert answer["provider"] == "local"
    assert "costUsd" not in answer
    assert "Air-source models keep working well below freezing" in answer["answer"]
    assert answer["answer"].rstrip().endswith("]")
    assert (cited["url"], cited["title"], cited["publishedDate"]) == (
        page.url,
        "How a heat pump heats a house",
        "2024-10-08",
    )
    assert (cited["checked"], cited["relation"], cited["score"]) == (True, "supports", 1.0)
    assert cited["snippet"] in " ".join(page.text.split())
    assert "No model wrote this answer" in answer["notes"][0]
    assert answer["trust"] == "untrusted-external-content"
    assert result.meta["routing"]["provider_used"] == "local"


@requires("answer.provider", "answer.answer")
@pytest.mark.parametrize("name", KEYS)
def test_the_only_configured_provider_answers_and_every_citation_is_checked(
    name: str, environ: Environ
) -> None:
    answer = body(call(environ | KEYS[name], "answer", {"query": QUESTION}))

    assert answer["provider"] == name
    assert answer["costUsd"] == COSTS.get(name, answer["costUsd"])
    assert answer["citations"][0]["checked"]
    # The double of one provider cites a source for the question itself, which no source says.
    stated = [cited for cited in answer["citations"] if cited.get("relation") == "supports"]
    assert stated
    assert all(cited["snippet"] for cited in stated)
    assert "[1]" in answer["answer"]
    assert all(cited["checked"] or cited["reason"] for cited in answer["citations"])


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_paid_answer_comes_over_every_transport(
    transport: str, environ: Environ, world: World
) -> None:
    answer = body(call(environ | KEYS["exa"], "answer", {"query": QUESTION}, transport))

    assert (answer["provider"], answer["costUsd"]) == ("exa", 0.005)
    assert balance(environ) == (1, 0)
    assert sum(bench(world).charged.values()) == 1


@requires("answer.checked")
@pytest.mark.parametrize("name", ["exa", "brave", "gemini", "perplexity"])
def test_what_its_page_does_not_say_and_a_page_that_is_not_there_are_named(
    name: str, environ: Environ
) -> None:
    answer = body(call(environ | KEYS[name], "answer", {"query": QUESTION}))

    first, *_, lost = answer["citations"]
    assert first["unsupported"] == [UNSUPPORTED]
    assert (lost["checked"], "relation" in lost) == (False, False)
    assert "404" in lost["reason"]
    assert any("no cited page that could be read supports" in note for note in answer["notes"])


def test_a_provider_without_marks_gets_ours_where_a_page_supports_the_sentence(
    environ: Environ,
) -> None:
    answer = body(call(environ | KEYS["tavily"], "answer", {"query": QUESTION}))

    assert "underfloor heating. [1]" in answer["answer"]
    assert "the marks are ours" in answer["notes"][0]


def test_a_model_server_answers_from_our_own_search_and_costs_nothing(environ: Environ) -> None:
    server = {"CITEWELL_MODEL_SERVER": environ["CITEWELL_COMPATIBLE_BASE_URL"]}

    answer = body(call(environ | server, "answer", {"query": QUESTION}))

    assert answer["provider"] == "compatible"
    assert "costUsd" not in answer
    assert {cited["relation"] for cited in answer["citations"]} == {"supports"}
    assert "[99]" not in answer["answer"]


@pytest.mark.parametrize("name", ["anthropic", "grok", "openrouter"])
def test_every_configured_model_answers_from_our_own_search(
    name: str, environ: Environ, world: World
) -> None:
    setting = {"grok": "XAI_API_KEY"}.get(name, f"{name.upper()}_API_KEY")

    answer = body(call(environ | {setting: "k"}, "answer", {"query": QUESTION}))

    assert answer["provider"] == name
    assert answer["costUsd"] > 0
    assert sum(bench(world).charged.values()) == 1


@requires("answer.provider")
def test_several_configured_providers_want_a_name(environ: Environ, world: World) -> None:
    both = environ | KEYS["exa"] | KEYS["tavily"]

    refused = call(both, "answer", {"query": QUESTION})
    named = call(both, "answer", {"query": QUESTION, "provider": "Local"})
    preset = call(both | {"CITEWELL_ANSWER_PROVIDER": "tavily"}, "answer", {"query": QUESTION})

    assert error_of(refused)["kind"] == "validation"
    assert error_of(refused)["alternatives"] == ["exa", "tavily", "local"]
    assert "exa, tavily" in refused.content[0].text
    assert (body(named)["provider"], body(preset)["provider"]) == ("local", "tavily")
    assert not [name for name, _ in bench(world).charged if name == "exa"]


@requires("provider.tool_names")
def test_an_unknown_provider_is_refused_with_those_that_answer(environ: Environ) -> None:
    unknown = call(environ, "answer", {"query": QUESTION, "provider": "crossref"})
    missing = call(environ, "answer", {"query": QUESTION, "provider": "exa"})

    assert "Supported: anthropic, brave, compatible, exa" in unknown.content[0].text
    assert "crossref," not in unknown.content[0].text.partition("Supported")[2]
    assert error_of(missing)["kind"] == "config"
    assert "EXA_API_KEY" in missing.content[0].text


@requires("answer.cache")
def test_an_answer_is_paid_for_once_an_hour(environ: Environ, world: World) -> None:
    keyed = environ | KEYS["exa"]

    first = body(call(keyed, "answer", {"query": QUESTION}))
    again = call(keyed, "answer", {"query": QUESTION})

    assert body(again) == first
    assert again.meta["cached"]
    assert sum(bench(world).charged.values()) == 1


@requires("answer.cost")
def test_the_audit_log_has_the_provider_and_the_cost(environ: Environ, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"

    call(environ | KEYS["exa"] | {"AUDIT_OUTPUT_PATH": str(log)}, "answer", {"query": QUESTION})

    [line] = [json.loads(one) for one in log.read_text(encoding="utf-8").splitlines()]
    assert (line["metadata"]["provider"], line["metadata"]["cost_usd"]) == ("exa", 0.005)


def test_the_cost_is_in_the_ledger_and_a_spent_budget_stops_the_next_call(
    environ: Environ, world: World
) -> None:
    poor = environ | KEYS["exa"] | {"CITEWELL_RESEARCH_BUDGET_CENTS": "1"}

    first = call(poor, "answer", {"query": QUESTION})
    second = call(poor, "answer", {"query": "How many hearts does an octopus have?"})

    assert not first.is_error
    assert balance(poor) == (1, 0)
    assert "INSUFFICIENT_BALANCE" in second.content[0].text
    assert sum(bench(world).charged.values()) == 1


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_a_provider_that_misbehaves_is_an_error_and_never_an_answer(
    kind: str, environ: Environ, world: World
) -> None:
    world.fail("exa", MISBEHAVIOUR[kind], times=ALWAYS)

    result = call(environ | KEYS["exa"], "answer", {"query": QUESTION})

    assert error_of(result)["provider"] == "exa"
    assert world.calls["exa"] == 1  # it is never sent again


@requires("answer.money")
@pytest.mark.parametrize(
    ("fault", "kind", "cents"),
    [
        (Fault(status=402, body={"error": "No credits"}), "auth_required", 0),
        (Fault(status=429, headers={"retry-after": "9"}, body={}), "rate_limited", 0),
        (Fault(status=503, body="later"), "upstream_unavailable", 0),
        (Fault(status=500, body="oops"), "upstream_unavailable", 1),
        (Fault(cut=10), "upstream_unavailable", 1),
        (Fault(status=200, body="<html>Sorry</html>"), "upstream_unavailable", 1),
        (Fault(status=200, body=b"x" * 20_000_000), "upstream_unavailable", 1),
    ],
)
def test_only_a_call_that_may_have_been_charged_counts_as_spent(
    fault: Fault, kind: str, cents: int, environ: Environ, world: World
) -> None:
    world.fail("exa", fault)

    result = call(environ | KEYS["exa"], "answer", {"query": QUESTION})

    assert error_of(result)["kind"] == kind
    assert balance(environ) == (cents, 0)
    assert ("citewell jobs reconcile" in result.content[0].text) == bool(cents)


def test_citations_that_are_nonsense_are_dropped_or_not_opened(
    environ: Environ, world: World
) -> None:
    good = world.search(QUESTION, count=1)[0]
    sentence = good.snippet(QUESTION).rpartition(". ")[0] + "."
    marks = [
        Mark(url=url, title="<img src=x onerror=alert(1)>T", start=len(sentence), end=len(sentence))
        for url in (
            "javascript:alert(1)", "file:///etc/passwd", "http://169.254.169.254/latest/meta-data",
            "https://", good.url,
        )
    ]  # fmt: skip
    world.state[SCRIPT] = Written(text=sentence, marks=tuple(marks))

    answer = body(call(environ | KEYS["exa"], "answer", {"query": QUESTION}))

    by_url = {cited["url"]: cited for cited in answer["citations"]}
    assert set(by_url) == {"http://169.254.169.254/latest/meta-data", good.url}
    assert by_url["http://169.254.169.254/latest/meta-data"]["checked"] is False
    assert by_url[good.url]["relation"] == "supports"
    assert "onerror" not in json.dumps(answer)


def test_a_question_that_no_page_answers_says_so_and_cites_nothing(environ: Environ) -> None:
    answer = body(call(environ, "answer", {"query": "Who discovered penicillin?"}))

    assert answer["citations"] == []
    assert "No page was found that answers this question" in answer["answer"]


def test_a_web_search_that_fails_is_an_error_and_not_an_empty_answer(
    environ: Environ, world: World
) -> None:
    for name in ("duckduckgo", "tavily", "wikipedia", "hackernews", "searxng"):
        world.fail(name, Fault(status=500, body="oops"), times=ALWAYS)

    result = call(environ, "answer", {"query": QUESTION})

    assert result.is_error


def test_the_cited_pages_go_into_the_session(environ: Environ) -> None:
    begun = {"searchStep": "Look.", "stepNumber": 1, "nextStepNeeded": True}

    async def talk() -> Any:
        offered = environ | {"CITEWELL_TOOLSETS": "domains,sessions,core"}
        async with connected("memory", offered) as client:
            session = body(await client.call_tool("sequential_search", begun))["sessionId"]
            asked = {"query": QUESTION, "sessionId": session}
            answer = body(await client.call_tool("answer", asked))
            kept = body(await client.call_tool("get_research_session", {"sessionId": session}))
            return answer, kept

    answer, kept = asyncio.run(talk())

    assert answer["citations"][0]["url"] in json.dumps(kept)


def test_progress_is_reported_while_pages_are_read(environ: Environ) -> None:
    told: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async def talk() -> Any:
        offered = environ | KEYS["exa"] | {"CITEWELL_TOOLSETS": "domains"}
        async with connected("memory", offered) as client:
            return await client.call_tool("answer", {"query": QUESTION}, progress_callback=note)

    asyncio.run(talk())

    assert "asking Exa" in told
    assert "reading the pages" in told


def test_a_call_of_a_killed_process_is_on_record(environ: Environ, world: World) -> None:
    world.fail("exa", Fault(delay=60.0), times=ALWAYS)
    keyed = environ | KEYS["exa"]

    async def die() -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "citewell", "answer", QUESTION, env=keyed,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        await until(lambda: bool(world.calls["exa"]))
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()

    async def look() -> Any:
        app = App(config.load_settings(keyed))
        try:
            jobs = app.open_state().jobs
            [view] = await jobs.list_owner_jobs(str(Owner()))
            return await jobs.require_job_view(str(Owner()), view.job.id)
        finally:
            await app.aclose()

    asyncio.run(die())
    view = asyncio.run(look())

    [step] = view.steps
    assert (step.key, step.state, step.estimate) == ("report:exa", "intent", 50_000_000)
    assert balance(keyed) == (0, 1)
