"""A small draft with findings of every grade, made by hand for tests of what is written of it."""

from __future__ import annotations

from citewell.drafts.commands.checking.checked_draft import CheckedDraft
from citewell.drafts.draft import Draft
from citewell.drafts.draft_findings import (
    DraftFinding,
    DraftRepair,
    DraftReport,
    DraftSummary,
    DraftVerdict,
    FindingPlace,
)
from citewell.evidence.judging.source_opinions import FindingEvidence, ValueDifference

HOSTILE = "<script>alert(1)</script> *bold* [x](javascript:alert(2))"
TEXT = """# Review

SciPy was first released in 1999 [1]. It is used by everybody.

Deep learning needs 80 layers (LeCun 2015).

## References

[1] Virtanen, P. SciPy 1.0. Nature Methods, 2019. doi:10.1038/s41592-019-0686-2
"""


def make_place(words: str, text: str = TEXT, file: str | None = None) -> FindingPlace:
    """The place of the words in the text."""
    start = text.index(words)
    end = start + len(words)

    def locate(offset: int) -> tuple[int, int]:
        return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1

    (line, column), (end_line, end_column) = locate(start), locate(end)
    return FindingPlace(
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        start=start,
        end=end,
        file=file,
    )


def make_findings(text: str = TEXT) -> tuple[DraftFinding, ...]:
    year = DraftRepair(
        kind="year",
        text="Write 2020, the year of the record.",
        old="2019",
        new="2020",
        is_certain=True,
        place=make_place("[1] Virtanen, P. SciPy 1.0. Nature Methods, 2019.", text),
    )
    return (
        DraftFinding(
            id="f1",
            verdict=DraftVerdict.CONTRADICTED,
            subject="statement",
            text="SciPy was first released in 1999.",
            place=make_place("SciPy was first released in 1999 [1].", text),
            citation="[1]",
            reason="The source gives another year.",
            evidence=(
                FindingEvidence(
                    passage=f"SciPy was released in 2001. {HOSTILE}",
                    url="https://example.org/scipy",
                    title="SciPy",
                    start=4,
                    end=31,
                    relation="contradicts",
                    judge="lexical",
                ),
            ),
            differences=(ValueDifference(kind="date", draft="1999", source="2001"),),
        ),
        DraftFinding(
            id="f2",
            verdict=DraftVerdict.WRONG_DETAILS,
            subject="reference",
            text="Virtanen, P. SciPy 1.0. Nature Methods, 2019.",
            place=make_place("[1] Virtanen, P. SciPy 1.0. Nature Methods, 2019.", text),
            reference="SciPy 1.0",
            reason="The record has another year.",
            repairs=(year,),
        ),
        DraftFinding(
            id="f3",
            verdict=DraftVerdict.NO_REFERENCE,
            subject="citation",
            text="(LeCun 2015)",
            place=make_place("(LeCun 2015)", text),
            citation="(LeCun 2015)",
            reason="Nothing in the list of references is by LeCun of 2015.",
        ),
        DraftFinding(
            id="f4",
            verdict=DraftVerdict.UNCITED,
            subject="statement",
            text="Deep learning needs 80 layers.",
            place=make_place("Deep learning needs 80 layers (LeCun 2015).", text),
            reason="It has a number and no citation.",
        ),
        DraftFinding(
            id="f6",
            verdict=DraftVerdict.UNCITED,
            subject="statement",
            text="Review",
            place=make_place("Review", text),
            reason="It has a name and no citation.",
            also=(DraftVerdict.RETRACTED,),
        ),
        DraftFinding(
            id="f5",
            verdict=DraftVerdict.SUPPORTED,
            subject="statement",
            text="It is used by everybody.",
            place=make_place("It is used by everybody.", text),
            reason="A passage of the source supports the statement.",
        ),
    )


def make_checked_draft(
    name: str = "review.md", *, text: str = TEXT, form: str = "markdown"
) -> CheckedDraft:
    findings = make_findings(text)
    counts: dict[str, int] = {}
    for one in findings:
        counts[one.verdict.value] = counts.get(one.verdict.value, 0) + 1
    summary = DraftSummary(
        statements=3,
        distinct_statements=3,
        citations=2,
        references=1,
        sources_read=1,
        verdicts=counts,
        worst=("Line 3: contradicted",),
        is_clean=False,
    )
    report = DraftReport(
        summary=summary,
        findings=findings,
        judge="lexical",
        shared=("Identifiers and titles went to registries.",),
        checked_at="2026-01-02T03:04:05Z",
    )
    return CheckedDraft(
        name=name, draft=Draft(text=text, format=form, language="en"), report=report
    )
