"""A model server that speaks like OpenAI: it lists its models and writes from what it is given."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.researchers import GONE
from tests.internet.world import World

PREFIX = "/compatible"
_PASSAGE = re.compile(r"^\[(\d+)\] [^\n]*\n([^\n]+)", re.MULTILINE)


def routes(world: World) -> list[Route]:
    async def models(_request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": "small-model", "object": "model"}]})

    async def chat(request: Request) -> Response:
        asked = await request.json()
        if asked["model"] == GONE:
            error = {"message": f"model '{GONE}' not found", "type": "not_found_error"}
            return JSONResponse({"error": error}, 404)
        text = _text(asked["messages"][-1]["content"])
        message = {"role": "assistant", "content": text}
        return JSONResponse(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "model": asked["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 900, "completion_tokens": 90, "total_tokens": 990},
            }
        )

    return [
        Route("/compatible/models", models),
        Route("/compatible/chat/completions", chat, methods=["POST"]),
    ]


def _text(material: str) -> str:
    """The first sentence of each passage with its number, and a number that nobody gave out."""
    found = _PASSAGE.findall(material)
    lines = [f"{text.partition('. ')[0].rstrip('.')}. [{number}]" for number, text in found[:5]]
    return "\n\n".join([*lines, "Something else altogether. [99]"]) if lines else material[:500]
