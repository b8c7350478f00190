"""A finding that a draft has many times: shown once with its places, counted every time."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from citewell.drafts.commands.check import render_annotated_copy
from citewell.drafts.commands.checking import sarif_log
from citewell.drafts.commands.checking.checked_draft import CheckedDraft, print_findings
from citewell.drafts.commands.checking.draft_page import render_draft_page
from citewell.drafts.commands.checking.sarif_log import build_sarif_log
from citewell.drafts.draft import Draft
from citewell.drafts.draft_check import DraftRequest, DraftRequests
from citewell.drafts.draft_findings import (
    DraftFinding,
    DraftReport,
    describe_places,
    group_repeated_findings,
)
from citewell.drafts.draft_findings import DraftVerdict as V
from tests.drafts.manuscripts import OWNER, PAGE, check, checker, manuscript
from tests.requirements import requires
from tests.trust.desk import Desk, page

COPIES = 1000
SOURCE = (
    "The battery kept 80 percent of its capacity after 1,200 cycles. It was charged once a day"
    " in a laboratory, at a constant temperature. The test ended in spring."
)
WRONG = "The battery kept 60 percent of its capacity after 1,200 cycles [1]."
MAX_ANSWER_CHARS = 8000


class CopiesReader:
    """Gives the manuscript, whatever text is asked for."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    async def read_draft_text(self, _text: str, **_more: str) -> Draft:
        return self._draft


def copies(count: int = COPIES) -> tuple[Draft, Desk]:
    draft = manuscript("\n".join([WRONG] * count), {"1": PAGE})
    return draft, Desk(pages={PAGE: page(PAGE, SOURCE)})


def checked_copies(count: int = COPIES) -> CheckedDraft:
    draft, desk = copies(count)
    report = check(draft, desk, max_statements=2000)
    return CheckedDraft(name="copies.md", draft=draft, report=report)


def list_statements(report: DraftReport) -> list[DraftFinding]:
    return [finding for finding in report.findings if finding.subject == "statement"]


@requires("check_draft.repeats")
def test_the_table_shows_a_repeated_finding_once_with_its_places(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_findings(checked_copies())

    printed = capsys.readouterr().out
    rows = [line for line in printed.splitlines() if "The battery kept 60 percent" in line]
    assert len(rows) == 1
    assert rows[0].startswith("1, 2, 3 and 997 more ")
    assert "Lines 1, 2, 3 and 997 more: " in printed
    assert "1,000 statements, 1 distinct; 1,000 citations; 1 reference: 1,000 " in printed


@requires("check_draft.repeats")
def test_the_answer_of_the_tool_has_a_repeated_finding_once_and_counts_it_every_time() -> None:
    draft, desk = copies()
    requests = DraftRequests(CopiesReader(draft), checker(desk))  # type: ignore[arg-type]

    report = asyncio.run(
        requests.check_request(DraftRequest(text="", max_statements=2000), owner=OWNER)
    )

    [found] = list_statements(report)
    assert found.count == COPIES
    assert found.lines is not None
    assert found.lines[:3] == (1, 2, 3)
    assert report.summary.verdicts[found.verdict] == COPIES
    assert (report.summary.statements, report.summary.distinct_statements) == (COPIES, 1)
    assert len(json.dumps(report.to_wire())) < MAX_ANSWER_CHARS


def test_the_worst_lines_of_the_summary_are_all_different() -> None:
    summary = checked_copies().report.summary

    assert len(summary.worst) == 1
    assert summary.worst[0].startswith("lines 1, 2, 3 and 997 more: ")


@requires("check_draft.repeats")
def test_json_sarif_page_and_copy_keep_every_place(tmp_path: Path) -> None:
    checked = checked_copies(20)

    assert len(list_statements(checked.report)) == 20
    results = build_sarif_log([checked])["runs"][0]["results"]
    lines = [
        result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in results
    ]
    assert lines == list(range(1, 21))
    assert render_annotated_copy(checked).count(".[^citewell-") == 20
    shown = render_draft_page(checked)
    assert shown.count('id="at-f') == 20
    assert shown.count("<article") == 1
    assert shown.count('href="#at-f') == 20
    known = tmp_path / "known.json"
    assert sarif_log.write_baseline(known, [checked]) == 1
    rest = sarif_log.omit_known_findings(checked, sarif_log.read_baseline(known))
    assert rest.known_count == 20


def test_findings_that_differ_in_more_than_their_place_stay_apart() -> None:
    base = DraftFinding(
        id="f1", verdict=V.PARTLY, subject="statement", text="It is so.", reason="A number."
    )
    others = [
        base.model_copy(update=change)
        for change in (
            {"text": "It is  so."},
            {"verdict": V.CONTRADICTED},
            {"reason": "A date."},
            {"reference": "Other, 2020"},
            {"subject": "reference"},
            {"also": (V.RETRACTED,)},
        )
    ]

    groups = group_repeated_findings([base, *others])

    assert [group.count for group in groups] == [2, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("places", "shown"),
    [
        (["3"], "3"),
        (["3", "9"], "3 and 9"),
        (["3", "9", "14", "20"], "3, 9, 14 and 20"),
        (["3", "9", "14", "20", "21"], "3, 9, 14 and 2 more"),
        (["3", "3", "9"], "3 and 9 (3 times)"),
        (["3"] * 1000, "3 (1,000 times)"),
    ],
)
def test_places_are_named_briefly(places: list[str], shown: str) -> None:
    assert describe_places(places) == shown
