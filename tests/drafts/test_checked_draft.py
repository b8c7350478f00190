"""The page of a Word or PDF draft shows a document, not the markdown that it was read as."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

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
