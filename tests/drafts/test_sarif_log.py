"""What is written of a checked draft: the page, the annotated copy, SARIF, the baseline, the repairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewell.core.errors import InvalidInput
from citewell.drafts.commands.checking import checked_draft, sarif_log
from citewell.drafts.commands.checking.sarif_log import build_sarif_log
from citewell.drafts.draft_findings import DraftVerdict
from tests.checked_drafts import TEXT, make_checked_draft


def test_sarif_names_rule_place_level_and_fingerprint() -> None:
    log = build_sarif_log([make_checked_draft("docs/my review.md")])

    run = log["runs"][0]
    first, second = run["results"][:2]
    assert first["ruleId"] == run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"]
    assert first["level"] == "error"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/my%20review.md"
    assert place["region"] == {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 38}
    assert "2001" in first["message"]["text"]
    assert second["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"] == {
        "text": "2020"
    }
    assert [result["level"] for result in run["results"]] == [
        "error",
        "error",
        "error",
        "note",
        "note",
    ]


def test_a_baseline_leaves_out_what_it_lists_even_after_lines_have_moved(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    checked = make_checked_draft()

    count = sarif_log.write_baseline(path, [checked])
    moved = make_checked_draft(text=f"A new first paragraph.\n\n{TEXT}")
    left = sarif_log.omit_known_findings(moved, sarif_log.read_baseline(path))

    assert count == 5
    assert [finding.verdict for finding in left.report.findings] == [DraftVerdict.SUPPORTED]
    assert "5 known from the baseline" in checked_draft.describe_totals(left)


@pytest.mark.parametrize("content", ["", "[]", '{"findings": [1]}', '{"findings": [{}]}'])
def test_a_file_that_is_no_baseline_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(content)

    with pytest.raises(InvalidInput, match="--write-baseline"):
        sarif_log.read_baseline(path)
    with pytest.raises(InvalidInput, match="--write-baseline"):
        sarif_log.read_baseline(tmp_path / "missing.json")
