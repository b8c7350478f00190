"""Perplexity's Agent API, which alone is left of its APIs: answers, researches in the background and states its cost; needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.core.values import research
from citewell.core.values.search_results import AnswerQuery
from citewell.providers.dialects.responses_api import BackgroundResponses, ResponsesTerms
from citewell.routing.answer_reports import keep_cited_pages
from citewell.routing.model_billing import convert_dollars
from citewell.routing.ports import Offer, ProviderOption, ProviderSpec, require_key
from citewell.text import research_prompts

SPEC = ProviderSpec(
    name="perplexity",
    title="Perplexity",
    homepage="https://docs.perplexity.ai",
    base_url="https://api.perplexity.ai",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING, Offer.ANSWERS}),
    options=(
        require_key("PERPLEXITY_API_KEY", "Key of Perplexity.", "Authorization: Bearer {}"),
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


def _read_total_cost(usage: Mapping[str, Any]) -> int | None:
    cost = usage.get("cost")
    return convert_dollars(cost.get("total_cost")) if isinstance(cost, dict) else None


class Provider(BackgroundResponses):
    terms = ResponsesTerms(
        spec=SPEC,
        model_setting="PERPLEXITY_MODEL",
        vendor="perplexity",
        default_price=("2", "10"),
        search_dollars="5",
        searches=_MAX_STEPS,
        output_tokens=10_000,
        read_stated_cost=_read_total_cost,
        submit_path="/v1/agent",
        run_path="/v1/responses/{ref}",
    )

    async def submit_research(self, request: research.ResearchRequest) -> research.SubmitOutcome:
        body: dict[str, Any] = {
            "input": research_prompts.build_question_prompt(request),
            "instructions": research_prompts.RESEARCH_INSTRUCTIONS,
            "effort": request.tier.effort,
            "max_steps": _MAX_STEPS[request.tier.effort],
            "tools": [{"type": "web_search"}, {"type": "fetch_url"}],
            "background": True,
            "store": True,
        }
        return await self._submit_run(self._add_configured_model(body), tag=request.tag)

    async def write_report(self, writing: research.WritingRequest) -> research.ProviderReport:
        body = {
            "input": writing.material,
            "instructions": writing.instructions,
            "effort": _WRITING_EFFORT,
            "max_output_tokens": writing.max_tokens,
        }
        return await self._run_to_report(self._add_configured_model(body), tag=writing.tag)

    def estimate_answer_cost(self, _query: AnswerQuery) -> int:
        usage = research.ProviderUsage(input_tokens=8000, output_tokens=1000, searches=2)
        return self._tariff.compute_cost(self._model, usage).ticks

    async def answer_question(self, query: AnswerQuery) -> research.ProviderReport:
        body = {
            "input": query.text,
            "instructions": research_prompts.ANSWER_INSTRUCTIONS,
            "effort": _ANSWER_EFFORT,
            "tools": [{"type": "web_search"}],
            "max_output_tokens": _MAX_ANSWER_TOKENS,
        }
        report = await self._run_to_report(
            self._add_configured_model(body), tag=query.tag, timeout=query.timeout_seconds
        )
        return keep_cited_pages(report, query.count)

    def _add_configured_model(self, body: dict[str, Any]) -> dict[str, Any]:
        if not self._model:
            return body
        # Perplexity refuses Anthropic's models without this bound.
        bound = {"max_output_tokens": _MAX_REPORT_TOKENS}
        return {**bound, **body, "model": self._model}
