"""An assistant checks claims with the judge that the settings choose, over a real server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.server.app import App
from tests.e2e import private_documents as private
from tests.e2e.clients import body
from tests.e2e.deep import QUESTION, deep
from tests.e2e.domains import MISBEHAVIOUR, call
from tests.e2e.test_trust import talk
from tests.encoders import build_tiny_judge
from tests.internet.faults import ALWAYS, Fault
from tests.internet.judgements import JUDGEMENT
from tests.internet.researchers import bench
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
CLAIM = "Sleep after learning helps memory"
SLEEPY = "sleep.example.org"


@pytest.fixture
def server(environ: Environ) -> Environ:
    """The settings of a model server on this machine that judges."""
    address = environ["CITEWELL_COMPATIBLE_BASE_URL"]
    return {
        "CITEWELL_JUDGE": "model",
        "CITEWELL_MODEL_SERVER": address,
        "CITEWELL_MODEL_NAME": "small-model",
    }


def check(environ: Environ, internet: Internet, claim: str = CLAIM) -> dict[str, Any]:
    url = internet.page(SLEEPY, "sleep-and-memory")
    [found] = talk(environ, ("verify_citation", {"citation": url, "claim": claim}))
    return dict(found)


@requires("judge.named")
def test_words_judge_without_any_setting_and_the_result_says_so(
    environ: Environ, internet: Internet, world: World
) -> None:
    found = check(environ, internet)

    assert found["claimJudge"] == "lexical"
    assert found["claimRelation"] in {"supports", "mentions"}
    assert found["claimQuote"]
    assert "claimJudgeNote" not in found
    assert not world.calls["compatible"]


@requires("judge.named")
def test_a_model_judges_with_the_words_of_the_page(
    environ: Environ, internet: Internet, world: World, server: Environ
) -> None:
    found = check(environ | server, internet)

    assert (found["claimJudge"], found["claimRelation"]) == ("model:compatible", "supports")
    assert found["claimSupport"] == "addressed"
    assert world.calls["compatible"]


@requires("judge.falls_back")
@pytest.mark.parametrize(
    "told",
    [
        "Yes, the page supports it fully.",
        "",
        '{"judgements": [{"claim": 1, "relation": "supports"',
        '{"judgements": [{"claim": 1, "relation": "supports", "quote": "Memory needs no sleep at all."}]}',
        '{"judgements": [{"claim": 1, "relation": "certainly", "quote": "Sleep"}]}',
    ],
    ids=["prose", "nothing", "half", "invented", "unknown relation"],
)
def test_a_model_that_answers_badly_changes_nothing_but_a_note(
    environ: Environ, internet: Internet, world: World, server: Environ, told: str
) -> None:
    plain = check(environ, internet)
    world.state[JUDGEMENT] = told

    found = check(environ | server, internet)

    assert found.pop("claimJudgeNote").startswith("Judged by words alone")
    assert found == plain


@requires("judge.falls_back")
@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_a_model_server_that_misbehaves_fails_no_check(
    environ: Environ, internet: Internet, world: World, server: Environ, kind: str
) -> None:
    world.fail("/compatible/chat/completions", MISBEHAVIOUR[kind], times=ALWAYS)

    found = check(environ | server, internet)

    assert found["claimJudge"] == "lexical"
    assert found["claimJudgeNote"]


@pytest.mark.parametrize("name", ["model", "openai", "no-such-provider", "nli"])
def test_a_judge_that_is_not_configured_fails_no_check(
    environ: Environ, internet: Internet, name: str
) -> None:
    found = check(environ | {"CITEWELL_JUDGE": name}, internet)

    assert found["claimJudge"] == "lexical"
    assert "CITEWELL_JUDGE" in found["claimJudgeNote"]


@requires("judge.paid")
def test_a_paid_model_judges_once_and_its_cost_is_in_the_ledger(
    environ: Environ, internet: Internet, world: World
) -> None:
    keyed = environ | {"CITEWELL_JUDGE": "openai", "OPENAI_API_KEY": "sk-test"}

    found = check(keyed, internet)

    assert (found["claimJudge"], found["claimRelation"]) == ("model:openai", "supports")
    assert sum(bench(world).charged.values()) == 1
    settled, reserved = asyncio.run(load_balance(keyed))
    assert settled > 0
    assert reserved == 0


@requires("judge.paid")
def test_the_claims_of_an_audit_are_judged_in_few_paid_calls(
    environ: Environ, internet: Internet, world: World
) -> None:
    keyed = environ | {"CITEWELL_JUDGE": "openai", "OPENAI_API_KEY": "sk-test"}
    url = internet.page(SLEEPY, "sleep-and-memory")
    entries = [
        {"url": url, "claim": f"{CLAIM} of kind {letter}"} for letter in "abcdefghijklmnopqrst"
    ]

    [report] = talk(keyed, ("audit_bibliography", {"entries": entries}))

    assert {one["claimJudge"] for one in report["entries"]} == {"model:openai"}
    assert sum(bench(world).charged.values()) == 3
    settled, reserved = asyncio.run(load_balance(keyed))
    assert (settled > 0, reserved) == (True, 0)


@requires("judge.falls_back")
@pytest.mark.parametrize("judge", ["openai", "compatible"])
def test_a_model_that_does_not_answer_in_time_is_given_up(
    environ: Environ, internet: Internet, world: World, server: Environ, judge: str
) -> None:
    path = {"openai": "openai", "compatible": "/compatible/chat/completions"}[judge]
    world.fail(path, Fault(delay=60.0, status=200, body="{}"), times=ALWAYS)
    slow = {"CITEWELL_JUDGE": judge, "CITEWELL_JUDGE_TIMEOUT": "1", "OPENAI_API_KEY": "sk-test"}

    found = check(environ | server | slow, internet)

    assert found["claimJudge"] == "lexical"
    assert found["claimJudgeNote"].startswith("Judged by words alone: ")


@requires("judge.paid")
def test_without_a_balance_nothing_is_sent_and_words_judge(
    environ: Environ, internet: Internet, world: World
) -> None:
    poor = environ | {
        "CITEWELL_JUDGE": "openai",
        "OPENAI_API_KEY": "sk-test",
        "CITEWELL_RESEARCH_BUDGET_CENTS": "0",
    }

    found = check(poor, internet)

    assert found["claimJudge"] == "lexical"
    assert not bench(world).charged


async def load_balance(environ: Environ) -> tuple[int, int]:
    app = App(config.load_settings(environ))
    try:
        held = await app.open_state().ledger.load_balance(str(Owner()))
        return held.settled_cents, held.reserved_cents
    finally:
        await app.aclose()


@requires("judge.contradiction")
def test_an_audit_flags_what_a_model_shows_to_be_contradicted_and_asks_it_once(
    environ: Environ, internet: Internet, world: World, server: Environ
) -> None:
    url = internet.page(SLEEPY, "sleep-and-memory")
    quote = check(environ, internet)["claimQuote"]
    rows = [
        {"claim": 1, "relation": "contradicts", "quote": quote},
        {"claim": 2, "relation": "supports", "quote": quote},
    ]
    world.state[JUDGEMENT] = json.dumps({"judgements": rows})
    entries = [{"url": url, "claim": CLAIM}, {"url": url, "claim": f"{CLAIM} of words"}]

    [report] = talk(environ | server, ("audit_bibliography", {"entries": entries}))

    first, second = report["entries"]
    assert "mischaracterized" in first["flags"]
    assert "model:compatible" in first["reason"]
    assert "mischaracterized" not in second["flags"]
    assert report["summary"]["mischaracterized"] == 1
    assert world.calls["compatible"] == 1


@pytest.mark.process
@requires("judge.nli")
def test_an_entailment_model_judges_on_this_machine(
    environ: Environ, internet: Internet, tmp_path: Path
) -> None:
    folder = build_tiny_judge(tmp_path / "model")
    chosen = {"CITEWELL_JUDGE": "nli", "CITEWELL_JUDGE_MODEL": str(folder)}

    found = check(environ | chosen, internet)

    assert found["claimJudge"] == "nli"
    assert found["claimRelation"] == "mentions"


@pytest.mark.process
@requires("judge.nli_broken")
def test_a_file_that_is_no_model_fails_no_check(
    environ: Environ, internet: Internet, tmp_path: Path
) -> None:
    folder = build_tiny_judge(tmp_path / "model")
    (folder / "model.onnx").write_bytes(b"This is not a model.")
    chosen = {"CITEWELL_JUDGE": "nli", "CITEWELL_JUDGE_MODEL": str(folder)}

    found = check(environ | chosen, internet)

    assert found["claimJudge"] == "lexical"
    assert "damaged" in found["claimJudgeNote"]


def research(environ: Environ, **more: Any) -> dict[str, Any]:
    """The evidence of all claims of a job, with the job's notes."""

    async def run() -> dict[str, Any]:
        async with private.library_app(deep(environ)) as app:
            told = await private.research(app, **more)
            listed = await private.call(app, "search_claims", query=QUESTION, limit=50)
            shown = [
                await private.call(app, "get_claim_evidence", claimId=one["id"])
                for one in listed["claims"]
            ]
            return {
                "told": told,
                "judges": {row.get("judge") for one in shown for row in one["evidence"]},
            }

    return asyncio.run(run())


