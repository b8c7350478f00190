"""OpenRouter: one key for many vendors' models, with its own web search; needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.dialects.model_billing import build_tariff, convert_dollars
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
    name="openrouter",
    title="OpenRouter",
    homepage="https://openrouter.ai/docs",
    base_url="https://openrouter.ai/api/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        ProviderOption(
            env="OPENROUTER_API_KEY", help="Key of OpenRouter.", secret=True, required=True
        ),
        ProviderOption(
            env="OPENROUTER_MODEL",
            help="Vendor and model that research and write (chosen November 2026).",
            default="openai/gpt-6-sol",
        ),
        ProviderOption(
            env="OPENROUTER_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, for estimates.",
        ),
    ),
    per_second=5.0,
    burst=5,
    rank=60,
)

_EXPECTED_SEARCHES = {"low": 3, "medium": 8, "high": 15, "xhigh": 25}  # usual number, by effort


class Provider:
    is_idempotent = False

    def __init__(self, kit: ProviderKit) -> None:
        self._model = kit.find_option("OPENROUTER_MODEL") or ""
        self._tariff = build_tariff(
            "openrouter",
            (),
            default_price=("2", "10"),
            search_dollars="5",
            user_price=("OPENROUTER_PRICES", kit.find_option("OPENROUTER_PRICES")),
        )
        account = PaidAccount(
            provider=SPEC.name,
            title=SPEC.title,
            model=self._model,
            model_setting="OPENROUTER_MODEL",
        )
        self._responses = ResponsesClient(
            ResponsesEndpoint(
                upstream=kit.upstream,
                account=account,
                tariff=self._tariff,
                read_stated_cost=_read_openrouter_cost,
                key=kit.find_option("OPENROUTER_API_KEY") or "",
            )
        )

    def estimate_cost(self, ask: ResearchRequest) -> int:
        searches = _EXPECTED_SEARCHES[ask.tier.effort]
        usage = ProviderUsage(input_tokens=6000 * searches, output_tokens=8000, searches=searches)
        return self._tariff.compute_cost(self._model, usage).ticks

    async def submit_research(self, ask: ResearchRequest) -> SubmitOutcome:
        request = {
            "model": self._model,
            "instructions": research_prompts.RESEARCH_INSTRUCTIONS,
            "input": research_prompts.build_question_prompt(ask),
            "tools": [{"type": "openrouter:web_search"}],
            "reasoning": {"effort": "high" if ask.tier.effort == "xhigh" else ask.tier.effort},
        }
        return await self._responses.submit_run(request, tag=ask.tag)

    async def write_report(self, writing: WritingRequest) -> ProviderReport:
        request = {
            "model": self._model,
            "instructions": writing.instructions,
            "input": writing.material,
            "max_output_tokens": writing.max_tokens,
        }
        return await self._responses.run_to_report(request, tag=writing.tag)


def _read_openrouter_cost(usage: Mapping[str, Any]) -> int | None:
    return convert_dollars(usage.get("cost"))
