"""The budget of the tree's size: what is above it fails, and only a reason raises it."""

from __future__ import annotations

from pathlib import Path

from tests.meta.size_budget import SizeBudget

BUDGET = SizeBudget(limits={"files": 10, "code_lines": 1000}, reasons=("an older one",))


def test_only_what_is_above_its_limit_is_reported_with_what_to_do() -> None:
    overruns = BUDGET.list_overruns({"files": 11, "code_lines": 1000, "unlimited": 9})

    assert overruns.keys() == {"files"}
    assert overruns["files"].startswith("files is 11 and its budget 10.")
    assert "in the same commit" in overruns["files"]
    assert '--raise "' in overruns["files"]


def test_writing_lowers_limits_and_raises_none() -> None:
    lowered = BUDGET.lower_limits({"files": 11, "code_lines": 900})

    assert lowered == SizeBudget(limits={"files": 10, "code_lines": 900}, reasons=BUDGET.reasons)


def test_a_raise_keeps_its_reason_and_what_it_raised() -> None:
    raised = BUDGET.raise_limits({"files": 12, "code_lines": 900}, "a new room")

    assert raised.limits == {"files": 12, "code_lines": 900}
    assert raised.reasons == ("an older one", "files 10 → 12: a new room")


def test_a_reason_is_not_kept_where_nothing_was_raised() -> None:
    raised = BUDGET.raise_limits({"files": 10, "code_lines": 1000}, "for nothing")

    assert raised == BUDGET


def test_a_figure_of_names_that_got_worse_needs_a_reason_too() -> None:
    raised = BUDGET.raise_limits(
        {"files": 10, "code_lines": 1000}, "names of a standard", worse_names=["unique_functions"]
    )

    assert raised.reasons[-1] == "unique_functions is worse: names of a standard"


def test_a_saved_budget_is_loaded_again(tmp_path: Path) -> None:
    BUDGET.save_budget(tmp_path / "budget.json")

    assert SizeBudget.load_budget(tmp_path / "budget.json") == BUDGET
