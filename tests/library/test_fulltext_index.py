"""Candidates for frequent terms: the rarest whole, the others from their highest levels."""

from __future__ import annotations

import pytest

from citewell.library.fulltext_index import choose_candidate_terms, list_tier_terms


@pytest.mark.parametrize(
    ("weight", "length", "name", "expected"),
    [
        (1.0, 200, "f0", []),
        (2.0, 200, "f0", ["token1"]),
        (4.0, 200, "f0", ["token2"]),
        (1.0, 200, "0f", ["token1"]),
        (1.0, 200, "312f", ["token3"]),
        (4.0, 200, "312f", ["token5"]),
        (500.0, 0, "0123012301230123", ["tokenf"]),
    ],
)
def test_a_level_grows_with_density_and_low_digits(
    weight: float, length: int, name: str, expected: list[str]
) -> None:
    assert list_tier_terms({"token": weight}, length=length, name=name) == expected


def test_rare_terms_are_taken_whole_and_frequent_ones_from_the_top() -> None:
    counts = {"rare": 10, "often": 900, "often1": 300, "often2": 70, "often5": 15}

    chosen = choose_candidate_terms(["often", "rare", "absent"], counts, total=2_000, budget=100)

    assert chosen.whole == ("rare",)
    assert chosen.tiered == ("often5", "often2")


def test_terms_share_the_budget() -> None:
    counts = {f"t{n}": 10_000 for n in range(4)} | {
        f"t{n}{level}": 10_000 // 4**level for n in range(4) for level in range(1, 7)
    }

    chosen = choose_candidate_terms(
        [f"t{n}" for n in range(4)], counts, total=1_000_000, budget=1_000
    )

    assert chosen.whole == ()
    assert {token[:2] for token in chosen.tiered} == {"t0", "t1", "t2", "t3"}
    assert 400 <= sum(counts[token] for token in chosen.tiered) <= 1_000
