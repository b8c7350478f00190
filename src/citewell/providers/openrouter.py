"""OpenRouter: one key for many vendors' models, with its own web search; needs a key."""

from __future__ import annotations

from citewell.core.values import research
from citewell.providers.dialects.responses_api import ResponsesProvider, ResponsesTerms
from citewell.routing.model_billing import convert_dollars
from citewell.routing.ports import Offer, ProviderOption, ProviderSpec, require_key
from citewell.text import research_prompts

SPEC = ProviderSpec(
    name="openrouter",
    title="OpenRouter",
    homepage="https://openrouter.ai/docs",
    base_url="https://openrouter.ai/api/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        require_key("OPENROUTER_API_KEY", "Key of OpenRouter.", "Authorization: Bearer {}"),
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


class Provider(ResponsesProvider):
    terms = ResponsesTerms(
        spec=SPEC,
        model_setting="OPENROUTER_MODEL",
        price_setting="OPENROUTER_PRICES",
        vendor="openrouter",
        default_price=("2", "10"),
        search_dollars="5",
        searches={"low": 3, "medium": 8, "high": 15, "xhigh": 25},
        read_stated_cost=lambda usage: convert_dollars(usage.get("cost")),
    )

    async def submit_research(self, request: research.ResearchRequest) -> research.SubmitOutcome:
        body = {
            "model": self._model,
            "instructions": research_prompts.RESEARCH_INSTRUCTIONS,
            "input": research_prompts.build_question_prompt(request),
            "tools": [{"type": "openrouter:web_search"}],
            "reasoning": {
                "effort": "high" if request.tier.effort == "xhigh" else request.tier.effort
            },
        }
        return await self._submit_run(body, tag=request.tag)
