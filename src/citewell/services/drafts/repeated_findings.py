"""Findings that are the same but for their place: shown once, with how often and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell.model.counted_words import pluralize
from citewell.model.draft_findings import DraftFinding, DraftReport

_MAX_NAMED_PLACES = 4
_MAX_LINES = 20  # of a repeated finding in the answer of a tool


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingGroup:
    """Findings that differ only in their place, in the order of the report; at least one."""

    findings: tuple[DraftFinding, ...]

    @property
    def first(self) -> DraftFinding:
        return self.findings[0]

    @property
    def count(self) -> int:
        return len(self.findings)


def group_repeated_findings(findings: Iterable[DraftFinding]) -> tuple[FindingGroup, ...]:
    """The findings in groups, each where the first of the group stood."""
    groups: dict[tuple[object, ...], list[DraftFinding]] = {}
    for one in findings:
        groups.setdefault(_build_group_key(one), []).append(one)
    return tuple(FindingGroup(findings=tuple(each)) for each in groups.values())


def merge_repeated_findings(report: DraftReport) -> DraftReport:
    """The report with each group as its first finding, which has the count and the first lines."""
    merged = tuple(_merge_group(each) for each in group_repeated_findings(report.findings))
    return report.model_copy(update={"findings": merged})


def describe_group_lines(group: FindingGroup) -> str:
    """Such as "lines 3, 9, 14 and 997 more"; empty if the findings have no place."""
    places = [str(one.place.line) for one in group.findings if one.place is not None]
    if not places:
        return ""
    return f"{'line' if len(set(places)) == 1 else 'lines'} {describe_places(places)}"


def describe_places(places: Sequence[str]) -> str:
    """The first places by name and the number of the others, such as "3, 9, 14 and 997 more"."""
    named = list(dict.fromkeys(places))
    left = len(named) - _MAX_NAMED_PLACES + 1
    if left > 1:
        named = [*named[: _MAX_NAMED_PLACES - 1], f"{left:,} more"]
    *others, last = named
    shown = f"{', '.join(others)} and {last}" if others else last
    # Several copies may stand in one line.
    is_told = len(set(places)) == len(places)
    return shown if is_told else f"{shown} ({len(places):,} {pluralize(len(places), 'time')})"


def _build_group_key(one: DraftFinding) -> tuple[object, ...]:
    text = " ".join(one.text.split())
    return one.subject, text, one.reference, one.verdict, one.also, one.reason


def _merge_group(group: FindingGroup) -> DraftFinding:
    if group.count == 1:
        return group.first
    lines = dict.fromkeys(one.place.line for one in group.findings if one.place is not None)
    return group.first.model_copy(
        update={"count": group.count, "lines": tuple(lines)[:_MAX_LINES] or None}
    )
