"""What is written of a checked draft: the page, the annotated copy, SARIF, the baseline, the repairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewell.core.errors import InvalidInput
from citewell.drafts.commands.checking.certain_repairs import (
    plan_file_repairs,
    render_diff,
    write_file_repair,
)
from tests.checked_drafts import TEXT, make_checked_draft


@pytest.mark.parametrize(("mark", "line_end"), [("", "\n"), ("\ufeff", "\n"), ("", "\r\n")])
def test_a_certain_repair_changes_its_words_and_nothing_else(
    tmp_path: Path, mark: str, line_end: str
) -> None:
    path = tmp_path / "review.md"
    content = mark + TEXT.replace("\n", line_end)
    path.write_bytes(content.encode())
    path.chmod(0o640)

    (plan,) = plan_file_repairs(make_checked_draft(str(path)))
    write_file_repair(plan)

    assert path.read_bytes().decode() == content.replace("Methods, 2019", "Methods, 2020")
    assert path.stat().st_mode & 0o777 == 0o640
    assert "+[1] Virtanen, P. SciPy 1.0. Nature Methods, 2020." in render_diff(plan)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "review.md"
    path.write_text(TEXT)
    (plan,) = plan_file_repairs(make_checked_draft(str(path)))
    path.write_text(TEXT + "More.\n")

    with pytest.raises(InvalidInput, match="has changed"):
        write_file_repair(plan)

    assert path.read_text() == TEXT + "More.\n"


def test_words_that_are_not_there_once_are_left_for_the_person(tmp_path: Path) -> None:
    path = tmp_path / "review.md"
    path.write_text(TEXT.replace("Methods, 2019", "Methods, 2018"))

    (plan,) = plan_file_repairs(make_checked_draft(str(path)))

    assert plan.before == plan.after
    assert plan.left == ("Write 2020, the year of the record.",)


def test_documents_that_are_not_text_are_not_rewritten(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be rewritten"):
        plan_file_repairs(make_checked_draft("review.docx", form="docx"))
    with pytest.raises(InvalidInput, match="Standard input"):
        plan_file_repairs(make_checked_draft("-"))
    path = tmp_path / "latin.md"
    path.write_bytes(TEXT.replace("everybody", "Müller").encode("latin-1"))
    with pytest.raises(InvalidInput, match="UTF-8"):
        plan_file_repairs(make_checked_draft(str(path)))
