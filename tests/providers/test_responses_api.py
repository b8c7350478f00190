"""Research providers against doubles of their APIs: what is sent, read, charged and complained of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.core.errors import (
    AuthRequired,
    CitewellError,
    MalformedResponse,
    Misconfigured,
    NetworkFailed,
    OutOfCredit,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.core.values.research import (
    RESEARCH_TIERS,
    ProviderReport,
    ResearchRequest,
    ResearchStatus,
    WritingRequest,
)
from citewell.routing.ports import BackgroundResearch
from tests.internet.faults import Fault
from tests.internet.researchers import GONE, UNSUPPORTED, bench
from tests.internet.serve import Internet
from tests.providers.research_desk import ASK, KEY, using

PAID = ("openai", "grok", "perplexity", "openrouter", "gemini", "anthropic")


BACKGROUND = ("openai", "perplexity", "gemini")


MODELS = {
    "openai": "OPENAI_MODEL",
    "grok": "XAI_MODEL",
    "perplexity": "PERPLEXITY_MODEL",
    "openrouter": "OPENROUTER_MODEL",
    "gemini": "GEMINI_AGENT",
    "anthropic": "ANTHROPIC_MODEL",
}


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
    (asked,) = [request for request in internet.world.requests[name] if request.method == "POST"]
    assert "tools" not in json.loads(asked.body)


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
