"""A tool's argument and the service request made from it have the same bounds and choices."""

from __future__ import annotations

import dataclasses
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from citewell.core import tooling as tools
from citewell.core.errors import InvalidInput
from citewell.core.values.argument_types import (
    ArgumentBounds,
    BudgetTier,
    NewsTimeRange,
    TimeRange,
    check_declared_bounds,
    read_declared_bounds,
)
from citewell.core.values.paper import PaperQuery
from citewell.core.values.research import RESEARCH_TIERS
from citewell.core.values.search_queries import SearchQuery
from citewell.scholar.paper_search_ladder import PaperSearchRequest
from citewell.search.search_request import SearchRequest, normalize_request


def is_taken_by_tool(name: str, value: Any) -> bool:
    try:
        tools.load_tool("web_search").args.model_validate({"query": "words", name: value})
    except ValidationError:
        return False
    return True


def is_taken_by_service(name: str, value: Any) -> bool:
    try:
        normalize_request(dataclasses.replace(SearchRequest(query="words"), **{name: value}))
    except InvalidInput:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "value", "taken"),
    [
        ("query", "x" * 500, True),
        ("query", "x" * 501, False),
        ("query", "\u200b".join("x" * 400), False),  # invisible characters count as well
        ("exact_terms", "x" * 200, True),
        ("exact_terms", "x" * 300, False),
        ("exclude_terms", "x" * 200, True),
        ("exclude_terms", "x" * 300, False),
        ("claim", "x" * 2000, True),
        ("claim", "x" * 2001, False),
        ("time_range", "day", True),
        ("time_range", "hour", False),
        ("safe", "high", True),
        ("safe", "strict", False),
        ("category", "science", True),
        ("category", "", False),
        ("sites", tuple(f"s{n}.example.org" for n in range(10)), True),
        ("sites", tuple(f"s{n}.example.org" for n in range(11)), False),
    ],
)
def test_a_search_argument_is_taken_or_refused_alike_by_tool_and_service(
    name: str, value: Any, taken: bool
) -> None:
    assert (is_taken_by_tool(name, value), is_taken_by_service(name, value)) == (taken, taken)


def find_request(name: str) -> Any:
    """The service request that a tool's Args inherit."""
    kinds = tools.load_tool(name).args.__mro__
    return next((kind for kind in kinds if "__dataclass_fields__" in vars(kind)), None)


REQUESTS: dict[str, Any] = {
    name: kind for name in tools.list_tool_names() if (kind := find_request(name))
}
NEEDED = {"query": "words", "paper": "10.1000/x", "identifier": "10.1000/x", "url": "example.org"}
PEOPLE_NEEDED = {"note": "words", "workspace_id": "team"}  # of the tools of users' own notes


def list_edge_values(bounds: ArgumentBounds) -> list[tuple[Any, bool]]:
    """Values at and just beyond each bound, and whether they are allowed."""
    values: list[tuple[Any, bool]] = [(choice, True) for choice in bounds.choices]
    if bounds.choices:
        values.append(("no such choice", False))
    if bounds.ge is not None:
        values += [(bounds.ge, True), (bounds.ge - 1, False)]
    if bounds.le is not None:
        values += [(bounds.le, True), (bounds.le + 1, False)]
    if bounds.max_length is not None:
        entry: Any = ("x",) if bounds.name in {"sites", "tags"} else "x"
        values += [(entry * bounds.max_length, True), (entry * (bounds.max_length + 1), False)]
    if bounds.min_length is not None:
        values.append(("", False))
    return values


EDGES = [
    (name, field, value, allowed)
    for name, kind in REQUESTS.items()
    for field, bounds in read_declared_bounds(kind).items()
    for value, allowed in list_edge_values(bounds)
]


def build_values(name: str, field: str, value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of a request by field, and by the names that a client uses."""
    bounds = read_declared_bounds(REQUESTS[name])
    is_note = tools.load_tool(name).toolset == "people" and name != "monitor_query_save"
    needed = PEOPLE_NEEDED if is_note else NEEDED
    given = {key: text for key, text in needed.items() if key in bounds} | {field: value}
    return given, {bounds[key].name: text for key, text in given.items()}


@pytest.mark.parametrize(("name", "field", "value"), [edge[:3] for edge in EDGES if edge[3]])
def test_a_value_at_a_bound_is_taken_by_tool_and_service(name: str, field: str, value: Any) -> None:
    _, wire = build_values(name, field, value)

    request = tools.load_tool(name).args.model_validate(wire).build_request(REQUESTS[name])

    check_declared_bounds(request)
    assert type(request) is REQUESTS[name]
    assert getattr(request, field) == value


@pytest.mark.parametrize(("name", "field", "value"), [edge[:3] for edge in EDGES if not edge[3]])
def test_a_value_beyond_a_bound_is_refused_by_tool_and_service_under_its_published_name(
    name: str, field: str, value: Any
) -> None:
    given, wire = build_values(name, field, value)
    published = read_declared_bounds(REQUESTS[name])[field].name

    with pytest.raises(ValidationError) as refused:
        tools.load_tool(name).args.model_validate(wire)
    assert refused.value.errors()[0]["loc"][0] == published
    with pytest.raises(InvalidInput, match=published):
        check_declared_bounds(REQUESTS[name](**given))


def test_the_tools_that_search_and_read_inherit_their_arguments() -> None:
    areas = {"domains", "people"}
    domains = {name for name in REQUESTS if tools.load_tool(name).toolset in areas}

    assert set(REQUESTS) - domains == {
        "web_search",
        "search_and_scrape",
        "academic_search",
        "citation_graph",
        "paper_fulltext",
        "scrape_page",
    }
    assert len(EDGES) > 60


@pytest.mark.parametrize("name", REQUESTS)
def test_a_tool_does_not_declare_an_argument_of_its_request_again(name: str) -> None:
    own = vars(tools.load_tool(name).args).get("__annotations__", {})

    assert not own.keys() & read_declared_bounds(REQUESTS[name]).keys()


@pytest.mark.parametrize(
    ("query", "request_kind", "wider"),
    [
        (SearchQuery, SearchRequest, {"time_range", "sites"}),
        (PaperQuery, PaperSearchRequest, set()),
    ],
)
def test_a_provider_query_allows_what_its_request_allows(
    query: Any, request_kind: Any, wider: set[str]
) -> None:
    asked, given = read_declared_bounds(query), read_declared_bounds(request_kind)
    shared = asked.keys() & given.keys() - {"count"} - wider

    assert len(shared) >= 5
    for name in shared:
        assert dataclasses.replace(asked[name], name="") == dataclasses.replace(
            given[name], name=""
        )
        defaults = [
            {field.name: field.default for field in dataclasses.fields(kind)}[name]
            for kind in (query, request_kind)
        ]
        assert defaults[0] == defaults[1]


def test_only_news_can_be_searched_by_the_hour() -> None:
    assert set(get_args(NewsTimeRange)) - set(get_args(TimeRange)) == {"hour"}
    assert read_declared_bounds(SearchQuery)["time_range"].choices == get_args(NewsTimeRange)


def test_every_tier_that_can_be_named_has_its_limits() -> None:
    assert tuple(RESEARCH_TIERS) == get_args(BudgetTier)
