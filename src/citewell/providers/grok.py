"""Grok by xAI: searches the web and X and answers in one long request; needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.core.values import research
from citewell.providers.dialects.responses_api import ResponsesProvider, ResponsesTerms
from citewell.routing.ports import Offer, ProviderOption, ProviderSpec, require_key
from citewell.text import research_prompts

SPEC = ProviderSpec(
    name="grok",
    title="Grok (xAI)",
    homepage="https://docs.x.ai/docs/guides/tools/overview",
    base_url="https://api.x.ai/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        require_key("XAI_API_KEY", "Key of xAI.", "Authorization: Bearer {}"),
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


def _read_ticks(usage: Mapping[str, Any]) -> int | None:
    """The cost in ticks as xAI states it, which uses the same unit as we do; None if absent."""
    ticks = usage.get("cost_in_usd_ticks")
    return ticks if isinstance(ticks, int) and not isinstance(ticks, bool) and ticks >= 0 else None


class Provider(ResponsesProvider):
    terms = ResponsesTerms(
        spec=SPEC,
        model_setting="XAI_MODEL",
        price_setting="XAI_PRICES",
        vendor="x-ai",
        prices=(
            ("grok-4.7", "2", "6"),
            ("grok-4.6", "2", "6"),
            ("grok-4.5", "2", "6"),
            ("grok-4.3", "1.25", "2.50"),
            ("grok-4.20", "1.25", "2.50"),
        ),
        default_price=("2", "6"),
        search_dollars="5",
        searches={"low": 5, "medium": 12, "high": 25, "xhigh": 40},
        read_stated_cost=_read_ticks,
    )

    async def submit_research(self, request: research.ResearchRequest) -> research.SubmitOutcome:
        body = {
            "model": self._model,
            "input": [
                {"role": "system", "content": research_prompts.RESEARCH_INSTRUCTIONS},
                {"role": "user", "content": research_prompts.build_question_prompt(request)},
            ],
            "tools": [{"type": "web_search"}, {"type": "x_search"}],
        }
        return await self._submit_run(body, tag=request.tag)

    async def write_report(self, writing: research.WritingRequest) -> research.ProviderReport:
        body = {
            "model": self._model,
            "input": [
                {"role": "system", "content": writing.instructions},
                {"role": "user", "content": writing.material},
            ],
            "max_output_tokens": writing.max_tokens,
        }
        return await self._run_to_report(body, tag=writing.tag)
