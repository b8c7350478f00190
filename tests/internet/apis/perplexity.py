"""Perplexity's Agent API in its documented shape: background runs, marks by the ids of search results."""

from __future__ import annotations

from typing import Any

from starlette.routing import Route

from tests.internet.researchers import Written, responses_api
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
        render=_render,
    )


def _render(provider: str, ref: str, report: Written, usage: dict[str, Any]) -> dict[str, Any]:
    """No annotations: [n] in the text is the id of a search result."""
    ids = {url: place for place, url in enumerate(dict.fromkeys(m.url for m in report.marks), 1)}
    titles = {mark.url: mark.title for mark in report.marks}
    text, at = "", 0
    for mark in sorted(report.marks, key=lambda one: one.start):
        text += f"{report.text[at : mark.start]} [{ids[mark.url]}]"
        at = mark.end
    results = [
        {"id": number, "url": url, "title": titles[url], "snippet": "", "date": "2026-03-01"}
        for url, number in ids.items()
    ]
    part = {"type": "output_text", "text": text + report.text[at:], "annotations": []}
    message = {"type": "message", "role": "assistant", "status": "completed", "content": [part]}
    searched = {"type": "search_results", "queries": ["a query"], "results": results}
    return {
        "id": ref,
        "object": "response",
        "status": "completed",
        "model": f"{provider}-model",
        "output": [*([searched] if results else []), message],
        "usage": usage,
        "error": None,
        "incomplete_details": None,
    }
