"""Large answers are written as the same JSON as small ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.server import answer_cuts
from citewell.server.answer_cuts import dump_in_chunks

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(JSON_VALUES)
def test_json_in_chunks_is_the_same_json(value: Any) -> None:
    whole = json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    assert dump_in_chunks(value) == whole


def test_a_long_text_is_written_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_cuts, "_PIECE_CHARS", 3)
    text = 'a"b\\c\n\u2028👩\u200d🔬é'

    assert json.loads(dump_in_chunks({"text": [text], "other": text})) == {
        "text": [text],
        "other": text,
    }
