"""OpenRouter's Responses API in its documented shape: one call, the price in dollars."""

from __future__ import annotations

from starlette.routing import Route

from tests.internet.researchers import responses_api
from tests.internet.world import World

PREFIX = "/openrouter"
USAGE = {"input_tokens": 9000, "output_tokens": 900, "total_tokens": 9900, "cost": 0.027}


def routes(world: World) -> list[Route]:
    return responses_api(world, "openrouter", usage=lambda: dict(USAGE))
