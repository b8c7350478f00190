"""Which statements deny each other, and which give other values."""

from __future__ import annotations

import pytest

from citewell.core.values.research import ClaimRelation
from tests.research.quoted_statements import DENIED, TREES, built, quoted


def test_a_claim_and_its_denial_contradict_each_other() -> None:
    found = built(quoted(TREES, "src_1"), quoted(DENIED, "src_2", provider="grok", origin="grok"))
    by_text = {claim.content: claim for claim in found.claims}

    assert by_text[TREES].contradicting_providers == ("grok",)
    assert by_text[DENIED].contradicting_providers == ("local",)
    assert all("contradicted" in claim.flags for claim in found.claims)
    assert len(found.conflicts) == 1
    assert by_text[TREES].confidence == pytest.approx(0.35 * 0.6)


def test_one_source_does_not_contradict_itself() -> None:
    assert built(quoted(TREES, "src_1"), quoted(DENIED, "src_1")).conflicts == ()


def test_other_values_for_the_same_thing_are_a_table_and_no_contradiction() -> None:
    found = built(
        quoted("The old bridge is 120 metres long.", "src_1", published="2020-01-01"),
        quoted("The old bridge is 140 metres long.", "src_2"),
    )

    (table,) = found.tables
    assert {(row.value, row.source, row.date) for row in table.rows} == {
        ("120 metres", "src_1", "2020-01-01"),
        ("140 metres", "src_2", None),
    }
    assert found.conflicts == ()
    assert all("values_differ" in claim.flags for claim in found.claims)
    assert {row.relation for row in found.evidence} == {
        ClaimRelation.SUPPORTS,
        ClaimRelation.QUALIFIES,
    }


def test_values_of_different_years_are_no_disagreement() -> None:
    found = built(
        quoted("In 2010 the town had 4,000 inhabitants.", "src_1"),
        quoted("In 2020 the town had 5,000 inhabitants.", "src_2"),
    )

    assert found.tables == ()
