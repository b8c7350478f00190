"""OpenAI: a reasoning model with web search that runs in the background; needs a key."""

from __future__ import annotations

from citewell.core.values import research
from citewell.providers.dialects.responses_api import BackgroundResponses, ResponsesTerms
from citewell.routing.ports import Offer, ProviderOption, ProviderSpec, require_key
from citewell.text import research_prompts

SPEC = ProviderSpec(
    name="openai",
    title="OpenAI",
    homepage="https://platform.openai.com/docs/guides/deep-research",
    base_url="https://api.openai.com/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        require_key("OPENAI_API_KEY", "Key of OpenAI.", "Authorization: Bearer {}"),
        ProviderOption(
            env="OPENAI_MODEL",
            help="Model that researches and writes (chosen November 2026).",
            default="gpt-6-sol",
        ),
        ProviderOption(
            env="OPENAI_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, such as 2/10/10.",
        ),
    ),
    per_second=5.0,
    burst=5,
    rank=30,
)
_MAX_TOOL_CALLS = {"low": 10, "medium": 30, "high": 80, "xhigh": 150}  # by effort


class Provider(BackgroundResponses):
    terms = ResponsesTerms(
        spec=SPEC,
        model_setting="OPENAI_MODEL",
        price_setting="OPENAI_PRICES",
        vendor="openai",
        prices=(
            ("gpt-6-luna", "0.10", "0.50"),
            ("gpt-6.1-terra", "1", "5"),
            ("gpt-6-sol", "2", "10"),
            ("gpt-6.1-sol", "2", "10"),
            ("gpt-5.6-sol", "4", "20"),
            ("gpt-5.5", "5", "30"),
            ("gpt-6-astra", "10", "50"),
        ),
        default_price=("10", "50"),
        search_dollars="10",
        searches={effort: calls // 3 for effort, calls in _MAX_TOOL_CALLS.items()},
        input_tokens=8000,
        output_tokens=20_000,
        writing_fields={"store": False},
    )

    async def submit_research(self, request: research.ResearchRequest) -> research.SubmitOutcome:
        body = {
            "model": self._model,
            "instructions": research_prompts.RESEARCH_INSTRUCTIONS,
            "input": research_prompts.build_question_prompt(request),
            "reasoning": {"effort": request.tier.effort},
            "tools": [{"type": "web_search", "search_context_size": "medium"}],
            "max_tool_calls": _MAX_TOOL_CALLS[request.tier.effort],
            "include": ["web_search_call.action.sources"],
            "background": True,
            "store": True,
            "metadata": {"citewell": request.tag},
        }
        return await self._submit_run(body, tag=request.tag)
