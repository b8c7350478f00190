"""Grok by xAI: searches the web and X and answers in one long request; needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.dialects.model_billing import build_tariff
from citewell.dialects.paid_apis import PaidAccount
from citewell.dialects.responses_api import ResponsesClient, ResponsesEndpoint
from citewell.model.research import (
    ProviderReport,
    ProviderUsage,
    ResearchRequest,
    SubmitOutcome,
    WritingRequest,
)
from citewell.ports import Offer, ProviderKit, ProviderOption, ProviderSpec
from citewell.text.questions import research_prompts

SPEC = ProviderSpec(
    name="grok",
    title="Grok (xAI)",
    homepage="https://docs.x.ai/docs/guides/tools/overview",
    base_url="https://api.x.ai/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        ProviderOption(env="XAI_API_KEY", help="Key of xAI.", secret=True, required=True),
        ProviderOption(
            env="XAI_MODEL",
            help="Model that researches and writes (chosen November 2026).",
            default="grok-4.7",
        ),
        ProviderOption(
            env="XAI_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, such as 2/6/5.",
        ),
    ),
    per_second=2.0,
    burst=4,
    rank=40,
)

_GROK_PRICES = (
    ("grok-4.7", "2", "6"),
    ("grok-4.6", "2", "6"),
    ("grok-4.5", "2", "6"),
    ("grok-4.3", "1.25", "2.50"),
    ("grok-4.20", "1.25", "2.50"),
)
_EXPECTED_SEARCHES = {"low": 5, "medium": 12, "high": 25, "xhigh": 40}  # usual number, by effort


class Provider:
    is_idempotent = False

    def __init__(self, kit: ProviderKit) -> None:
        self._model = kit.find_option("XAI_MODEL") or ""
        self._tariff = build_tariff(
            "x-ai",
            _GROK_PRICES,
            default_price=("2", "6"),
            search_dollars="5",
            user_price=("XAI_PRICES", kit.find_option("XAI_PRICES")),
        )
        account = PaidAccount(
            provider=SPEC.name, title=SPEC.title, model=self._model, model_setting="XAI_MODEL"
        )
        self._responses = ResponsesClient(
            ResponsesEndpoint(
                upstream=kit.upstream,
                account=account,
                tariff=self._tariff,
                read_stated_cost=_read_grok_cost,
                key=kit.find_option("XAI_API_KEY") or "",
            )
        )

    def estimate_cost(self, ask: ResearchRequest) -> int:
        searches = _EXPECTED_SEARCHES[ask.tier.effort]
        usage = ProviderUsage(input_tokens=6000 * searches, output_tokens=8000, searches=searches)
        return self._tariff.compute_cost(self._model, usage).ticks

    async def submit_research(self, ask: ResearchRequest) -> SubmitOutcome:
        request = {
            "model": self._model,
            "input": [
                {"role": "system", "content": research_prompts.RESEARCH_INSTRUCTIONS},
                {"role": "user", "content": research_prompts.build_question_prompt(ask)},
            ],
            "tools": [{"type": "web_search"}, {"type": "x_search"}],
        }
        return await self._responses.submit_run(request, tag=ask.tag)

    async def write_report(self, writing: WritingRequest) -> ProviderReport:
        request = {
            "model": self._model,
            "input": [
                {"role": "system", "content": writing.instructions},
                {"role": "user", "content": writing.material},
            ],
            "max_output_tokens": writing.max_tokens,
        }
        return await self._responses.run_to_report(request, tag=writing.tag)


def _read_grok_cost(usage: Mapping[str, Any]) -> int | None:
    """The cost in ticks as xAI states it, which uses the same unit as we do; None if absent."""
    ticks = usage.get("cost_in_usd_ticks")
    return ticks if isinstance(ticks, int) and not isinstance(ticks, bool) and ticks >= 0 else None
