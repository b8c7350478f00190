"""What the doubles of paid research APIs share: runs, metering, and reports with known good and bad citations."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.internet.judgements import answer_judging
from tests.internet.world import World

GONE = "retired-model"  # a model that every double has shut down
INVENTED = "archive/2031/a-page-nobody-wrote"
UNSUPPORTED = "Sales of wooden teapots rose by 87 percent on Thursday."
_MEMORY = "researchers"
KNOWN_FIELDS = frozenset((
    "model", "input", "instructions", "tools", "reasoning", "effort", "background", "store",
    "max_steps", "max_output_tokens", "max_tool_calls", "include", "metadata", "text",
    "tool_choice", "temperature",
))  # fmt: skip
SCRIPT = "script"  # under this name a world's state may hold the report that every double writes


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    url: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    text: str
    marks: tuple[Mark, ...]


@dataclass(slots=True, kw_only=True)
class Run:
    query: str
    polls: int  # how often it must be asked after before it is done
    cancelled: bool = False


@dataclass(slots=True, kw_only=True)
class Bench:
    """One world's paid runs: what was started, and what was charged for which tag."""

    runs: dict[str, Run] = field(default_factory=dict)
    charged: Counter[tuple[str, str]] = field(default_factory=Counter)
    polls: int = 1
    lock: threading.Lock = field(default_factory=threading.Lock)

    def charge(self, provider: str, tag: str) -> None:
        with self.lock:
            self.charged[provider, tag] += 1

    def start(self, provider: str, query: str) -> str:
        with self.lock:
            ref = f"{provider}_{len(self.runs) + 1}"
            self.runs[ref] = Run(query=query, polls=self.polls)
            return ref


def bench(world: World) -> Bench:
    found: Bench = world.state.setdefault(_MEMORY, Bench())
    return found


def written(world: World, query: str, *, cite: Callable[[str, str], str] | None = None) -> Written:
    """Sentences that their pages really hold, one that its page does not, and one invented page."""
    given: Written | None = world.state.get(SCRIPT)
    if given is not None:
        return given
    cite = cite or (lambda title, url: f" ([{title}]({url}))")
    pages = world.search(query, count=4)
    said = [(page.snippet(query), page.url, page.title) for page in pages]
    if pages:
        said.append((UNSUPPORTED, pages[0].url, pages[0].title))
    said.append(
        ("A later survey found the opposite.", world.address("lost.example.org", INVENTED), "Lost")
    )
    text, marks = "# Report\n\n", []
    for sentence, url, title in said:
        text += sentence.rstrip(".") + "."
        mark = cite(title, url)
        marks.append(Mark(url=url, title=title, start=len(text), end=len(text) + len(mark)))
        text += mark + "\n\n"
    return Written(text=text, marks=tuple(marks))


def text_of(given: Any) -> str:
    """The question in a request's input: a string, or messages of which the last one asks."""
    if isinstance(given, str):
        return given
    content = given[-1]["content"]
    return content if isinstance(content, str) else str(content)


def responses_api(
    world: World,
    provider: str,
    *,
    submit: str = "/responses",
    runs: str = "/responses",
    usage: Callable[[], dict[str, Any]],
    render: Callable[..., dict[str, Any]] | None = None,
) -> list[Route]:
    """The Responses dialect: POST to start or to answer at once, GET to ask after, POST to cancel."""
    api = _Responses(world=world, provider=provider, usage=usage, render=render or answer)
    prefix = f"/{provider}"
    return [
        Route(prefix + submit, api.start, methods=["POST"]),
        Route(prefix + runs + "/{ref}/cancel", api.cancel, methods=["POST"]),
        Route(prefix + runs + "/{ref}", api.ask_after),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Responses:
    world: World
    provider: str
    usage: Callable[[], dict[str, Any]]
    render: Callable[..., dict[str, Any]]

    async def start(self, request: Request) -> Response:
        if not request.headers.get("authorization", "").startswith("Bearer "):
            return _refused(401, "invalid_api_key", "Incorrect API key provided.")
        asked = await request.json()
        if asked.get("model") == GONE:
            return _refused(404, "model_not_found", f"The model `{GONE}` does not exist.")
        desk = bench(self.world)
        desk.charge(self.provider, request.headers.get("idempotency-key", ""))
        query = text_of(asked["input"])
        if unknown := set(asked) - KNOWN_FIELDS:
            return _refused(400, "invalid_request", f"Unknown field: {min(unknown)}.")
        if not asked.get("tools"):
            told = answer_judging(self.world, query) or _prose(asked)
            return self._done("resp_text", Written(text=told, marks=()))
        if asked.get("background"):
            return _state(desk.start(self.provider, query), "queued")
        return self._done("resp_1", written(self.world, query))

    async def ask_after(self, request: Request) -> Response:
        ref = request.path_params["ref"]
        run = bench(self.world).runs.get(ref)
        if run is None:
            return _refused(404, "not_found", "No response with that id.")
        if run.cancelled:
            return _state(ref, "cancelled")
        run.polls -= 1
        if run.polls >= 0:
            return _state(ref, "in_progress")
        return self._done(ref, written(self.world, run.query))

    async def cancel(self, request: Request) -> Response:
        run = bench(self.world).runs.get(request.path_params["ref"])
        if run is None:
            return _refused(404, "not_found", "No response with that id.")
        run.cancelled = True
        return _state(request.path_params["ref"], "cancelled")

    def _done(self, ref: str, report: Written) -> JSONResponse:
        return JSONResponse(self.render(self.provider, ref, report, self.usage()))


def _state(ref: str, status: str) -> JSONResponse:
    return JSONResponse({"id": ref, "object": "response", "status": status, "output": []})


def _prose(asked: dict[str, Any]) -> str:
    """What a model writes from material: its first lines, so that a reader can tell where they are from."""
    lines = [line for line in text_of(asked["input"]).splitlines() if line.strip()]
    return "\n".join(lines[:12])


def _refused(status: int, code: str, message: str) -> JSONResponse:
    error = {"message": message, "type": "invalid_request_error", "code": code, "param": None}
    return JSONResponse({"error": error}, status)


def answer(provider: str, ref: str, report: Written, usage: dict[str, Any]) -> dict[str, Any]:
    searched = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {
            "type": "search",
            "sources": [{"type": "url", "url": mark.url} for mark in report.marks],
        },
    }
    message = {
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [
            {
                "type": "output_text",
                "text": report.text,
                "annotations": [
                    {
                        "type": "url_citation",
                        "url": mark.url,
                        "title": mark.title,
                        "start_index": mark.start,
                        "end_index": mark.end,
                    }
                    for mark in report.marks
                ],
            }
        ],
    }
    return {
        "id": ref,
        "object": "response",
        "status": "completed",
        "model": f"{provider}-model",
        "output": [{"type": "reasoning", "summary": []}, searched, message],
        "usage": usage,
        "error": None,
        "incomplete_details": None,
    }
