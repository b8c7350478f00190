"""The program that measures a tree: its exit code, its table, and what it commits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.meta import tree_figures
from tests.meta.size_budget import SizeBudget
from tests.meta.written_trees import write_tree

NAMES = {
    "words_per_function": 2.0,
    "one_word_functions": 0.0,
    "unique_functions": 1.0,
    "one_word_classes": 0.0,
    "largest_folder": 2,
    "any_per_thousand_lines": 0.0,
}
LIMITS = {"code_lines": 4, "files": 2, "one_importer_modules": 1, "largest_room_lines": 4}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of two files that is exactly at its budget."""
    source = tmp_path / "src"
    write_tree(
        source,
        {
            "house/room/desk.py": "from house.room import lamp\nLIGHT = lamp.switch_on()\n",
            "house/room/lamp.py": "def switch_on():\n    return 1\n",
        },
    )
    monkeypatch.setattr(tree_figures, "SOURCE", source)
    monkeypatch.setattr(tree_figures, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(tree_figures, "BUDGET", tmp_path / "budget.json")
    monkeypatch.setattr(tree_figures, "COMMITTED_NAMES", tmp_path / "names.json")
    SizeBudget(limits=LIMITS).save_budget(tmp_path / "budget.json")
    (tmp_path / "names.json").write_text(json.dumps(NAMES), encoding="utf-8")
    return source / "house"


def load_committed(house: Path) -> tuple[SizeBudget, dict[str, float]]:
    folder = house.parents[1]
    names = json.loads((folder / "names.json").read_text(encoding="utf-8"))
    return SizeBudget.load_budget(folder / "budget.json"), names


def test_a_tree_at_its_budget_passes(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tree_figures.main([]) == 0

    table = capsys.readouterr().out
    assert "budget         4  room" in table
    assert "code lines of each room: room 4\n" in table


def test_a_tree_above_its_budget_fails_and_says_what_to_do(
    house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (house / "room" / "chair.py").write_text("")

    assert tree_figures.main([]) == 1

    assert "files is 3 and its budget 2. Make it smaller, or raise" in capsys.readouterr().out


def test_writing_does_not_raise_the_budget(house: Path) -> None:
    (house / "room" / "chair.py").write_text("")
    (house / "room" / "desk.py").write_text("")

    assert tree_figures.main(["--write"]) == 1

    budget, _ = load_committed(house)
    assert budget.limits == {
        "code_lines": 2,
        "files": 2,
        "one_importer_modules": 0,
        "largest_room_lines": 2,
    }
    assert budget.reasons == ()


def test_a_raise_with_a_reason_passes(house: Path) -> None:
    (house / "room" / "chair.py").write_text("def sit() -> Any: ...\n")

    assert tree_figures.main(["--raise", "people sit"]) == 0

    budget, names = load_committed(house)
    assert budget.limits["files"] == 3
    assert budget.reasons[0].startswith("code_lines 4 → 5, files 2 → 3, largest_room_lines 4 → 5, ")
    assert budget.reasons[0].endswith(", any_per_thousand_lines is worse: people sit")
    assert names["one_word_functions"] == 0.5
    assert tree_figures.main([]) == 0


def test_worse_names_fail_and_are_not_written_without_a_reason(
    house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (house / "room" / "lamp.py").write_text("def light():\n    return 1\n")

    assert tree_figures.main(["--write"]) == 1

    assert "WORSE" in capsys.readouterr().out
    assert load_committed(house)[1] == NAMES


def test_a_raise_without_a_reason_is_refused(house: Path) -> None:
    with pytest.raises(SystemExit):
        tree_figures.main(["--raise", " "])


def test_what_a_figure_counts_can_be_listed(
    house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tree_figures.main(["--list", "short_functions"]) == 0
    assert capsys.readouterr().out == "house.room.lamp.switch_on\n"

    assert tree_figures.main(["--list", "long_functions"]) == 2
    assert "There are: code_lines, files" in capsys.readouterr().err
