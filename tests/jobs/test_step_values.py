"""The values that research steps pass on."""

from __future__ import annotations

import pytest

from citewell.jobs.step_values import PageReading, QuestionSide


@pytest.mark.parametrize(
    ("state", "text", "read"),
    [
        ("read", "Trees cool streets.", True),
        ("read", "", False),
        ("unreachable", "Trees cool streets.", False),
        ("refused", "", False),
    ],
)
def test_a_page_is_read_if_it_could_be_fetched_and_has_text(
    state: str, text: str, read: bool
) -> None:
    assert PageReading(url="https://a.example/", state=state, text=text).is_read is read


def test_a_side_of_a_question_is_no_counter_position_unless_said() -> None:
    assert not QuestionSide(title="Costs", query="costs of street trees").counter


def test_a_plan_that_an_older_version_stored_can_still_be_read() -> None:
    stored = {"title": "Costs", "query": "costs", "about": "trees", "cue": "cost", "counter": True}

    assert QuestionSide.model_validate(stored).counter
