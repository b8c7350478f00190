"""Any answer of any tool is cut into one that fits its schema: the spine whole, appendices first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.core import tooling as tools
from citewell.core.values.wire_values import AnswerPart
from citewell.server.answer_cuts import (
    CutAnswer,
    PartPlan,
    build_part_plan,
    count_json_bytes,
    cut_answer,
)
from citewell.text.truncation import cut_body
from tests.answer_samples import build_sample, validate_answer
from tests.requirements import requires

TOOLS = tools.load_all_tools()
SIZE_KEYS = {"truncated", "contentLength", "originalLength", "estimatedTokens", "sizeCategory"}


def measure(shown: CutAnswer) -> int:
    return count_json_bytes(shown.body | {"cut": [cut.to_wire() for cut in shown.cuts]})


def find_losses(
    whole: Any, shown: Any, plan: PartPlan, path: str = ""
) -> Iterator[tuple[str, int, int, AnswerPart | None]]:
    """The path of every text and list that is shorter than it was, with both lengths and its part."""
    if isinstance(whole, dict) and plan.part is AnswerPart.APPENDIX:
        assert list(shown.items()) == list(whole.items())[: len(shown)], path
        if len(shown) < len(whole):
            yield path, len(shown), len(whole), plan.part
        return
    if isinstance(whole, dict):
        assert list(shown) == list(whole), path
        for key, value in whole.items():
            if key not in SIZE_KEYS:
                yield from find_losses(value, shown[key], plan.find_member(key), f"{path}/{key}")
        return
    if isinstance(whole, list):
        if len(shown) < len(whole):
            yield path, len(shown), len(whole), plan.part
        for number, value in enumerate(shown):
            yield from find_losses(
                whole[number], value, plan.find_member(number), f"{path}/{number}"
            )
        return
    if isinstance(whole, str) and whole != shown:
        assert whole.startswith(shown), path
        yield path, len(shown), len(whole), plan.part
        return
    assert whole == shown, path


def strip_to_spine(value: Any, plan: PartPlan) -> Any:
    """What is left of an answer when everything that may be cut is cut as far as it can be."""
    if isinstance(value, list | dict) and plan.part is AnswerPart.APPENDIX:
        return type(value)()
    if isinstance(value, list):
        if plan.part is AnswerPart.BODY:
            return []
        return [strip_to_spine(child, plan.find_member(0)) for child in value]
    if isinstance(value, dict):
        return {key: strip_to_spine(child, plan.find_member(key)) for key, child in value.items()}
    return value[:600] if isinstance(value, str) and plan.part is AnswerPart.BODY else value


@requires("answer.spine", "answer.appendices")
@settings(max_examples=60, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(TOOLS)), room=st.integers(0, 30_000))
def test_any_answer_keeps_its_spine_and_lists_every_loss(
    data: st.DataObject, name: str, room: int
) -> None:
    lengths = st.sampled_from([0, 3, 40, 390, 700, 9_000])
    body = build_sample(
        TOOLS[name].result,
        text_length=lambda: data.draw(lengths),
        item_count=lambda depth: data.draw(st.integers(0, 4)),
    )
    plan = build_part_plan(TOOLS[name].result)

    shown = cut_answer(body, plan, room)

    losses = list(find_losses(body, shown.body, plan))
    noted = {(cut.path, cut.kept, cut.total) for cut in shown.cuts}
    parts = {part for *_, part in losses}
    assert {loss[:3] for loss in losses} == noted
    assert parts <= {AnswerPart.BODY, AnswerPart.APPENDIX}
    if AnswerPart.BODY in parts:  # then no appendix has an entry left
        assert all(kept == 0 for _, kept, _, part in losses if part is AnswerPart.APPENDIX)
    validate_answer(TOOLS[name], shown.body)
    if count_json_bytes(body) <= room:
        assert shown.body == body
    elif count_json_bytes(strip_to_spine(body, plan)) + 150 * len(list_parts(body, plan)) <= room:
        assert measure(shown) <= room


def list_parts(value: Any, plan: PartPlan) -> list[Any]:
    """Every text, list and mapping that may be cut; each may need an entry in the list of cuts."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    listed: list[Any] = []
    for key, child in members:
        inner = plan.find_member(key)
        listed += [child] if inner.part not in {None, AnswerPart.SPINE} else []
        listed += list_parts(child, inner) if isinstance(child, dict | list) else []
    return listed


@requires("answer.spine", "answer.appendices", "get_results.synthesis_whole")
@pytest.mark.parametrize("synthesis_chars", [2_000, 20_000])
@pytest.mark.parametrize("room", [5_000, 24_000, 60_000])
def test_a_large_evidence_pack_costs_no_word_of_the_synthesis(
    synthesis_chars: int, room: int
) -> None:
    model = TOOLS["get_results"].result
    body = build_sample(model) | {"synthesis": "Tides rise. " * (synthesis_chars // 12)}
    passage = body["evidencePack"]["passages"][0] | {"text": "A passage of the pack. " * 40}
    body["evidencePack"] |= {"passages": [passage] * 100}

    shown = cut_answer(body, build_part_plan(model), room)

    kept = shown.body["evidencePack"]["passages"]
    assert shown.body["synthesis"] == body["synthesis"]
    assert all(row == passage for row in kept)
    assert ("/evidencePack/passages", len(kept), 100) in {
        (cut.path, cut.kept, cut.total) for cut in shown.cuts
    }


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=700),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=40,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(
    body=st.dictionaries(st.text(max_size=8), JSON_VALUES, max_size=6),
    room=st.integers(-500, 9_000),
    part=st.sampled_from([None, AnswerPart.BODY]),
)
def test_any_json_is_cut_without_a_silent_loss(
    body: dict[str, Any], room: int, part: AnswerPart | None
) -> None:
    before, plan = json.dumps(body), PartPlan(part=part)

    shown = cut_answer(body, plan, room)

    unescaped = {
        (cut.path.replace("~1", "/").replace("~0", "~"), cut.kept, cut.total) for cut in shown.cuts
    }
    assert {loss[:3] for loss in find_losses(body, shown.body, plan)} == unescaped
    assert json.dumps(body) == before
    if count_json_bytes(body) <= room or part is None:
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

    shown = cut_answer(body, PartPlan(part=AnswerPart.BODY), count_json_bytes(body))

    assert shown.body == body
    assert shown.cuts == ()
