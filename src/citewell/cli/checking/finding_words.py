"""The words in which findings are shown: their place, their citation, their subject, the totals."""

from __future__ import annotations

import re

from citewell.cli.checking.checked_draft import (
    CheckedDraft,
    describe_verdict_count,
    find_file_name,
    name_place_unit,
)
from citewell.model.draft_findings import DraftFinding, DraftVerdict
from citewell.services.drafts.repeated_findings import FindingGroup, describe_places
from citewell.text.safety.markup_cleaning import clean_markup

_MARKDOWN_LINK_PATTERN = re.compile(r"!?\[([^\]]*)\]\((\S+?)(?:\s[^)]*)?\)")
_HTML_LINK_PATTERN = re.compile(r"<a\s[^>]*>(.*?)</a\s*>", re.IGNORECASE | re.DOTALL)
_ADDRESS_PATTERN = re.compile(r"<?https?://(?:www\.)?([^\s>]+)>?", re.IGNORECASE)
_BIBTEX_ENTRY_PATTERN = re.compile(r"@\w+\s*\{")


def describe_group_place(checked: CheckedDraft, group: FindingGroup) -> str:
    """The places of a group by number, such as "3, 9, 14 and 997 more"; empty if it has none."""
    places = [_name_place(checked, one) for one in group.findings if one.place is not None]
    return describe_places(places) if places else ""


def list_place_names(checked: CheckedDraft, group: FindingGroup) -> list[str]:
    """The distinct places of a group, such as "3" or "chapter.tex:3"."""
    every = (_name_place(checked, one) for one in group.findings if one.place is not None)
    return list(dict.fromkeys(every))


def describe_group_start(checked: CheckedDraft, group: FindingGroup) -> str:
    """The places of a group as the start of a line, such as "Lines 3 and 9: " or "chapter.tex:3: "."""
    places = list_place_names(checked, group)
    if not places:
        return ""
    shown = describe_group_place(checked, group)
    if not places[0].isdigit():
        return f"{shown}: "  # such as chapter.tex:3
    unit = name_place_unit(checked).capitalize()
    return f"{unit if len(places) == 1 else f'{unit}s'} {shown}: "


def describe_citation(text: str) -> str:
    """A citation as readers see it: the words of a link, or an address without its scheme."""
    shown = _MARKDOWN_LINK_PATTERN.sub(lambda found: _name_link(found[1]) or found[2], text)
    shown = _HTML_LINK_PATTERN.sub(lambda found: _name_link(clean_markup(found[1])), shown)
    return _ADDRESS_PATTERN.sub(lambda found: found[1], shown)


def describe_subject(finding: DraftFinding) -> str:
    """The statement, or the reference; an entry of a .bib file by author, year and title."""
    if finding.reference and _BIBTEX_ENTRY_PATTERN.match(finding.text):
        return finding.reference
    return finding.text


def describe_draft_size(checked: CheckedDraft) -> str:
    """How many statements, citations and references the draft has."""
    summary = checked.report.summary
    parts = [
        f"{count:,} {word if count == 1 else f'{word}s'}"
        for count, word in (
            (summary.statements, "statement"),
            (summary.citations, "citation"),
            (summary.references, "reference"),
        )
    ]
    if summary.distinct_statements == summary.statements:
        return ", ".join(parts)
    parts[0] = f"{parts[0]}, {summary.distinct_statements:,} distinct"
    return "; ".join(parts)


def describe_totals(checked: CheckedDraft) -> str:
    """One sentence: how much was read, and how often each verdict was given."""
    given = checked.report.summary.verdicts
    counts = [
        f"{count:,} {describe_verdict_count(verdict, count)}"
        for verdict in DraftVerdict
        if (count := given.get(verdict.value, 0))
    ]
    known = f" {checked.known_count:,} known from the baseline." if checked.known_count else ""
    return f"{describe_draft_size(checked)}: {', '.join(counts) or 'nothing to check'}.{known}"


def shorten_text(text: str, most: int) -> str:
    """The text in one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _name_link(words: str) -> str:
    """The words of a link; a number keeps its brackets, so that it is seen to be a citation."""
    return f"[{words}]" if words.isdigit() else words


def _name_place(checked: CheckedDraft, finding: DraftFinding) -> str:
    if finding.place is None:
        return ""
    name = find_file_name(checked, finding)
    return str(finding.place.line) if name == checked.name else f"{name}:{finding.place.line}"
