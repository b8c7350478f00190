"""The error of several providers: it names the one whose advice it gives, and no other if there is none."""

from __future__ import annotations

import pytest

from citewell.core.errors import (
    AuthRequired,
    BreakerOpen,
    CitewellError,
    NetworkFailed,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.routing.provider_failures import complete_provider_error, merge_failures
from tests.requirements import requires


@requires("web_search.failure_provider")
@pytest.mark.parametrize(
    ("failures", "provider", "seconds"),
    [
        ({"brave": AuthRequired("Bad key."), "duck": RateLimited("Slow down.", retry_after=30)}, "duck", 30),
        ({"brave": RateLimited("Wait.", retry_after=90), "duck": RateLimited("Wait.", retry_after=7)}, "duck", 7),
        ({"brave": NetworkFailed("No answer."), "duck": UpstreamUnavailable("Down.", retry_after=20)}, "duck", 20),
        ({"brave": RateLimited("Wait.", retry_after=90), "duck": BreakerOpen("Resting.", retry_after=5)}, "duck", 5),
        ({"brave": NetworkFailed("No answer."), "duck": UpstreamUnavailable("Down.")}, "duck", None),
        ({"brave": AuthRequired("Bad key."), "duck": AuthRequired("Bad key.")}, "brave", None),
    ],
)  # fmt: skip
def test_the_provider_is_the_one_whose_advice_is_given(
    failures: dict[str, CitewellError], provider: str, seconds: float | None
) -> None:
    block = merge_failures(failures, alternatives=["wikipedia"]).build_error_block()

    assert block["provider"] == provider
    assert block.get("retryAfterSeconds") == seconds


@requires("error.no_other_provider")
def test_without_another_provider_none_is_suggested() -> None:
    alone = complete_provider_error(UpstreamUnavailable("Down."), provider="edgar", alternatives=())
    both = merge_failures({"a": NetworkFailed("No answer."), "b": UpstreamUnavailable("Down.")})

    later = UpstreamUnavailable("Down.", retry_after=20)
    timed = complete_provider_error(later, provider="edgar", alternatives=())

    assert alone.suggested_action == both.suggested_action == "retry"
    assert timed.suggested_action == "retry_after_delay"


def test_with_another_provider_it_is_suggested() -> None:
    error = complete_provider_error(
        UpstreamUnavailable("Down."), provider="oecd", alternatives=["eurostat"]
    )

    assert (error.suggested_action, error.alternatives) == ("try_different_provider", ("eurostat",))


def test_a_rate_limit_names_other_providers_only_if_there_are_any() -> None:
    error = RateLimited("Slow down.", retry_after=30)

    alone = complete_provider_error(error, provider="edgar", alternatives=())
    among = complete_provider_error(error, provider="brave", alternatives=["duck"])

    assert "different provider" not in alone.message
    assert "Wait 30 seconds and retry, or try a different provider." in among.message
