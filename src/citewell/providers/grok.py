"""Grok by xAI: answers with searches of the web and of X in one long call; needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citewell.model.research import ProviderReport, ResearchAsk, Submission, Usage, Writing
from citewell.net.billing import tariff
from citewell.net.paid import Account
from citewell.net.responses import Door, Responses
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import briefs

SPEC = Spec(
    name="grok",
    title="Grok (xAI)",
    home="https://docs.x.ai/docs/guides/tools/overview",
    base_url="https://api.x.ai/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        Option(env="XAI_API_KEY", help="Key of xAI.", secret=True, required=True),
        Option(
            env="XAI_MODEL",
            help="Model that researches and writes (chosen November 2026).",
            default="grok-4.7",
        ),
        Option(
            env="XAI_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, such as 2/6/5.",
        ),
    ),
    per_second=2.0,
    burst=4,
    rank=40,
)

_PRICES = (
    ("grok-4.7", "2", "6"),
    ("grok-4.6", "2", "6"),
    ("grok-4.5", "2", "6"),
    ("grok-4.3", "1.25", "2.50"),
    ("grok-4.20", "1.25", "2.50"),
)
_SEARCHES = {"low": 5, "medium": 12, "high": 25, "xhigh": 40}  # a run usually makes


class Provider:
    idempotent = False

    def __init__(self, kit: Kit) -> None:
        self._model = kit.option("XAI_MODEL") or ""
        self._tariff = tariff(
            "x-ai",
            _PRICES,
            otherwise=("2", "6"),
            searches="5",
            own=("XAI_PRICES", kit.option("XAI_PRICES")),
        )
        account = Account(
            provider=SPEC.name, title=SPEC.title, model=self._model, model_setting="XAI_MODEL"
        )
        self._responses = Responses(
            Door(
                upstream=kit.upstream,
                account=account,
                tariff=self._tariff,
                stated=_ticks,
                key=kit.option("XAI_API_KEY") or "",
            )
        )

    def estimate(self, ask: ResearchAsk) -> int:
        searches = _SEARCHES[ask.tier.effort]
        usage = Usage(input_tokens=6000 * searches, output_tokens=8000, searches=searches)
        return self._tariff.cost(self._model, usage).ticks

    async def submit(self, ask: ResearchAsk) -> Submission:
        request = {
            "model": self._model,
            "input": [
                {"role": "system", "content": briefs.RESEARCH},
                {"role": "user", "content": briefs.question(ask)},
            ],
            "tools": [{"type": "web_search"}, {"type": "x_search"}],
        }
        return await self._responses.submit(request, tag=ask.tag)

    async def write(self, writing: Writing) -> ProviderReport:
        request = {
            "model": self._model,
            "input": [
                {"role": "system", "content": writing.instructions},
                {"role": "user", "content": writing.material},
            ],
            "max_output_tokens": writing.max_tokens,
        }
        return await self._responses.whole(request, tag=writing.tag)


def _ticks(usage: Mapping[str, Any]) -> int | None:
    """Its own unit is ours."""
    ticks = usage.get("cost_in_usd_ticks")
    return ticks if isinstance(ticks, int) and not isinstance(ticks, bool) and ticks >= 0 else None
