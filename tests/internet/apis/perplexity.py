"""Perplexity's Agent API in its documented shape: background runs, the price in dollars."""

from __future__ import annotations

from starlette.routing import Route

from tests.internet.researchers import responses_api
from tests.internet.world import World

PREFIX = "/perplexity"
USAGE = {
    "input_tokens": 20_000,
    "output_tokens": 1500,
    "total_tokens": 21_500,
    "cost": {
        "input_cost": 0.04,
        "output_cost": 0.015,
        "tool_calls_cost": 0.0205,
        "total_cost": 0.0755,
        "currency": "USD",
    },
}


def routes(world: World) -> list[Route]:
    return responses_api(
        world,
        "perplexity",
        submit="/v1/agent",
        runs="/v1/responses",
        usage=lambda: dict(USAGE),
    )
