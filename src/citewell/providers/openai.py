"""OpenAI: a reasoning model with web search that runs in the background; needs a key."""

from __future__ import annotations

from citewell.dialects.model_billing import build_tariff
from citewell.dialects.paid_apis import PaidAccount
from citewell.dialects.responses_api import ResponsesClient, ResponsesEndpoint
from citewell.model.research import (
    PollOutcome,
    ProviderReport,
    ProviderUsage,
    ResearchRequest,
    SubmitOutcome,
    WritingRequest,
)
from citewell.ports import Offer, ProviderKit, ProviderOption, ProviderSpec
from citewell.text.questions import research_prompts

SPEC = ProviderSpec(
    name="openai",
    title="OpenAI",
    homepage="https://platform.openai.com/docs/guides/deep-research",
    base_url="https://api.openai.com/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        ProviderOption(env="OPENAI_API_KEY", help="Key of OpenAI.", secret=True, required=True),
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

_OPENAI_PRICES = (
    ("gpt-6-luna", "0.10", "0.50"),
    ("gpt-6.1-terra", "1", "5"),
    ("gpt-6-sol", "2", "10"),
    ("gpt-6.1-sol", "2", "10"),
    ("gpt-5.6-sol", "4", "20"),
    ("gpt-5.5", "5", "30"),
    ("gpt-6-astra", "10", "50"),
)
_MAX_TOOL_CALLS = {"low": 10, "medium": 30, "high": 80, "xhigh": 150}  # by effort


class Provider:
    is_idempotent = False

    def __init__(self, kit: ProviderKit) -> None:
        self._model = kit.find_option("OPENAI_MODEL") or ""
        self._tariff = build_tariff(
            "openai",
            _OPENAI_PRICES,
            default_price=("10", "50"),
            search_dollars="10",
            user_price=("OPENAI_PRICES", kit.find_option("OPENAI_PRICES")),
        )
        self._responses = ResponsesClient(
            ResponsesEndpoint(
                upstream=kit.upstream,
                account=PaidAccount(
                    provider=SPEC.name,
                    title=SPEC.title,
                    model=self._model,
                    model_setting="OPENAI_MODEL",
                ),
                tariff=self._tariff,
                key=kit.find_option("OPENAI_API_KEY") or "",
            )
        )

    def estimate_cost(self, ask: ResearchRequest) -> int:
        searches = _MAX_TOOL_CALLS[ask.tier.effort] // 3
        usage = ProviderUsage(input_tokens=8000 * searches, output_tokens=20_000, searches=searches)
        return self._tariff.compute_cost(self._model, usage).ticks

    async def submit_research(self, ask: ResearchRequest) -> SubmitOutcome:
        request = {
            "model": self._model,
            "instructions": research_prompts.RESEARCH_INSTRUCTIONS,
            "input": research_prompts.build_question_prompt(ask),
            "reasoning": {"effort": ask.tier.effort},
            "tools": [{"type": "web_search", "search_context_size": "medium"}],
            "max_tool_calls": _MAX_TOOL_CALLS[ask.tier.effort],
            "include": ["web_search_call.action.sources"],
            "background": True,
            "store": True,
            "metadata": {"citewell": ask.tag},
        }
        return await self._responses.submit_run(request, tag=ask.tag)

    async def poll_research(self, ref: str) -> PollOutcome:
        return await self._responses.poll_run(ref)

    async def cancel_research(self, ref: str) -> None:
        await self._responses.cancel_run(ref)

    async def write_report(self, writing: WritingRequest) -> ProviderReport:
        request = {
            "model": self._model,
            "instructions": writing.instructions,
            "input": writing.material,
            "max_output_tokens": writing.max_tokens,
            "store": False,
        }
        return await self._responses.run_to_report(request, tag=writing.tag)
