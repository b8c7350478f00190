"""Who serves a tool that may cost money."""

from __future__ import annotations

import asyncio

import pytest

from citewell.core import config
from citewell.core.errors import FailureReason, InvalidInput, Misconfigured, NetworkFailed
from citewell.research.planning.provider_choice import PaidChoice, run_free_call
from citewell.routing.ports import Offer
from citewell.routing.provider_catalogue import ProviderCatalogue


def choice(default: str | None = None, **settings: str) -> PaidChoice:
    held = config.load_settings({"CITEWELL_CONFIG": "/nonexistent"} | settings)
    catalogue = ProviderCatalogue(held, lambda _spec, _options: object())
    return PaidChoice(catalogue, Offer.ANSWERS, default=default)


@pytest.mark.parametrize(
    ("settings", "named", "chosen"),
    [
        ({}, None, "local"),
        ({}, "tavily", "tavily"),  # works without a key, but only if somebody names it
        ({"EXA_API_KEY": "k"}, None, "exa"),
        ({"OPENAI_API_KEY": "k"}, None, "openai"),
        ({"EXA_API_KEY": "k"}, "local", "local"),
        ({"EXA_API_KEY": "k", "OPENAI_API_KEY": "k"}, "openai", "openai"),
    ],
)
def test_the_named_or_the_only_provider_is_chosen(
    settings: dict[str, str], named: str | None, chosen: str
) -> None:
    assert choice(**settings).choose_provider(named) == chosen


def test_the_settings_choose_among_several() -> None:
    both = {"EXA_API_KEY": "k", "TAVILY_API_KEY": "k"}

    assert choice("Tavily ", **both).choose_provider(None) == "tavily"
    assert choice("tavily", **both).choose_provider("exa") == "exa"
    with pytest.raises(InvalidInput, match="CITEWELL_ANSWER_PROVIDER"):
        choice(**both).choose_provider(None)


def test_a_name_without_its_key_says_which_setting_is_missing() -> None:
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY") as caught:
        choice().choose_provider("openai")

    assert "local" in caught.value.alternatives


def test_a_free_call_that_takes_too_long_is_a_network_failure() -> None:
    async def wait() -> None:
        await run_free_call(asyncio.Event().wait(), seconds=0.01, provider="compatible")

    with pytest.raises(NetworkFailed) as caught:
        asyncio.run(wait())

    assert (caught.value.provider, caught.value.reason) == ("compatible", FailureReason.TIMEOUT)
