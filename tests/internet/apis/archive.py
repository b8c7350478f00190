"""web.archive.org in the shapes it documents: Save Page Now, the index of captures, and the copies.

`world.state["archive"]` maps an address to the timestamps of its copies; a test may fill it. Saving
adds one, unless `world.state["saving"]` says `job` (the page that watches a job) or `refuse`. It has the
world's time, or `world.state["archive_time"]`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from tests.internet.world import World

PREFIX = "/archive"
JOB = "spn2-0123456789abcdef0123456789abcdef01234567"


def routes(world: World) -> list[Route]:
    archive = _Archive(world)
    return [
        Route("/archive/save/status/{job}", archive.status),
        Route("/archive/save/{url:path}", archive.save),
        Route("/archive/web/{stamp}/{url:path}", archive.show),
        Route("/archive/cdx/search/cdx", archive.index),
    ]


class _Archive:
    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def _copies(self) -> dict[str, list[str]]:
        kept: dict[str, list[str]] = self._world.state.setdefault("archive", {})
        return kept

    @property
    def _stamp(self) -> str:
        now: datetime = self._world.state.get("archive_time", self._world.now)
        return now.strftime("%Y%m%d%H%M%S")

    async def save(self, request: Request) -> Response:
        url = _address(request)
        how = self._world.state.get("saving")
        if how == "refuse":
            return PlainTextResponse("Blocked Site Error", 403)
        if how == "job":
            self._world.state["job"] = url
            return HTMLResponse(f'<script>spn.watchJob("{JOB}", "/_static/");</script>')
        self._copies.setdefault(url, []).append(self._stamp)
        return RedirectResponse(f"/archive/web/{self._stamp}/{url}", 302)

    async def status(self, request: Request) -> JSONResponse:
        state = self._world.state
        if request.path_params["job"] != JOB or "job" not in state:
            return JSONResponse({"status": "error", "message": "no such job"})
        state["asked"] = state.get("asked", 0) + 1
        if state["asked"] < state.get("patience", 1):
            return JSONResponse({"status": "pending", "job_id": JOB})
        done = {"status": "success", "timestamp": self._stamp, "original_url": state["job"]}
        return JSONResponse(done | {"job_id": JOB})

    async def show(self, request: Request) -> Response:
        url = _address(request)
        if request.path_params["stamp"] not in self._copies.get(url, []):
            return HTMLResponse("<h1>Not in the archive</h1>", 404)
        text = self._world.state.get("copy", "<p>A copy of the page as it was.</p>")
        return HTMLResponse(f"<html><head><title>A copy</title></head><body>{text}</body></html>")

    async def index(self, request: Request) -> JSONResponse:
        asked = request.query_params
        stamps = sorted(self._copies.get(asked["url"], []))
        rows: list[Any] = [[asked["url"], at, "200", "text/html"] for at in stamps]
        if asked.get("limit", "").startswith("-"):
            rows = rows[int(asked["limit"]) :]
        return JSONResponse([asked.get("fl", "").split(","), *rows] if rows else [])


def _address(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.path_params['url']}{query}"
