"""The trace of a search: which files it enters and how deep it goes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import citewell
from tests.meta.search_trace import CallTrace, trace_warm_search


def test_own_files_and_the_deepest_own_stack_are_recorded() -> None:
    code: dict[str, Any] = {}
    ours, foreign = "/ours/", "/library/"
    for path, text in (
        (f"{ours}inner.py", "def inner():\n    return 1\n"),
        (f"{foreign}middle.py", "def middle():\n    return inner()\n"),
        (f"{ours}outer.py", "def outer():\n    return middle()\n"),
        (f"{ours}idle.py", "def idle():\n    return 1\n"),
    ):
        exec(compile(text, path, "exec"), code)
    trace = CallTrace(home=ours)

    sys.setprofile(trace.record_event)
    try:
        code["idle"]()
        trace.is_recording = True
        code["outer"]()
        trace.is_recording = False
    finally:
        sys.setprofile(None)

    assert trace.files == {"inner.py", "outer.py"}
    assert trace.deepest == ("inner.py: inner", "outer.py: outer")


@pytest.mark.slow
def test_a_warm_search_enters_the_tool_and_a_provider() -> None:
    trace = trace_warm_search(Path(citewell.__file__).parent)

    assert any(path.endswith("web_search.py") for path in trace.files)
    assert any(path.startswith("providers/") for path in trace.files)
    assert 5 <= len(trace.deepest) <= 40
