"""What is remembered of a repeated call, so that its answer in memory is found without validation."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from citewell.server.call_answers import MAX_KNOWN_CALLS, KnownCallKeys, hash_sent_call
from tests.server import steps

ALIKE_VALUES: list[Any] = [1, 1.0, True, "1", "True", [1], ["1"], {"a": 1}, "{'a': 1}", None]


def hash_sent(arguments: Any, name: str = "repeat") -> bytes:
    return hash_sent_call(replace(steps.invocation(), name=name, raw_arguments=arguments))


@pytest.mark.parametrize(("first", "second"), list(combinations(ALIKE_VALUES, 2)))
def test_values_that_python_holds_equal_are_different_calls(first: Any, second: Any) -> None:
    assert hash_sent({"count": first}) != hash_sent({"count": second})


def test_a_text_cannot_imitate_another_argument() -> None:
    assert hash_sent({"a": "x', 'b': 'y"}) != hash_sent({"a": "x", "b": "y"})


def test_the_same_arguments_of_another_tool_are_another_call() -> None:
    assert hash_sent({"query": "a"}) != hash_sent({"query": "a"}, name="other")


def test_half_a_surrogate_pair_can_be_hashed() -> None:
    assert hash_sent({"query": "\ud800"}) == hash_sent({"query": "\ud800"})


def test_the_oldest_keys_are_forgotten() -> None:
    keys, validated = KnownCallKeys(), list[Any]()
    calls = [
        replace(steps.invocation(), raw_arguments={"n": n}) for n in range(MAX_KNOWN_CALLS + 1)
    ]
    for call in [*calls, calls[-1]]:
        keys.find_key(call, validated.append)

    keys.find_key(calls[1], validated.append)
    assert validated == calls
    keys.find_key(calls[0], validated.append)
    assert validated == [*calls, calls[0]]