@requires("judge.named")
def test_the_citations_of_research_are_judged_by_the_model_and_say_so(
    environ: Environ, world: World, server: Environ
) -> None:
    keys = {"OPENAI_API_KEY": "sk-test"}

    found = research(environ | server | keys, providers=["openai"])

    assert "model:compatible" in found["judges"]
    assert world.calls["compatible"]


@requires("judge.private_text")
@pytest.mark.parametrize("scope", ["web", "both"])
def test_text_of_the_library_goes_to_no_judge_on_another_machine(
    environ: Environ, world: World, internet: Internet, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    private.resolve_remote_name(monkeypatch)
    remote = {
        "CITEWELL_JUDGE": "openai",
        "OPENAI_API_KEY": "sk-test",
        "CITEWELL_MODEL_SERVER": f"http://127.0.0.1:{internet.port}/compatible",
        "CITEWELL_MODEL_NAME": "small-model",
        "CITEWELL_RESEARCH_WRITER": "extractive",
    }

    found = research(environ | remote, providers=["compatible", "openai", "local"], scope=scope)

    assert world.calls["openai"]
    assert private.leaks(world, beside={"compatible"}) == {}
    assert found["judges"] <= {"lexical", "model:openai"}


@requires("judge.named")
def test_the_citations_of_an_answer_say_who_judged_them(
    environ: Environ, world: World, server: Environ
) -> None:
    asked = {"query": "How do heat pumps work in winter?", "provider": "exa"}
    keys = {"EXA_API_KEY": "k"}

    plain = body(call(environ | keys, "answer", asked))
    by_model = body(call(environ | keys | server, "answer", asked))
    world.state[JUDGEMENT] = "I would say so."
    fallen_back = body(call(environ | keys | server, "answer", asked | {"query": "heat pumps?"}))

    assert {one["judge"] for one in plain["citations"] if one["checked"]} == {"lexical"}
    assert "model:compatible" in {one.get("judge") for one in by_model["citations"]}
    assert {one["judge"] for one in fallen_back["citations"] if one["checked"]} == {"lexical"}
    assert "Judged by words alone" in str(fallen_back["notes"])
