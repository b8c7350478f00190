"""What counts as news about a cited work, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.citation_checks import AuditEntry
from citewell.core.values.scrape_results import RetractionStatus
from citewell.watching.reference_watch import (
    describe_reference_state,
    list_reference_changes,
    merge_reference_state,
)


def entry(**facts: Any) -> AuditEntry:
    return AuditEntry(index=1, exists=True, existence="found", title="Ileal hyperplasia", **facts)


def retracted(kind: str = "retraction", notice: str = "10.1/n") -> RetractionStatus:
    return RetractionStatus(
        retracted=kind == "retraction", kind=kind, date="2010-02-06", notice_doi=notice
    )


def changes(old: AuditEntry | None, new: AuditEntry) -> list[str]:
    known = describe_reference_state(old) if old else {}
    return [
        change["kind"]
        for change in list_reference_changes(known, describe_reference_state(new), new)
    ]


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (entry(), entry(), []),
        (entry(), entry(retraction_status=retracted()), ["retracted"]),
        (
            entry(retraction_status=retracted("correction", "10.1/c")),
            entry(retraction_status=retracted()),
            ["retracted"],
        ),
        (
            entry(retraction_status=retracted("correction", "10.1/c")),
            entry(retraction_status=retracted("correction", "10.1/d")),
            ["corrected"],
        ),
        (entry(retraction_status=retracted()), entry(retraction_status=retracted()), []),
        (entry(), entry(retraction_status=retracted("expression_of_concern")), ["concern"]),
        (entry(link_live=True), entry(link_live=False, link_reason="http_404"), ["link_died"]),
        (entry(link_live=False), entry(link_live=True), ["link_back"]),
        (entry(link_live=True), entry(), []),
        (entry(), entry(moved_to="https://example.org/new"), ["moved"]),
        (entry(), entry(published_doi="10.1/j"), ["published"]),
        (None, entry(link_live=True), []),
        (None, entry(link_live=False, retraction_status=retracted()), ["retracted", "link_died"]),
    ],
)
def test_only_changes_are_told(
    before: AuditEntry | None, after: AuditEntry, kinds: list[str]
) -> None:
    assert changes(before, after) == kinds


def test_a_registry_in_trouble_makes_nothing_forgotten() -> None:
    known = describe_reference_state(entry(link_live=False, retraction_status=retracted()))

    assert merge_reference_state(known, describe_reference_state(entry())) == known
