"""OpenAI: a reasoning model with web search that runs in the background; needs a key."""

from __future__ import annotations

from citewell.model.research import Polled, ProviderReport, ResearchAsk, Submission, Usage, Writing
from citewell.net.billing import tariff
from citewell.net.paid import Account
from citewell.net.responses import Door, Responses
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import briefs

SPEC = Spec(
    name="openai",
    title="OpenAI",
    home="https://platform.openai.com/docs/guides/deep-research",
    base_url="https://api.openai.com/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        Option(env="OPENAI_API_KEY", help="Key of OpenAI.", secret=True, required=True),
        Option(
            env="OPENAI_MODEL",
            help="Model that researches and writes (chosen November 2026).",
            default="gpt-6-sol",
        ),
        Option(
            env="OPENAI_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, such as 2/10/10.",
        ),
    ),
    per_second=5.0,
    burst=5,
    rank=30,
)

_PRICES = (
    ("gpt-6-luna", "0.10", "0.50"),
    ("gpt-6.1-terra", "1", "5"),
    ("gpt-6-sol", "2", "10"),
    ("gpt-6.1-sol", "2", "10"),
    ("gpt-5.6-sol", "4", "20"),
    ("gpt-5.5", "5", "30"),
    ("gpt-6-astra", "10", "50"),
)
_CALLS = {"low": 10, "medium": 30, "high": 80, "xhigh": 150}  # searches a run may make


class Provider:
    idempotent = False

    def __init__(self, kit: Kit) -> None:
        self._model = kit.option("OPENAI_MODEL") or ""
        self._tariff = tariff(
            "openai",
            _PRICES,
            otherwise=("10", "50"),
            searches="10",
            own=("OPENAI_PRICES", kit.option("OPENAI_PRICES")),
        )
        self._responses = Responses(
            Door(
                upstream=kit.upstream,
                account=Account(
                    provider=SPEC.name,
                    title=SPEC.title,
                    model=self._model,
                    model_setting="OPENAI_MODEL",
                ),
                tariff=self._tariff,
                key=kit.option("OPENAI_API_KEY") or "",
            )
        )

    def estimate(self, ask: ResearchAsk) -> int:
        searches = _CALLS[ask.tier.effort] // 3
        usage = Usage(input_tokens=8000 * searches, output_tokens=20_000, searches=searches)
        return self._tariff.cost(self._model, usage).ticks

    async def submit(self, ask: ResearchAsk) -> Submission:
        request = {
            "model": self._model,
            "instructions": briefs.RESEARCH,
            "input": briefs.question(ask),
            "reasoning": {"effort": ask.tier.effort},
            "tools": [{"type": "web_search", "search_context_size": "medium"}],
            "max_tool_calls": _CALLS[ask.tier.effort],
            "include": ["web_search_call.action.sources"],
            "background": True,
            "store": True,
            "metadata": {"citewell": ask.tag},
        }
        return await self._responses.submit(request, tag=ask.tag)

    async def poll(self, ref: str) -> Polled:
        return await self._responses.poll(ref)

    async def cancel(self, ref: str) -> None:
        await self._responses.cancel(ref)

    async def write(self, writing: Writing) -> ProviderReport:
        request = {
            "model": self._model,
            "instructions": writing.instructions,
            "input": writing.material,
            "max_output_tokens": writing.max_tokens,
            "store": False,
        }
        return await self._responses.whole(request, tag=writing.tag)
