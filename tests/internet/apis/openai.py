"""OpenAI's Responses API in its documented shape: background runs with web search."""

from __future__ import annotations

from starlette.routing import Route

from tests.internet.researchers import responses_api
from tests.internet.world import World

PREFIX = "/openai"
USAGE = {
    "input_tokens": 50_000,
    "input_tokens_details": {"cached_tokens": 1000},
    "output_tokens": 4000,
    "output_tokens_details": {"reasoning_tokens": 2500},
    "total_tokens": 54_000,
}


def routes(world: World) -> list[Route]:
    return responses_api(world, "openai", usage=lambda: dict(USAGE))
