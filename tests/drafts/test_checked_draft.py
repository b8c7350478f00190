"""The page of a Word or PDF draft shows a document, not the markdown that it was read as."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from html import unescape

import pytest

from citewell.drafts.commands.checking import checked_draft
from citewell.drafts.commands.checking.checked_draft import CheckedDraft
from citewell.drafts.commands.checking.draft_page import render_draft_page
from citewell.drafts.draft import Draft
from tests.checked_drafts import make_checked_draft, make_findings, make_place

TEXT = r"""# A Review of \*Deep\* Learning_Methods

Deep learning **needs 80 layers** in *every* case (10^6 times)[^1]. The C# tools use \<script>alert(1)\</script> tags.

## Methods #1

- The first item [1].
  - The inner item.
- The second_item has \*stars\*.

3. The third step.
4. The fourth step.

1\. This paragraph is no list.

| Model | Layers \| depth |
| --- | --- |
| ResNet_50 | **152** layers * |
|  | 8 layers |

> A quotation.
>
> Its end.

```
x = "<img src=x onerror=alert(1)>" # **code**
```

See [the *project* page](https://example.org/page) of ~~5,000~~ users.

## References

1\. LeCun, Y. Deep learning. *Nature*, **521**.

[^1]: Doe, J. On rest.
"""


def make_document(
    *marked: str, text: str = TEXT, draft_format: str = "docx"
) -> tuple[CheckedDraft, str]:
    """A checked draft with a finding at each of these words, and the draft as its page shows it."""
    findings = tuple(
        make_findings()[0].model_copy(
            update={"id": f"f{number}", "text": words, "place": make_place(words, text)}
        )
        for number, words in enumerate(marked, start=1)
    )
    made = make_checked_draft("review.docx")
    checked = replace(
        made,
        draft=Draft(text=text, format=draft_format),
        report=made.report.model_copy(update={"findings": findings}),
    )
    section = re.search(r'<section class="draft"[^>]*>(.*?)</section>', render_draft_page(checked), re.DOTALL)  # fmt: skip
    assert section is not None
    return checked, section[1]


def strip_tags(page: str) -> str:
    return unescape(re.sub(r'<span class="unseen">.*?</span>|<[^>]+>', "", page))


@pytest.mark.parametrize(
    "html",
    [
        "<h2>A Review of *Deep* Learning_Methods</h2>",
        "<p>Deep learning <strong>needs 80 layers</strong> in <em>every</em> case (10<sup>6</sup> times)<sup>1</sup>. The C#",
        "use &lt;script&gt;alert(1)&lt;/script&gt; tags.</p>",
        "<h3>Methods #1</h3>",
        "<ul><li>The first item [1].<ul><li>The inner item.</li></ul></li><li>The second_item has *stars*.</li></ul>",
        '<ol><li value="3">The third step.</li><li value="4">The fourth step.</li></ol>',
        "<p>1. This paragraph is no list.</p>",
        "<table><tr><th>Model</th><th>Layers | depth</th></tr><tr><td>ResNet_50</td><td><strong>152</strong> layers *</td></tr>",
        "<tr><td></td><td>8 layers</td></tr></table>",
        "<blockquote><p>A quotation.</p></blockquote>\n<blockquote><p>Its end.</p></blockquote>",
        '<pre>x = "&lt;img src=x onerror=alert(1)&gt;" # **code**</pre>',
        "<p>See the <em>project</em> page of <s>5,000</s> users.</p>",
        "<p>1. LeCun, Y. Deep learning. <em>Nature</em>, <strong>521</strong>.</p>",
        '<p class="note"><sup>1</sup> Doe, J. On rest.</p>',
    ],
)
def test_a_document_has_its_headings_lists_tables_and_styles(html: str) -> None:
    _, shown = make_document()

    assert html in shown


@pytest.mark.parametrize("draft_format", ["docx", "odt", "pdf"])
def test_nothing_of_a_document_is_lost_and_nothing_is_added(draft_format: str) -> None:
    _, shown = make_document(draft_format=draft_format)

    # The browser writes the numbers of items, and the address of a link is not printed.
    printed = re.sub(r"^\d\. |\(https://example.org/page\)", "", TEXT, flags=re.MULTILINE)
    assert re.sub(r"[\W_]", "", strip_tags(shown)) == re.sub(r"[\W_]", "", printed)


def test_marks_of_findings_begin_and_end_at_their_words() -> None:
    _, shown = make_document(
        "needs 80 layers** in *every* case",
        "*stars\\*.",
        "| ResNet_50 | **152** layers * |",
        "1\\. LeCun, Y. Deep learning. *Nature*, **521**.",
    )

    marks: dict[str, str] = {}
    for finding, words in re.findall(r'<a class="failed"[^>]* href="#(f\d)"[^>]*>(.*?)</a>', shown):
        marks[finding] = marks.get(finding, "") + strip_tags(words)
    assert marks == {
        "f1": "needs 80 layers in every case",
        "f2": "*stars*.",
        "f3": "ResNet_50152 layers *",
        "f4": "1. LeCun, Y. Deep learning. Nature, 521.",
    }
    for finding in marks:
        assert shown.count(f'id="at-{finding}"') == 1


def test_no_markup_of_a_document_reaches_the_page() -> None:
    hostile = (
        "<script>alert(1)</script> [x](javascript:alert(2)) **<b onclick=x>** `<i>` [^1] $<u>_$"
    )
    text = "\n\n".join(
        (hostile, f"# {hostile}", f"- {hostile}", f"| {hostile} |\n| --- |\n| {hostile} |", f"> {hostile}", f"[^1]: {hostile}", f"```\n{hostile}\n```")
    )  # fmt: skip

    _, shown = make_document(text=text)

    allowed = (
        r"</?(?:p|h2|ul|li|table|tr|th|td|blockquote|pre|strong|em|code|sup)(?: class=\"note\")?>"
    )
    assert re.findall(r"<[^>]*>", re.sub(allowed, "", shown)) == []


def test_the_table_says_line_statement_citation_verdict_and_repair(
    capsys: pytest.CaptureFixture[str],
) -> None:
    checked_draft.print_findings(make_checked_draft())

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
    assert checked_draft.describe_citation(written) == shown


def test_an_entry_of_a_bib_file_is_shown_by_author_year_and_title() -> None:
    entry = make_findings()[1].model_copy(
        update={"text": "@article{v, title={SciPy 1.0}}", "reference": "Virtanen, 2020, SciPy 1.0"}
    )

    assert checked_draft.describe_subject(entry) == "Virtanen, 2020, SciPy 1.0"
    assert checked_draft.describe_subject(make_findings()[1]) == make_findings()[1].text


def test_places_of_a_word_document_are_paragraphs(capsys: pytest.CaptureFixture[str]) -> None:
    checked_draft.print_findings(make_checked_draft("review.docx", form="docx"))

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

    checked_draft.print_findings(make_checked_draft(), explained=explained)

    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= columns
    assert ("Repair" in printed.partition("──")[0]) == has_column
    assert ("→ Write 2020, the year of the record." in printed) == explained


def test_the_table_says_how_many_repairs_can_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    checked_draft.print_findings(make_checked_draft())
    offered = capsys.readouterr().out
    checked_draft.print_findings(make_checked_draft(), offers_repairs=False)
    checked_draft.print_findings(make_checked_draft("review.docx", form="docx"))
    checked_draft.print_findings(make_checked_draft("-"))

    assert "1 repair is certain; --fix shows" in offered
    assert "is certain" not in capsys.readouterr().out
