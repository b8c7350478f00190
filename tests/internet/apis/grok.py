"""xAI's Responses API in its documented shape: one long call, the price in ticks."""

from __future__ import annotations

from starlette.routing import Route

from tests.internet.researchers import responses_api
from tests.internet.world import World

PREFIX = "/grok"
USAGE = {
    "input_tokens": 30_000,
    "output_tokens": 2000,
    "total_tokens": 32_000,
    "cost_in_usd_ticks": 1_234_567_891,
    "num_sources_used": 6,
}


def routes(world: World) -> list[Route]:
    return responses_api(world, "grok", usage=lambda: dict(USAGE))
