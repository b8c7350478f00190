"""What a paid upstream says decides the error; what we say about it does not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from citewell.core.errors import (
    CitewellError,
    Misconfigured,
    NetworkFailed,
    NotConnected,
    OutOfCredit,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.core.values.research import (
    RESEARCH_TIERS,
    ResearchRequest,
    SubmitOutcome,
    WritingRequest,
)
from citewell.jobs.durable_job import CallFailed, CallNotSent, CallUncertain
from citewell.net.http.messages import HttpResponse
from citewell.providers.openai import Provider
from citewell.research.single_calls import ResearchCall
from citewell.routing.ports import ProviderKit
from citewell.routing.upstream_refusals import PaidAccount, build_refusal_error

ACCOUNT = PaidAccount(provider="paid", title="Paid", model="deep-1", model_setting="PAID_MODEL")
MISLEADING = "The model was not found, and billing ended."


class AnsweringUpstream:
    """An upstream that answers every request with the same JSON."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self._body = json.dumps(answer).encode()

    async def send_post(self, *_given: object, **_options: object) -> HttpResponse:
        headers = {"content-type": "application/json"}
        return HttpResponse(
            status=200, url="https://paid.example.org", headers=headers, body=self._body
        )


def submit(answer: dict[str, Any]) -> CitewellError:
    upstream: Any = AnsweringUpstream(answer)
    provider = Provider(ProviderKit(upstream=upstream))
    writing = WritingRequest(tag="t", instructions="i", material="m")
    with pytest.raises(CitewellError) as caught:
        asyncio.run(provider.write_report(writing))
    return caught.value


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("The model `deep-1` does not exist", Misconfigured),
        ("You exceeded your current quota", OutOfCredit),
        ("Something else", RejectedRequest),
    ],
)
def test_a_run_that_fails_at_once_is_told_apart_by_the_upstreams_words(
    message: str, kind: type[CitewellError]
) -> None:
    error = submit({"id": "r", "status": "failed", "error": {"message": message}, "output": []})

    assert type(error) is kind
    assert message in (error.detail or "")


def test_our_own_description_of_a_failure_never_decides_its_kind() -> None:
    error = build_refusal_error("", None, ACCOUNT, otherwise=MISLEADING)

    assert (type(error), error.detail) == (RejectedRequest, MISLEADING)


class FailingProvider:
    is_idempotent = False

    def __init__(self, error: CitewellError) -> None:
        self._error = error

    def estimate_cost(self, request: ResearchRequest) -> int:
        return 1

    async def submit_research(self, request: ResearchRequest) -> SubmitOutcome:
        raise self._error


@pytest.mark.parametrize("words", ["x", "HTTP 503", "HTTP 529: no work was done"])
@pytest.mark.parametrize(
    ("error", "unsent"),
    [
        (UpstreamUnavailable("x", http_status=503), True),
        (UpstreamUnavailable("x", http_status=529), True),
        (UpstreamUnavailable("x", http_status=500), False),
        (UpstreamUnavailable("x"), False),
        (NotConnected("x"), True),
        (NetworkFailed("x"), False),
    ],
)
def test_a_call_counts_as_unsent_by_its_status_whatever_the_words(
    error: CitewellError, words: str, *, unsent: bool
) -> None:
    reworded = error.copy_with_message(words)
    reworded.detail = words
    provider: Any = FailingProvider(reworded)
    call = ResearchCall(
        "paid",
        provider,
        lambda tag: ResearchRequest(query="q", tier=RESEARCH_TIERS["M"], tag=tag),
    )

    with pytest.raises(CallNotSent if unsent else type(error)):
        asyncio.run(call.submit_research("t"))


@pytest.mark.parametrize("kind", [CallFailed, CallUncertain])
def test_a_lost_call_has_its_cause_without_the_providers_name(
    kind: type[CallFailed | CallUncertain],
) -> None:
    error = kind.from_provider("paid", "It broke.")

    assert (error.message, error.cause, error.provider) == ("paid: It broke.", "It broke.", "paid")
