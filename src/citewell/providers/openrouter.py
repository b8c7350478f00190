"""OpenRouter: one key for many vendors' models, with its own web search; needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.model.research import ProviderReport, ResearchAsk, Submission, Usage, Writing
from citewell.net.billing import dollars, tariff
from citewell.net.paid import Account
from citewell.net.responses import Door, Responses
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import briefs

SPEC = Spec(
    name="openrouter",
    title="OpenRouter",
    home="https://openrouter.ai/docs",
    base_url="https://openrouter.ai/api/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        Option(env="OPENROUTER_API_KEY", help="Key of OpenRouter.", secret=True, required=True),
        Option(
            env="OPENROUTER_MODEL",
            help="Vendor and model that research and write (chosen November 2026).",
            default="openai/gpt-6-sol",
        ),
        Option(
            env="OPENROUTER_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, for estimates.",
        ),
    ),
    per_second=5.0,
    burst=5,
    rank=60,
)

_SEARCHES = {"low": 3, "medium": 8, "high": 15, "xhigh": 25}  # a run usually makes


class Provider:
    idempotent = False

    def __init__(self, kit: Kit) -> None:
        self._model = kit.option("OPENROUTER_MODEL") or ""
        self._tariff = tariff(
            "openrouter",
            (),
            otherwise=("2", "10"),
            searches="5",
            own=("OPENROUTER_PRICES", kit.option("OPENROUTER_PRICES")),
        )
        account = Account(
            provider=SPEC.name,
            title=SPEC.title,
            model=self._model,
            model_setting="OPENROUTER_MODEL",
        )
        self._responses = Responses(
            Door(
                upstream=kit.upstream,
                account=account,
                tariff=self._tariff,
                stated=_stated,
                key=kit.option("OPENROUTER_API_KEY") or "",
            )
        )

    def estimate(self, ask: ResearchAsk) -> int:
        searches = _SEARCHES[ask.tier.effort]
        usage = Usage(input_tokens=6000 * searches, output_tokens=8000, searches=searches)
        return self._tariff.cost(self._model, usage).ticks

    async def submit(self, ask: ResearchAsk) -> Submission:
        request = {
            "model": self._model,
            "instructions": briefs.RESEARCH,
            "input": briefs.question(ask),
            "tools": [{"type": "openrouter:web_search"}],
            "reasoning": {"effort": "high" if ask.tier.effort == "xhigh" else ask.tier.effort},
        }
        return await self._responses.submit(request, tag=ask.tag)

    async def write(self, writing: Writing) -> ProviderReport:
        request = {
            "model": self._model,
            "instructions": writing.instructions,
            "input": writing.material,
            "max_output_tokens": writing.max_tokens,
        }
        return await self._responses.whole(request, tag=writing.tag)


def _stated(usage: Mapping[str, Any]) -> int | None:
    return dollars(usage.get("cost"))
