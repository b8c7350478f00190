"""What is written of a checked draft: the page, the annotated copy, SARIF, the baseline, the repairs."""

from __future__ import annotations

import json
import re
import sys

import pytest

from citewell.drafts.commands.checking import finding_table
from tests.checked_drafts import make_checked_draft, make_findings


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
    assert finding_table.describe_citation(written) == shown


def test_an_entry_of_a_bib_file_is_shown_by_author_year_and_title() -> None:
    entry = make_findings()[1].model_copy(
        update={"text": "@article{v, title={SciPy 1.0}}", "reference": "Virtanen, 2020, SciPy 1.0"}
    )

    assert finding_table.describe_subject(entry) == "Virtanen, 2020, SciPy 1.0"
    assert finding_table.describe_subject(make_findings()[1]) == make_findings()[1].text


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
