"""A model server that speaks like OpenAI: it lists its models and writes from what it is given.

The shapes follow what Ollama, llama.cpp and vLLM document for /v1/models and /v1/chat/completions.
They differ in what they leave out and add, so each model of this server answers like one of them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet import writers
from tests.internet.judgements import answer_judging
from tests.internet.researchers import GONE
from tests.internet.world import World

PREFIX = "/compatible"
FAITHFUL, UNFAITHFUL = "faithful-writer", "unfaithful-writer"
THINKING = "thinking-model"  # puts its thoughts into the text, as reasoning models of Ollama do
MUSING = "musing-model"  # has used up its tokens before the first word of its text
REASONING = (
    "reasoning-model"  # has them in a field of its own and no usage, as vLLM and llama.cpp can
)
_PASSAGE = re.compile(r"^\[(\d+)\] [^\n]*\n([^\n]+)", re.MULTILINE)
_THOUGHTS = "The user wants a report. Perhaps it was in 4711? [1]"


def routes(world: World) -> list[Route]:
    async def models(_request: Request) -> Response:
        owned = {"object": "model", "created": 1763251200, "owned_by": "library"}
        names = ("nomic-embed-text:latest", "small-model")
        return JSONResponse({"object": "list", "data": [{"id": name, **owned} for name in names]})

    async def chat(request: Request) -> Response:
        asked = await request.json()
        if asked["model"] == GONE:
            error = {"message": f"model '{GONE}' not found", "type": "not_found_error"}
            return JSONResponse({"error": error}, 404)
        material = asked["messages"][-1]["content"]
        judged = answer_judging(world, material)
        if judged is not None:
            body = _completion(asked["model"], material)
            body["choices"][0]["message"]["content"] = judged
            return JSONResponse(body)
        filled = world.state.get("filled fields")
        if filled is not None and "JSON Schema:" in material:
            told = {"pages": [{"page": 1, "fields": filled}]}
            body = _completion(asked["model"], material)
            body["choices"][0]["message"]["content"] = f"```json\n{json.dumps(told)}\n```"
            return JSONResponse(body)
        return JSONResponse(_completion(asked["model"], material))

    return [
        Route("/compatible/models", models),
        Route("/compatible/chat/completions", chat, methods=["POST"]),
    ]


def _completion(model: str, material: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": _text(model, material)}
    answer: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1763251200,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 90, "total_tokens": 990},
    }
    if model == THINKING:
        message["content"] = f"<think>\n{_THOUGHTS}\n</think>\n\n{message['content']}"
        answer["system_fingerprint"] = "fp_ollama"
    elif model == MUSING:
        message |= {"content": "", "reasoning": _THOUGHTS}
        answer["choices"][0]["finish_reason"] = "length"
    elif model == REASONING:
        message |= {"reasoning_content": _THOUGHTS, "tool_calls": []}
        answer |= {"usage": None, "prompt_logprobs": None, "kv_transfer_params": None}
        answer["timings"] = {"predicted_n": 90, "predicted_per_second": 7.5}
    return answer


def _text(model: str, material: str) -> str:
    if model == UNFAITHFUL:
        return writers.write_unfaithfully(material)
    if model == FAITHFUL or not _PASSAGE.search(material):
        return writers.write_faithfully(material)
    return _write_first_sentences(material)


def _write_first_sentences(material: str) -> str:
    """The first sentence of each passage with its number, and a number that nobody gave out."""
    found = _PASSAGE.findall(material)
    lines = [f"{text.partition('. ')[0].rstrip('.')}. [{number}]" for number, text in found[:5]]
    return "\n\n".join([*lines, "Something else altogether. [99]"])
