"""Changing any result-affecting argument changes the cache key; nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from citewell import tools
from citewell.server.middleware.cache import cache_key
from citewell.server.pipeline import Invocation
from citewell.tooling import Arguments, Call

CACHED = [name for name in tools.names() if tools.load(name).ttl is not None]
# A valid value other than the first one, by the argument's published name.
OTHER: dict[str, Any] = {
    "query": "another question",
    "id": "https://example.org/another",
    "num_results": 9,
    "category": "news",
    "fetch_content": True,
    "time_range": "week",
    "language": "de",
    "country": "DE",
    "safe": "high",
    "site": "example.org",
    "sites": ["example.org", "example.com"],
    "lens": "academic",
    "exact_terms": "exact words",
    "exclude_terms": "not these",
    "provider": "brave",
    "claim": "something is so",
}
REQUIRED = {"query": "a question", "id": "https://example.org/"}


def key(name: str, values: dict[str, Any]) -> str:
    tool = tools.load(name)
    needed = {
        field: REQUIRED[field]
        for field, info in tool.args.model_fields.items()
        if info.is_required()
    }
    args: Arguments = tool.args.model_validate(needed | values)
    call = Call(provide=lambda kind: None)
    return cache_key(Invocation(name=name, tool=tool, raw={}, call=call, args=args))


def published(name: str, *, keyed: bool) -> list[str]:
    model = tools.load(name).args
    fields = model.model_validate(
        {field: REQUIRED[field] for field, info in model.model_fields.items() if info.is_required()}
    ).keyed()
    return [wire[0] for field, wire in model.names().items() if (field in fields) is keyed]


@pytest.mark.parametrize(
    ("name", "argument"),
    [(name, field) for name in CACHED for field in published(name, keyed=True)],
)
def test_an_argument_that_changes_the_result_changes_the_key(name: str, argument: str) -> None:
    assert key(name, {argument: OTHER[argument]}) != key(name, {})


@pytest.mark.parametrize(
    ("name", "argument"),
    [(name, field) for name in CACHED for field in published(name, keyed=False)],
)
def test_a_session_is_no_part_of_the_key(name: str, argument: str) -> None:
    assert argument == "sessionId"
    assert key(name, {argument: "one"}) == key(name, {argument: "two"})
