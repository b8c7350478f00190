"""The arguments of citation_graph."""

from __future__ import annotations

import asyncio
from typing import Any

from citewell.core import tooling as tools
from citewell.core.tooling import Tool, ToolCall
from citewell.core.values.paper_results import GraphAnswer, PapersAnswer
from citewell.scholar.tools.citation_graph import CitationGraphSearch
from tests.fake_services import offer_service

PAPERS = PapersAnswer(papers=(), query="q", total_results=0, result_count=0, source="openalex")


GRAPH = GraphAnswer(seed="s", direction="both", provider="openalex", cited_by=(), references=())


class Spy:
    def __init__(self) -> None:
        self.requests: list[Any] = []

    async def search_literature(self, request: Any, *, trace: Any) -> PapersAnswer:
        self.requests.append(request)
        return PAPERS

    async def find_neighbours(self, request: Any, *, trace: Any) -> GraphAnswer:
        self.requests.append(request)
        return GRAPH


def run(tool: Tool, kind: type[Any], arguments: dict[str, Any]) -> Any:
    spy = Spy()
    call = ToolCall(require_service=offer_service(kind, spy))
    asyncio.run(tool.run(tool.args.model_validate(arguments), call))  # type: ignore[arg-type]  # a coroutine
    return spy.requests[0]


def test_every_argument_of_a_walk_reaches_the_service() -> None:
    arguments = {
        "paper": "10.1234/x",
        "direction": "cited_by",
        "num_results": 3,
        "influential_only": True,
        "provider": "openalex",
    }

    request = run(tools.load_tool("citation_graph"), CitationGraphSearch, arguments)

    assert (request.paper, request.direction, request.count) == ("10.1234/x", "cited_by", 3)
    assert (request.influential_only, request.provider) == (True, "openalex")
