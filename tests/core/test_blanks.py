"""What clients send for an argument they have nothing to say in, to every tool."""

from __future__ import annotations

import contextlib

import pytest
from pydantic import ValidationError

from citewell.core import tooling as tools
from citewell.core.tooling import Tool

NAMES = tools.list_tool_names()


def tool(name: str) -> Tool:
    found = tools.load_tool(name)
    assert isinstance(found, Tool)
    return found


@pytest.mark.parametrize("value", ["", " "], ids=["empty", "blank"])
@pytest.mark.parametrize("name", NAMES)
def test_an_argument_without_content_is_taken_or_refused_and_breaks_nothing(
    name: str, value: str
) -> None:
    model = tool(name).args

    for aliases in model.list_argument_names().values():
        with contextlib.suppress(ValidationError):
            model.model_validate({aliases[0]: value})


@pytest.mark.parametrize(
    ("name", "argument", "required"),
    [
        ("web_search", "claim", {"query": "x"}),
        ("web_search", "exact_terms", {"query": "x"}),
        ("search_and_scrape", "claim", {"query": "x"}),
        ("verify_citation", "claim", {"citation": "10.1000/x"}),
        ("verify_recommendation", "claim", {"recommendations": [{"title": "x"}]}),
        ("audit_bibliography", "bibliography", {}),
        ("check_draft", "bibliography", {"text": "x"}),
    ],
)
def test_an_empty_optional_text_is_as_good_as_none(
    name: str, argument: str, required: dict[str, object]
) -> None:
    args = tool(name).args.model_validate(required | {argument: ""})

    assert getattr(args, argument) is None
