"""What is written of a checked draft: the page, the annotated copy, SARIF, the baseline, the repairs."""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path

import pytest

from citewell.cli.checking import finding_baseline, finding_table, finding_words
from citewell.cli.checking.annotated_copy import render_annotated_copy
from citewell.cli.checking.certain_repairs import (
    plan_file_repairs,
    render_diff,
    write_file_repair,
)
from citewell.cli.checking.draft_marks import split_marked_text
from citewell.cli.checking.draft_page import render_draft_page
from citewell.cli.checking.sarif_log import build_sarif_log
from citewell.errors import InvalidInput
from citewell.model.draft_findings import DraftVerdict
from tests.checked_drafts import HOSTILE, TEXT, make_checked_draft, make_findings


def strip_tags(page: str) -> str:
    return unescape(re.sub(r'<span class="unseen">.*?</span>|<[^>]+>', "", page))


def test_the_page_shows_the_whole_draft_and_links_each_finding_to_its_card() -> None:
    page = render_draft_page(make_checked_draft())

    article = re.search(r'<section class="draft".*?</section>', page, re.DOTALL)
    assert article is not None
    assert "".join(strip_tags(article[0]).split()) == "".join(TEXT.split())
    for finding in ("f1", "f2", "f3", "f4"):
        assert f'href="#{finding}"' in article[0]
        assert page.count(f'id="{finding}"') == 1
        assert page.count(f'id="at-{finding}"') == 1
    assert 'id="f5"' not in page
    assert "<script" not in page
    assert "javascript:" not in re.sub(r">[^<]*<", "", page)


def test_a_statement_that_rests_on_a_retracted_work_is_marked_like_it() -> None:
    page = render_draft_page(make_checked_draft())

    assert '<a class="failed" id="at-f6"' in page
    assert "retracted, uncited" in page


def test_of_findings_at_one_place_the_worst_is_linked() -> None:
    pieces = list(split_marked_text(TEXT, make_findings(), 0, len(TEXT)))

    assert "".join(piece.text for piece in pieces) == TEXT
    marked = {piece.text: piece.finding.id for piece in pieces if piece.finding}
    assert marked["(LeCun 2015)"] == "f3"
    assert marked["Deep learning needs 80 layers "] == "f4"


def test_the_annotated_copy_keeps_the_draft_and_has_a_footnote_for_each_finding() -> None:
    copy = render_annotated_copy(make_checked_draft())

    assert "SciPy was first released in 1999 [1].[^citewell-1] It is used" in copy
    assert re.sub(r"\[\^citewell-\d\]", "", copy.split("\n\n---\n")[0]) == TEXT.rstrip()
    notes = re.findall(r"^\[\^citewell-(\d)\]: ", copy, re.MULTILINE)
    assert notes == ["1", "2", "3", "4", "5"]
    assert HOSTILE not in copy
    assert r"\<script\>" in copy


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
    assert [one["level"] for one in run["results"]] == ["error", "error", "error", "note", "note"]


def test_a_baseline_leaves_out_what_it_lists_even_after_lines_have_moved(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    checked = make_checked_draft()

    count = finding_baseline.write_baseline(path, [checked])
    moved = make_checked_draft(text=f"A new first paragraph.\n\n{TEXT}")
    left = finding_baseline.omit_known_findings(moved, finding_baseline.read_baseline(path))

    assert count == 5
    assert [one.verdict for one in left.report.findings] == [DraftVerdict.SUPPORTED]
    assert "5 known from the baseline" in finding_words.describe_totals(left)


@pytest.mark.parametrize("content", ["", "[]", '{"findings": [1]}', '{"findings": [{}]}'])
def test_a_file_that_is_no_baseline_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(content)

    with pytest.raises(InvalidInput, match="--write-baseline"):
        finding_baseline.read_baseline(path)
    with pytest.raises(InvalidInput, match="--write-baseline"):
        finding_baseline.read_baseline(tmp_path / "missing.json")


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


def test_the_table_says_line_statement_citation_verdict_and_repair(
    capsys: pytest.CaptureFixture[str],
) -> None:
    finding_table.print_findings(make_checked_draft())

    printed = capsys.readouterr().out
    row = next(line for line in printed.splitlines() if line.startswith("3 "))
    assert re.split(r"\s{2,}", row) == [
        "3",
        "SciPy was first released in 1999.",
        "[1]",
        "contradicted",
        "The source gives another year.",
    ]
    assert "Write 2020, the year of the record." in printed
    assert "3 statements, 2 citations, 1 reference: 1 contradicted" in printed
    assert "Identifiers and titles went to registries." in printed


def test_json_of_a_report_has_verdicts_as_words() -> None:
    wire = json.loads(json.dumps(make_checked_draft().report.to_wire()))

    assert wire["findings"][0]["verdict"] == "contradicted"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[CDC](https://www.cdc.gov/tips.html)", "CDC"),
        ("[1](#r1)", "[1]"),
        ('<a href="https://doi.org/10.1/x">la <b>loi</b></a>', "la loi"),
        ("<https://www.example.org/a>", "example.org/a"),
        ("[3]", "[3]"),
        ("(LeCun 2015)", "(LeCun 2015)"),
    ],
)
def test_a_citation_is_shown_as_readers_see_it(written: str, shown: str) -> None:
    assert finding_words.describe_citation(written) == shown


def test_an_entry_of_a_bib_file_is_shown_by_author_year_and_title() -> None:
    entry = make_findings()[1].model_copy(
        update={"text": "@article{v, title={SciPy 1.0}}", "reference": "Virtanen, 2020, SciPy 1.0"}
    )

    assert finding_words.describe_subject(entry) == "Virtanen, 2020, SciPy 1.0"
    assert finding_words.describe_subject(make_findings()[1]) == make_findings()[1].text


def test_places_of_a_word_document_are_paragraphs(capsys: pytest.CaptureFixture[str]) -> None:
    finding_table.print_findings(make_checked_draft("review.docx", form="docx"))

    printed = capsys.readouterr().out
    assert printed.splitlines()[1].startswith("Paragraph ")
    assert "Paragraph 3: The source gives another year." in printed


@pytest.mark.parametrize(
    ("columns", "explained", "has_column"),
    [(80, True, False), (80, False, True), (160, True, True)],
)
def test_a_narrow_terminal_has_repairs_below_the_table_only(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    columns: int,
    explained: bool,
    has_column: bool,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "50")  # without it Rich takes a dumb terminal to have 80 columns
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    finding_table.print_findings(make_checked_draft(), explained=explained)

    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= columns
    assert ("Repair" in printed.partition("──")[0]) == has_column
    assert ("→ Write 2020, the year of the record." in printed) == explained


def test_the_table_says_how_many_repairs_can_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    finding_table.print_findings(make_checked_draft())
    offered = capsys.readouterr().out
    finding_table.print_findings(make_checked_draft(), offers_repairs=False)
    finding_table.print_findings(make_checked_draft("review.docx", form="docx"))
    finding_table.print_findings(make_checked_draft("-"))

    assert "1 repair is certain; --fix shows" in offered
    assert "is certain" not in capsys.readouterr().out
