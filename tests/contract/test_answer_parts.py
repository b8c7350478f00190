"""Every result model declares which of its large fields are spine, body and appendix."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from citewell.core import tooling as tools
from citewell.core.values.wire_values import AnswerPart
from tests.requirements import requires

TOOLS = tools.load_all_tools()
LINKED_BY_SPEC = {"scrape_page", "search_and_scrape", "research_export"}


def find_fields(model: type[BaseModel], path: str) -> Iterator[tuple[str, str, bool]]:
    """Each field outside of lists: its path, its kind, and whether its part is declared."""
    for name, field in model.model_fields.items():
        yield from _find_inside(field.annotation, f"{path}.{name}", _has_mark(field.metadata))


def _find_inside(kind: Any, path: str, marked: Any) -> Iterator[tuple[str, str, bool]]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        yield from _find_inside(arguments[0], path, marked or _has_mark(arguments[1:]))
    elif origin in (Union, types.UnionType):
        for option in arguments:
            yield from _find_inside(option, path, marked)
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        yield path, "object", marked
        yield from find_fields(kind, path)
    elif kind is Any or (origin in (list, tuple, dict) and not _is_plain(arguments)):
        yield path, "large", marked


def _has_mark(metadata: Any) -> bool:
    return any(isinstance(mark, AnswerPart) for mark in metadata)


def _is_plain(arguments: tuple[Any, ...]) -> bool:
    """Whether a list or mapping holds only short texts and numbers."""
    return all(one in {str, int, float, bool, ...} for one in arguments)


@requires("answer.declared")
@pytest.mark.parametrize("name", sorted(TOOLS))
def test_every_large_field_of_a_result_says_which_part_it_is(name: str) -> None:
    if TOOLS[name].is_always_inline:
        return
    fields = list(find_fields(TOOLS[name].result, TOOLS[name].result.__name__))

    undeclared = [path for path, kind, marked in fields if kind == "large" and not marked]
    assert undeclared == [], "mark them as Spine, Body or Appendix of core/values/wire_values.py"
    # An object keeps all its keys, so the lists inside it are marked, not the object.
    assert [path for path, kind, marked in fields if kind == "object" and marked] == []


@requires("artifact.three_tools")
def test_only_the_tools_that_spec_1_names_link_from_the_threshold_on() -> None:
    assert {name for name, tool in TOOLS.items() if tool.links_large_results} == LINKED_BY_SPEC
