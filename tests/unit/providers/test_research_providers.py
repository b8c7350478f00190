"""Research providers against doubles of their APIs: what is sent, read, charged and complained of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from citewell import config, providers
from citewell.errors import (
    AuthRequired,
    CitewellError,
    InvalidInput,
    MalformedResponse,
    Misconfigured,
    NetworkFailed,
    NotFound,
    OutOfCredit,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.model.research import (
    RESEARCH_TIERS,
    GroundingPassage,
    ProviderReport,
    ResearchRequest,
    ResearchStatus,
    WritingRequest,
)
from citewell.net.network import Network
from citewell.ports import BackgroundResearch, ProviderKit
from tests.internet.faults import Fault
from tests.internet.researchers import GONE, UNSUPPORTED, bench
from tests.internet.serve import Internet

KEY = "sk-nobody-may-see-this-key-at-all"
PAID = ("openai", "grok", "perplexity", "openrouter", "gemini", "anthropic")
BACKGROUND = ("openai", "perplexity", "gemini")
AT_ONCE = ("grok", "openrouter", "anthropic")
KEYS = {
    "openai": "OPENAI_API_KEY",
    "grok": "XAI_API_KEY",
    "perplexity": "PERPLEXITY_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
MODELS = {
    "openai": "OPENAI_MODEL",
    "grok": "XAI_MODEL",
    "perplexity": "PERPLEXITY_MODEL",
    "openrouter": "OPENROUTER_MODEL",
    "gemini": "GEMINI_AGENT",
    "anthropic": "ANTHROPIC_MODEL",
}
ASK = ResearchRequest(query="How do grid batteries age?", tier=RESEARCH_TIERS["M"], tag="tag-1")


def using(
    internet: Internet,
    name: str,
    work: Callable[[Any], Coroutine[Any, Any, Any]],
    **options: str,
) -> Any:
    async def run() -> Any:
        settings = config.load_settings(
            {"CITEWELL_CONFIG": "/nonexistent", "ALLOW_PRIVATE_IPS": "true"}
        )
        network = Network(settings)
        spec = providers.load(name).SPEC
        given = {one.env: one.default for one in spec.options if one.default}
        if name in KEYS:
            given[KEYS[name]] = KEY
        upstream = network.open_upstream(name, base_url=f"{internet.url}/{name}")
        try:
            return await work(
                providers.load(name).Provider(
                    ProviderKit(upstream=upstream, options=given | options)
                )
            )
        finally:
            await network.aclose()

    return asyncio.run(run())


async def finished(provider: Any) -> ProviderReport:
    submission = await provider.submit_research(ASK)
    while submission.report is None:
        polled = await provider.poll_research(submission.ref)
        if polled.status is ResearchStatus.COMPLETED:
            return polled.report
        assert polled.status in {ResearchStatus.PENDING, ResearchStatus.RUNNING}
    report: ProviderReport = submission.report
    return report


def failure(internet: Internet, name: str, **options: str) -> CitewellError:
    with pytest.raises(CitewellError) as caught:
        using(internet, name, lambda provider: provider.submit_research(ASK), **options)
    return caught.value


@pytest.mark.parametrize("name", PAID)
def test_a_report_comes_with_citations_at_their_places(internet: Internet, name: str) -> None:
    report = using(internet, name, finished)

    placed = [cited for cited in report.citations if cited.start is not None]
    assert len(placed) == len(report.citations) >= 3
    bad = next(cited for cited in placed if UNSUPPORTED in _before(report.text, cited))
    assert bad.url.startswith("http")
    assert report.provider == name


def _before(text: str, cited: Any) -> str:
    """The cited block itself, or the line that its mark ends."""
    start = text.rfind("\n", 0, cited.start) + 1
    return text[start : cited.end]


@pytest.mark.parametrize(
    ("name", "ticks", "basis"),
    [
        ("grok", 1_234_567_891, "provider"),
        ("perplexity", 755_000_000, "provider"),
        ("openrouter", 270_000_000, "provider"),
    ],
)
def test_the_providers_own_price_is_taken_to_the_tick(
    internet: Internet, name: str, ticks: int, basis: str
) -> None:
    report = using(internet, name, finished)

    assert (report.cost_ticks, report.cost_basis) == (ticks, basis)


def test_a_price_of_the_users_own_goes_before_every_table(internet: Internet) -> None:
    report = using(internet, "openai", finished, OPENAI_PRICES="1/100/1000")

    # 50,000 tokens in, 4,000 out, one search
    assert report.cost_ticks == int((0.05 + 0.4 + 1.0) * 10**10)


def test_a_price_that_is_none_names_its_setting(internet: Internet) -> None:
    error = failure(internet, "openai", OPENAI_PRICES="cheap")

    assert isinstance(error, Misconfigured)
    assert "OPENAI_PRICES" in error.message


@pytest.mark.parametrize("name", BACKGROUND)
def test_a_background_run_outlives_the_process_that_began_it(internet: Internet, name: str) -> None:
    submission = using(internet, name, lambda provider: provider.submit_research(ASK))

    polled = using(internet, name, lambda provider: provider.poll_research(submission.ref))
    assert polled.status is ResearchStatus.RUNNING
    polled = using(internet, name, lambda provider: provider.poll_research(submission.ref))

    assert polled.status is ResearchStatus.COMPLETED
    assert polled.report.text.startswith("# Report")


@pytest.mark.parametrize("name", BACKGROUND)
def test_cancelling_reaches_the_provider(internet: Internet, name: str) -> None:
    async def stopped(provider: BackgroundResearch) -> Any:
        submission = await provider.submit_research(ASK)
        assert submission.ref is not None
        await provider.cancel_research(submission.ref)
        return await provider.poll_research(submission.ref)

    assert using(internet, name, stopped).status is ResearchStatus.CANCELLED


@pytest.mark.parametrize("name", PAID)
def test_the_tag_travels_with_the_call_and_one_call_is_charged_once(
    internet: Internet, name: str
) -> None:
    using(internet, name, finished)

    charges = bench(internet.world).charged
    tags = {tag for provider, tag in charges if provider == name}
    assert all(tag.startswith("tag-1") for tag in tags)
    assert set(charges.values()) == {1}


@pytest.mark.parametrize("name", PAID)
def test_a_retired_model_names_the_setting_to_change(internet: Internet, name: str) -> None:
    error = failure(internet, name, **{MODELS[name]: GONE})

    assert isinstance(error, Misconfigured)
    assert MODELS[name] in error.message


@pytest.mark.parametrize("name", PAID)
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault(status=401, body={"error": {"message": f"bad key {KEY}"}}), AuthRequired),
        (Fault(status=429, headers={"retry-after": "9"}, body={}), RateLimited),
        (Fault(status=402, body={}), OutOfCredit),
        (
            Fault(
                status=400, body={"error": {"code": "insufficient_quota", "message": "Add credit."}}
            ),
            OutOfCredit,
        ),
        (Fault(status=500, body="<h1>Oops</h1>"), UpstreamUnavailable),
        (Fault(status=200, body="<html><body>Welcome</body></html>"), MalformedResponse),
        (Fault(cut=0), NetworkFailed),
        (Fault(cut=40), NetworkFailed),
    ],
    ids=["key", "limit", "credit", "quota", "failure", "html", "silence", "dropped"],
)
def test_a_failed_submit_is_told_apart_and_never_sent_again(
    internet: Internet, name: str, fault: Fault, kind: type[CitewellError]
) -> None:
    internet.world.fail(name, fault)

    error = failure(internet, name)

    assert isinstance(error, kind)
    assert KEY not in f"{error} {error.build_error_block()}"
    assert internet.world.calls[name] == 1


@pytest.mark.parametrize("name", BACKGROUND)
def test_a_run_that_failed_upstream_says_why(internet: Internet, name: str) -> None:
    body = {"id": "x", "status": "failed", "error": {"message": "The run was too long."}}
    internet.world.fail(name, Fault(body=body))

    polled = using(internet, name, lambda provider: provider.poll_research("x"))

    assert polled.status is ResearchStatus.FAILED
    assert polled.error


@pytest.mark.parametrize("name", [*PAID, "compatible"])
def test_a_text_is_written_without_tools(internet: Internet, name: str) -> None:
    writing = WritingRequest(instructions="Write.", material="Line one.\nLine two.", tag="w-1")

    report = using(internet, name, lambda provider: provider.write_report(writing))

    assert report.text
    (asked,) = [one for one in internet.world.requests[name] if one.method == "POST"]
    assert "tools" not in json.loads(asked.body)


def test_a_model_server_writes_from_passages_and_cites_only_those(internet: Internet) -> None:
    passages = tuple(
        GroundingPassage(
            number=n, url=f"https://example.org/{n}", title=f"Page {n}", text=f"Fact {n} holds."
        )
        for n in (1, 2)
    )
    ask = ResearchRequest(query="What holds?", tier=RESEARCH_TIERS["S"], tag="t", passages=passages)

    submission = using(internet, "compatible", lambda provider: provider.submit_research(ask))

    report = submission.report
    assert [cited.url for cited in report.citations] == [
        "https://example.org/1",
        "https://example.org/2",
    ]
    assert report.text[report.citations[0].start : report.citations[0].end] == "[1]"
    assert report.cost_ticks == 0


PASSAGES = (
    GroundingPassage(
        number=1,
        url="https://example.org/1",
        title="Page 1",
        text="The bridge was opened in 1932. It carries eight lanes of road.",
    ),
)
GROUNDED = ResearchRequest(
    query="When was it opened?", tier=RESEARCH_TIERS["S"], tag="t", passages=PASSAGES
)


@pytest.mark.parametrize("model", ["thinking-model", "reasoning-model"])
def test_what_a_local_model_thought_is_no_part_of_its_report(
    internet: Internet, model: str
) -> None:
    submission = using(
        internet,
        "compatible",
        lambda provider: provider.submit_research(GROUNDED),
        CITEWELL_MODEL_NAME=model,
    )

    assert "4711" not in submission.report.text
    assert "think" not in submission.report.text
    assert submission.report.text.startswith("The bridge was opened in 1932.")
    assert [cited.url for cited in submission.report.citations] == ["https://example.org/1"]


def test_a_local_model_that_only_thought_is_an_error_that_says_so(internet: Internet) -> None:
    with pytest.raises(NotFound, match="only thought"):
        using(
            internet,
            "compatible",
            lambda provider: provider.submit_research(GROUNDED),
            CITEWELL_MODEL_NAME="musing-model",
        )


def test_an_encoder_in_the_list_of_models_is_not_asked_to_write(internet: Internet) -> None:
    using(internet, "compatible", lambda provider: provider.submit_research(GROUNDED))

    (asked,) = [one for one in internet.world.requests["compatible"] if one.method == "POST"]
    body = json.loads(asked.body)
    assert (body["model"], body["stream"]) == ("small-model", False)


def test_a_model_server_without_passages_is_not_asked(internet: Internet) -> None:
    with pytest.raises(InvalidInput):
        using(internet, "compatible", lambda provider: provider.submit_research(ASK))

    assert internet.world.calls["compatible"] == 0


@pytest.mark.parametrize("name", PAID)
def test_a_larger_tier_is_estimated_higher(internet: Internet, name: str) -> None:
    async def estimates(provider: Any) -> list[int]:
        return [
            provider.estimate_cost(ResearchRequest(query="", tier=tier, tag=""))
            for tier in RESEARCH_TIERS.values()
        ]

    found = using(internet, name, estimates)

    assert found == sorted(found)
    assert found[0] > 0
