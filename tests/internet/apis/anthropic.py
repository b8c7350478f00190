"""Anthropic's Messages API in its documented shape: searches inside a turn, which may pause."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.researchers import GONE, Written, bench, text_of, written
from tests.internet.world import World

PREFIX = "/anthropic"


def routes(world: World) -> list[Route]:
    async def messages(request: Request) -> Response:
        if not request.headers.get("x-api-key"):
            return _refused(401, "authentication_error", "x-api-key header is required")
        asked = await request.json()
        if asked["model"] == GONE:
            return _refused(404, "not_found_error", f"model: {GONE}")
        bench(world).charge("anthropic", request.headers.get("idempotency-key", ""))
        if not asked.get("tools"):
            return JSONResponse(_turn([{"type": "text", "text": "A text."}], "end_turn"))
        if len(asked["messages"]) == 1:
            searched = {
                "type": "server_tool_use",
                "id": "srvtoolu_1",
                "name": "web_search",
                "input": {"query": "…"},
            }
            return JSONResponse(_turn([searched], "pause_turn"))
        report = written(world, text_of(asked["messages"][:1]), cite=lambda _title, _url: "")
        return JSONResponse(_turn(_blocks(report), "end_turn"))

    return [Route("/anthropic/v1/messages", messages, methods=["POST"])]


def _refused(status: int, kind: str, message: str) -> JSONResponse:
    return JSONResponse({"type": "error", "error": {"type": kind, "message": message}}, status)


def _blocks(report: Written) -> list[dict[str, Any]]:
    results = [
        {
            "type": "web_search_result",
            "url": mark.url,
            "title": mark.title,
            "page_age": None,
            "encrypted_content": "xxx",
        }
        for mark in report.marks
    ]
    blocks: list[dict[str, Any]] = [
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": results}
    ]
    at = 0
    for mark in report.marks:
        text = report.text[at : mark.start]
        at = mark.end
        cited = {
            "type": "web_search_result_location",
            "url": mark.url,
            "title": mark.title,
            "cited_text": text.strip()[:150],
            "encrypted_index": "xxx",
        }
        blocks.append({"type": "text", "text": text, "citations": [cited]})
    return blocks


def _turn(content: list[dict[str, Any]], stopped: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": content,
        "stop_reason": stopped,
        "usage": {
            "input_tokens": 8000,
            "output_tokens": 700,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
            "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 1},
        },
    }
