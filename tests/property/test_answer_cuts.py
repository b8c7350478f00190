"""Any answer of any tool is cut into one that fits its schema, and nothing is lost without a note."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell import tools
from citewell.server.answers.answer_cuts import CutAnswer, cut_answer
from citewell.server.answers.body_plans import BodyPlan, build_body_plan
from citewell.server.answers.json_sizes import count_json_bytes, measure_least_bytes
from citewell.text.body_cuts import cut_body
from tests.answer_samples import build_sample, validate_answer

TOOLS = tools.load_all_tools()


def measure(shown: CutAnswer) -> int:
    return count_json_bytes(shown.body | {"cut": [cut.to_wire() for cut in shown.cuts]})


def find_losses(whole: Any, shown: Any, path: str = "") -> Iterator[tuple[str, int, int]]:
    """The path of every text and list that is shorter than it was, with both lengths."""
    if isinstance(whole, dict):
        assert list(shown) == list(whole), path
        for key, value in whole.items():
            if key not in {"truncated", "contentLength", "originalLength"}:
                yield from find_losses(value, shown[key], f"{path}/{key}")
        return
    if isinstance(whole, list):
        if len(shown) < len(whole):
            yield path, len(shown), len(whole)
        for number, value in enumerate(shown):
            yield from find_losses(whole[number], value, f"{path}/{number}")
        return
    if isinstance(whole, str) and whole != shown:
        assert whole.startswith(shown), path
        yield path, len(shown), len(whole)
        return
    assert whole == shown, path


@settings(max_examples=40, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(TOOLS)), room=st.integers(0, 30_000))
def test_any_answer_is_cut_without_a_silent_loss(data: st.DataObject, name: str, room: int) -> None:
    lengths = st.sampled_from([0, 3, 40, 390, 700, 9_000])
    body = build_sample(
        TOOLS[name].result,
        text_length=lambda: data.draw(lengths),
        item_count=lambda depth: data.draw(st.integers(0, 4)),
    )
    plan = build_body_plan(TOOLS[name].result)

    shown = cut_answer(body, plan, room)

    noted = {(cut.path, cut.kept, cut.total) for cut in shown.cuts}
    assert set(find_losses(body, shown.body)) == noted
    validate_answer(TOOLS[name], shown.body)
    if count_json_bytes(body) <= room:
        assert shown.body == body
    elif measure_least_bytes({key: [] if isinstance(value, list) else value for key, value in body.items()}, plan, "", 10**9) + 2000 <= room:  # fmt: skip
        assert measure(shown) <= room


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=700),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=40,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(
    body=st.dictionaries(st.text(max_size=8), JSON_VALUES, max_size=6),
    room=st.integers(-500, 9_000),
    is_long=st.booleans(),
)
def test_any_json_is_cut_without_a_silent_loss(
    body: dict[str, Any], room: int, *, is_long: bool
) -> None:
    before = json.dumps(body)

    shown = cut_answer(body, BodyPlan(is_long=is_long), room)

    unescaped = {
        (cut.path.replace("~1", "/").replace("~0", "~"), cut.kept, cut.total) for cut in shown.cuts
    }
    lost = {
        one
        for one in find_losses(body, shown.body)
        if not one[0].endswith(("/truncated", "/contentLength", "/originalLength"))
    }
    assert lost == unescaped
    assert json.dumps(body) == before
    if count_json_bytes(body) <= room:
        assert shown.body == body


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.sampled_from("ab .\n|`~。é\u0301👩\u200d🔬🏽"), max_size=300)
    | st.text(max_size=300),
    st.integers(0, 80),
)
def test_a_cut_body_is_the_beginning_of_the_text(text: str, size: int) -> None:
    cut = cut_body(text, size)

    assert text.startswith(cut.text)
    assert len(cut.text) <= size
    assert cut.text == text or len(text) > size
    assert not size or cut.text or not text


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_the_sample_of_an_answer_fits_its_own_schema(name: str) -> None:
    validate_answer(TOOLS[name], build_sample(TOOLS[name].result))


def test_an_answer_that_just_fits_is_not_cut() -> None:
    body = {"a": {"b": {"c": [None, None]}, "d": [{"e": None}, {"f": -100_000}]}}

    shown = cut_answer(body, BodyPlan(is_long=False), count_json_bytes(body))

    assert shown.body == body
    assert shown.cuts == ()
