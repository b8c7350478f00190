"""Gemini's Interactions API in its documented shape: background agents, offsets in bytes."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.internet.researchers import GONE, Written, bench, text_of, written
from tests.internet.world import World

PREFIX = "/gemini"


def routes(world: World) -> list[Route]:
    api = _Interactions(world)
    return [
        Route("/gemini/interactions", api.start, methods=["POST"]),
        Route("/gemini/interactions/{ref}/cancel", api.cancel, methods=["POST"]),
        Route("/gemini/interactions/{ref}", api.ask_after),
        Route("/gemini/models/{model}:generateContent", api.generate, methods=["POST"]),
        Route("/gemini/grounding-api-redirect/{place}", api.redirect),
    ]


class _Interactions:
    def __init__(self, world: World) -> None:
        self._world = world

    async def start(self, request: Request) -> Response:
        if not request.headers.get("x-goog-api-key"):
            return _refused(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.")
        asked = await request.json()
        if GONE in {asked.get("agent"), asked.get("model")}:
            return _refused(404, "NOT_FOUND", f"models/{GONE} is not found for API version v1beta.")
        desk = bench(self._world)
        desk.charge("gemini", request.headers.get("idempotency-key", ""))
        if asked.get("background"):
            ref = desk.start("gemini", text_of(asked["input"]))
            return JSONResponse({"id": ref, "status": "in_progress", "agent": asked.get("agent")})
        return JSONResponse(_answer("int_text", Written(text="A text.", marks=())))

    async def generate(self, request: Request) -> Response:
        if not request.headers.get("x-goog-api-key"):
            return _refused(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.")
        if request.path_params["model"] == GONE:
            return _refused(404, "NOT_FOUND", f"models/{GONE} is not found for API version v1beta.")
        asked = await request.json()
        question = asked["contents"][-1]["parts"][0]["text"]
        bench(self._world).charge("gemini", question)
        report = written(self._world, question)
        self._world.state["gemini redirects"] = [mark.url for mark in report.marks]
        return JSONResponse(_grounded(str(request.base_url), report))

    async def redirect(self, request: Request) -> Response:
        known = self._world.state.get("gemini redirects", [])
        place = int(request.path_params["place"])
        return RedirectResponse(known[place]) if place < len(known) else Response(status_code=404)

    async def ask_after(self, request: Request) -> Response:
        ref = request.path_params["ref"]
        run = bench(self._world).runs.get(ref)
        if run is None:
            return _refused(404, "NOT_FOUND", "Interaction not found.")
        if run.cancelled:
            return JSONResponse({"id": ref, "status": "cancelled"})
        run.polls -= 1
        if run.polls >= 0:
            return JSONResponse({"id": ref, "status": "in_progress", "steps": []})
        return JSONResponse(_answer(ref, written(self._world, run.query)))

    async def cancel(self, request: Request) -> Response:
        run = bench(self._world).runs.get(request.path_params["ref"])
        if run is None:
            return _refused(404, "NOT_FOUND", "Interaction not found.")
        run.cancelled = True
        return JSONResponse({"id": request.path_params["ref"], "status": "cancelled"})


def _grounded(base: str, report: Written) -> dict[str, Any]:
    """Chunks with Google's redirects, and the segments that they ground in UTF-8 bytes."""
    starts = [0, *(mark.end for mark in report.marks)]
    supports = [
        {
            "segment": {
                "startIndex": len(report.text[:start].encode()),
                "endIndex": len(report.text[: mark.start].encode()),
            },
            "groundingChunkIndices": [place],
        }
        for place, (start, mark) in enumerate(zip(starts, report.marks, strict=False))
    ]
    chunks = [
        {"web": {"uri": f"{base}gemini/grounding-api-redirect/{place}", "title": mark.title}}
        for place, mark in enumerate(report.marks)
    ]
    grounding = {
        "webSearchQueries": ["a query of Google's"],
        "searchEntryPoint": {"renderedContent": "<style>.x{}</style><div>a query</div>"},
        "groundingChunks": chunks,
        "groundingSupports": supports,
    }
    content = {"role": "model", "parts": [{"text": report.text}]}
    return {
        "candidates": [{"content": content, "groundingMetadata": grounding}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 200},
        "modelVersion": "gemini-3.8-flash",
    }


def _refused(status: int, name: str, message: str) -> JSONResponse:
    return JSONResponse({"error": {"code": status, "message": message, "status": name}}, status)


def _answer(ref: str, report: Written) -> dict[str, Any]:
    def place(at: int) -> int:
        return len(report.text[:at].encode())

    annotations = [
        {
            "type": "url_citation",
            "url": mark.url,
            "title": mark.title,
            "start_index": place(mark.start),
            "end_index": place(mark.end),
        }
        for mark in report.marks
    ]
    return {
        "id": ref,
        "status": "completed",
        "agent": "deep-research-preview-04-2026",
        "steps": [
            {"type": "thought", "summary": "Looking at several pages."},
            {
                "type": "model_output",
                "content": [{"type": "text", "text": report.text, "annotations": annotations}],
            },
        ],
        "usage": {
            "total_input_tokens": 40_000,
            "total_output_tokens": 3000,
            "total_thought_tokens": 2000,
            "total_tool_use_tokens": 5000,
            "total_cached_tokens": 0,
            "grounding_tool_count": [{"type": "google_search", "count": 12}],
        },
    }
