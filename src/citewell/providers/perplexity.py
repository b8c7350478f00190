"""Perplexity's Agent API, which alone is left of its APIs: answers, researches in the background and states its cost; needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.dialects.answer_reports import keep_cited_pages
from citewell.dialects.model_billing import build_tariff, convert_dollars
from citewell.dialects.paid_apis import PaidAccount
from citewell.dialects.responses_api import ResponsesClient, ResponsesEndpoint
from citewell.model.domains.grounded_answer import AnswerQuery
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
    name="perplexity",
    title="Perplexity",
    homepage="https://docs.perplexity.ai",
    base_url="https://api.perplexity.ai",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING, Offer.ANSWERS}),
    options=(
        ProviderOption(
            env="PERPLEXITY_API_KEY", help="Key of Perplexity.", secret=True, required=True
        ),
        ProviderOption(
            env="PERPLEXITY_MODEL",
            help="Model to use; without it Perplexity chooses by effort.",
        ),
    ),
    per_second=2.0,
    burst=4,
    rank=10,
)

_MAX_STEPS = {"low": 5, "medium": 15, "high": 40, "xhigh": 100}
_ANSWER_EFFORT = "fast"
_MAX_ANSWER_TOKENS = 2000
_MAX_REPORT_TOKENS = 32_000  # of a model that the user chose
_WRITING_EFFORT = "low"  # writing needs no searches


class Provider:
    is_idempotent = False

    def __init__(self, kit: ProviderKit) -> None:
        self._model = kit.find_option("PERPLEXITY_MODEL")
        self._tariff = build_tariff("perplexity", (), default_price=("2", "10"), search_dollars="5")
        account = PaidAccount(
            provider=SPEC.name,
            title=SPEC.title,
            model=self._model or "",
            model_setting="PERPLEXITY_MODEL",
        )
        self._responses = ResponsesClient(
            ResponsesEndpoint(
                upstream=kit.upstream,
                account=account,
                tariff=self._tariff,
                read_stated_cost=_read_perplexity_cost,
                key=kit.find_option("PERPLEXITY_API_KEY") or "",
                submit_path="/v1/agent",
                run_path="/v1/responses/{ref}",
            )
        )

    def estimate_cost(self, ask: ResearchRequest) -> int:
        steps = _MAX_STEPS[ask.tier.effort]
        usage = ProviderUsage(input_tokens=6000 * steps, output_tokens=10_000, searches=steps)
        return self._tariff.compute_cost(self._model or "", usage).ticks

    async def submit_research(self, ask: ResearchRequest) -> SubmitOutcome:
        request: dict[str, Any] = {
            "input": research_prompts.build_question_prompt(ask),
            "instructions": research_prompts.RESEARCH_INSTRUCTIONS,
            "effort": ask.tier.effort,
            "max_steps": _MAX_STEPS[ask.tier.effort],
            "tools": [{"type": "web_search"}, {"type": "fetch_url"}],
            "background": True,
            "store": True,
        }
        return await self._responses.submit_run(self._add_configured_model(request), tag=ask.tag)

    async def poll_research(self, ref: str) -> PollOutcome:
        return await self._responses.poll_run(ref)

    async def cancel_research(self, ref: str) -> None:
        await self._responses.cancel_run(ref)

    async def write_report(self, writing: WritingRequest) -> ProviderReport:
        request = {
            "input": writing.material,
            "instructions": writing.instructions,
            "effort": _WRITING_EFFORT,
            "max_output_tokens": writing.max_tokens,
        }
        return await self._responses.run_to_report(
            self._add_configured_model(request), tag=writing.tag
        )

    def estimate_answer_cost(self, _query: AnswerQuery) -> int:
        usage = ProviderUsage(input_tokens=8000, output_tokens=1000, searches=2)
        return self._tariff.compute_cost(self._model or "", usage).ticks

    async def answer_question(self, query: AnswerQuery) -> ProviderReport:
        request = {
            "input": query.text,
            "instructions": research_prompts.ANSWER_INSTRUCTIONS,
            "effort": _ANSWER_EFFORT,
            "tools": [{"type": "web_search"}],
            "max_output_tokens": _MAX_ANSWER_TOKENS,
        }
        report = await self._responses.run_to_report(
            self._add_configured_model(request), tag=query.tag, timeout=query.timeout_seconds
        )
        return keep_cited_pages(report, query.count)

    def _add_configured_model(self, request: dict[str, Any]) -> dict[str, Any]:
        if not self._model:
            return request
        # Perplexity refuses Anthropic's models without this bound.
        bound = {"max_output_tokens": _MAX_REPORT_TOKENS}
        return {**bound, **request, "model": self._model}


def _read_perplexity_cost(usage: Mapping[str, Any]) -> int | None:
    cost = usage.get("cost")
    return convert_dollars(cost.get("total_cost")) if isinstance(cost, dict) else None
