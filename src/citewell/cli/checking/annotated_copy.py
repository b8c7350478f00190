"""The draft as markdown with a footnote at each finding, and what was found in the footnotes."""

from __future__ import annotations

import re

from citewell.cli.checking.checked_draft import (
    CheckedDraft,
    grade_finding,
    label_finding,
    list_shown_findings,
)
from citewell.cli.checking.finding_words import describe_totals
from citewell.model.draft_findings import DraftFinding, FindingEvidence

_MARKS_BY_GRADE = {"failed": "✗", "warning": "!", "idle": "?"}
_MARKUP_PATTERN = re.compile(r"([\\`*_\[\]<>#|])")


def render_annotated_copy(checked: CheckedDraft) -> str:
    """The text of the draft, with footnotes that every markdown program shows as such."""
    shown = list_shown_findings(checked.report)
    numbers = {one.id: number for number, one in enumerate(shown, start=1)}
    marks: dict[int, list[DraftFinding]] = {}
    elsewhere: list[DraftFinding] = []
    for finding in shown:
        if finding.place is None:
            elsewhere.append(finding)
        else:
            marks.setdefault(_find_mark_offset(checked.draft.text, finding), []).append(finding)
    text = checked.draft.text
    parts: list[str] = []
    last = 0
    for offset in sorted(marks):
        parts += [text[last:offset], *(f"[^citewell-{numbers[one.id]}]" for one in marks[offset])]
        last = offset
    parts.append(text[last:].rstrip())
    notes = [_render_footnote(numbers[one.id], one) for one in shown if one not in elsewhere]
    listed = [f"- {_render_finding(one)}" for one in elsewhere]
    return (
        "\n\n".join(
            [
                "".join(parts),
                "---",
                "**Citation check.** " + _escape_markup(describe_totals(checked)),
                *listed,
                *notes,
            ]
        )
        + "\n"
    )


def _find_mark_offset(text: str, finding: DraftFinding) -> int:
    """The end of the finding's words, before the spaces that follow them; never within a heading's mark."""
    place = finding.place
    end = min(place.end if place else 0, len(text))
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end


def _render_footnote(number: int, finding: DraftFinding) -> str:
    lines = _render_finding(finding).splitlines()
    return "\n".join([f"[^citewell-{number}]: {lines[0]}", *(f"    {line}" for line in lines[1:])])


def _render_finding(finding: DraftFinding) -> str:
    mark = _MARKS_BY_GRADE.get(grade_finding(finding), "")
    head = f"{mark} **{label_finding(finding)}**: {_escape_markup(finding.reason)}"
    lines = [head]
    for difference in finding.differences or ():
        source = difference.source or "not given"
        lines.append(
            _escape_markup(f"{difference.kind}: {difference.draft}; in the source: {source}.")
        )
    lines += [_quote_evidence(one) for one in finding.evidence or ()]
    lines += [f"Repair: {_escape_markup(one.text)}" for one in finding.repairs or ()]
    return "\n".join(" ".join(line.split()) for line in lines)


def _quote_evidence(evidence: FindingEvidence) -> str:
    link = f" <{evidence.url}>" if evidence.url else ""
    title = f" ({_escape_markup(evidence.title)})" if evidence.title else ""
    return f"“{_escape_markup(evidence.passage)}”{title}{link}"


def _escape_markup(text: str) -> str:
    """Text from outside as plain words: nothing in it is read as markup."""
    return _MARKUP_PATTERN.sub(r"\\\1", text)
