"""The scholarly tools: their arguments, their cache and their bounds."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError

from citewell.core import tooling as tools
from citewell.core.tooling import Tool, ToolCall
from citewell.core.values.paper_results import GraphAnswer, PapersAnswer
from citewell.scholar.literature_search import LiteratureSearch
from tests.fake_services import offer_service
from tests.requirements import requires

PAPERS = PapersAnswer(papers=(), query="q", total_results=0, result_count=0, source="openalex")


GRAPH = GraphAnswer(seed="s", direction="both", provider="openalex", cited_by=(), references=())


@requires("academic_search.cache", "citation_graph.cache")
@pytest.mark.parametrize(
    ("name", "seconds", "default"),
    [
        ("academic_search", 3600, True),
        ("citation_graph", 86_400, True),
        ("paper_fulltext", 3600, False),
    ],
)
def test_a_scholarly_tool_keeps_its_answers_as_long_as_the_spec_says(
    name: str, seconds: int, *, default: bool
) -> None:
    tool = tools.load_tool(name)

    assert (tool.toolset, tool.ttl_seconds, tool.in_default_profile) == (
        "scholar",
        seconds,
        default,
    )
    assert tool.read_only
    assert tool.idempotent
    assert tool.open_world


@pytest.mark.parametrize(
    ("name", "answer"), [("academic_search", PAPERS), ("citation_graph", GRAPH)]
)
def test_an_empty_answer_is_not_kept_for_long(name: str, answer: Any) -> None:
    empty = tools.load_tool(name).is_empty_result

    assert empty is not None
    assert empty(answer)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("academic_search", {"query": ""}),
        ("academic_search", {"query": "x" * 501}),
        ("academic_search", {"query": "x", "num_results": 11}),
        ("academic_search", {"query": "x", "year_from": 1899}),
        ("academic_search", {"query": "x", "source": "elsevier"}),
        ("citation_graph", {"paper": "x", "num_results": 26}),
        ("citation_graph", {"paper": "x", "direction": "sideways"}),
        ("paper_fulltext", {"identifier": "x", "max_length": 999}),
        ("paper_fulltext", {"identifier": "x", "max_length": 200_001}),
        ("paper_fulltext", {"identifier": ""}),
    ],
)
def test_arguments_out_of_bounds_are_refused(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        tools.load_tool(name).args.model_validate(arguments)


def test_a_query_is_measured_in_characters() -> None:
    args = tools.load_tool("academic_search").args.model_validate({"query": "水" * 500})

    assert args.collect_cache_key()["query"] == "水" * 500


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


def test_every_argument_of_a_search_reaches_the_service() -> None:
    arguments = {
        "query": "water",
        "num_results": 7,
        "year_from": 2001,
        "year_to": 2002,
        "source": "arxiv",
        "pdf_only": True,
        "sort_by": "date",
        "open_access": True,
        "full_text": True,
        "provider": "openalex",
        "sessionId": "s",
    }

    sent = run(tools.load_tool("academic_search"), LiteratureSearch, arguments)

    assert (sent.query, sent.count, sent.year_from, sent.year_to) == ("water", 7, 2001, 2002)
    assert (sent.source, sent.pdf_only, sent.sort, sent.open_access) == (
        "arxiv",
        True,
        "date",
        True,
    )
    assert (sent.full_text, sent.provider) == (True, "openalex")


def test_the_session_does_not_change_the_answer() -> None:
    args = tools.load_tool("academic_search").args

    assert (
        args.model_validate({"query": "x", "sessionId": "a"}).collect_cache_key()
        == args.model_validate({"query": "x"}).collect_cache_key()
    )
