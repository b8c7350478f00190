"""Perplexity's Agent API: researches in the background and says what it cost; needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.model.research import Polled, ProviderReport, ResearchAsk, Submission, Usage, Writing
from citewell.net.billing import dollars, tariff
from citewell.net.paid import Account
from citewell.net.responses import Door, Responses
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import briefs

SPEC = Spec(
    name="perplexity",
    title="Perplexity",
    home="https://docs.perplexity.ai",
    base_url="https://api.perplexity.ai",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        Option(env="PERPLEXITY_API_KEY", help="Key of Perplexity.", secret=True, required=True),
        Option(
            env="PERPLEXITY_MODEL",
            help="Model to use; without it Perplexity chooses by effort.",
        ),
    ),
    per_second=2.0,
    burst=4,
    rank=10,
)

_STEPS = {"low": 5, "medium": 15, "high": 40, "xhigh": 100}
_WRITING = "low"  # effort of a text that needs no searching


class Provider:
    idempotent = False

    def __init__(self, kit: Kit) -> None:
        self._model = kit.option("PERPLEXITY_MODEL")
        self._tariff = tariff("perplexity", (), otherwise=("2", "10"), searches="5")
        account = Account(
            provider=SPEC.name,
            title=SPEC.title,
            model=self._model or "",
            model_setting="PERPLEXITY_MODEL",
        )
        self._responses = Responses(
            Door(
                upstream=kit.upstream,
                account=account,
                tariff=self._tariff,
                stated=_stated,
                key=kit.option("PERPLEXITY_API_KEY") or "",
                submit_path="/v1/agent",
                run_path="/v1/responses/{ref}",
            )
        )

    def estimate(self, ask: ResearchAsk) -> int:
        steps = _STEPS[ask.tier.effort]
        usage = Usage(input_tokens=6000 * steps, output_tokens=10_000, searches=steps)
        return self._tariff.cost(self._model or "", usage).ticks

    async def submit(self, ask: ResearchAsk) -> Submission:
        request: dict[str, Any] = {
            "input": briefs.question(ask),
            "instructions": briefs.RESEARCH,
            "effort": ask.tier.effort,
            "max_steps": _STEPS[ask.tier.effort],
            "tools": [{"type": "web_search"}, {"type": "fetch_url"}],
            "background": True,
            "store": True,
        }
        return await self._responses.submit(self._chosen(request), tag=ask.tag)

    async def poll(self, ref: str) -> Polled:
        return await self._responses.poll(ref)

    async def cancel(self, ref: str) -> None:
        await self._responses.cancel(ref)

    async def write(self, writing: Writing) -> ProviderReport:
        request = {
            "input": writing.material,
            "instructions": writing.instructions,
            "effort": _WRITING,
            "max_output_tokens": writing.max_tokens,
        }
        return await self._responses.whole(self._chosen(request), tag=writing.tag)

    def _chosen(self, request: dict[str, Any]) -> dict[str, Any]:
        return {**request, "model": self._model} if self._model else request


def _stated(usage: Mapping[str, Any]) -> int | None:
    cost = usage.get("cost")
    return dollars(cost.get("total_cost")) if isinstance(cost, dict) else None
