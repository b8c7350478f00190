"""A quotation says under which headings of its document it stands."""

from __future__ import annotations

import pytest

from citewell.core.values.research import ClaimEvidence, ClaimRelation
from citewell.research.combined_findings import add_evidence_places

TEXT = """Before all headings.

# Guide

Opening words.

## Heat

Heat ages cells.

### Limits ###

Keep below 40.

```sh
# not a heading
run --cold
```

Still under the limits.

## Cold

Cold slows them.
"""


def place_of(words: str) -> str:
    start = TEXT.index(words)
    row = ClaimEvidence(
        id="evd_1", claim_id="clm_1", relation=ClaimRelation.SUPPORTS, snippet=words, start=start,
        end=start + len(words), relevance_score=1.0, discovered_by_provider="local", source="src_1",
    )  # fmt: skip
    return add_evidence_places([row], {"src_1": TEXT})[0].place


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("Before all", ""),
        ("Opening", "Guide"),
        ("Heat ages", "Guide › Heat"),
        ("Keep below", "Guide › Heat › Limits"),
        ("Still under", "Guide › Heat › Limits"),
        ("Cold slows", "Guide › Cold"),
    ],
)
def test_the_headings_above_a_quotation_are_its_place(words: str, place: str) -> None:
    assert place_of(words) == place


def test_evidence_of_a_page_without_text_has_no_place() -> None:
    row = ClaimEvidence(
        id="evd_1", claim_id="clm_1", relation=ClaimRelation.SUPPORTS, snippet="x", start=3, end=4,
        relevance_score=1.0, discovered_by_provider="local", source="src_2",
    )  # fmt: skip

    assert add_evidence_places([row], {}) == (row,)
