"""Budgets in the form callers receive, and amounts of money as people write them."""

from __future__ import annotations

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.values.research import TICKS_PER_CENT
from citewell.jobs.store.ledger_rows import CreditBalance
from citewell.research.history_views import build_balance_view, format_dollars, parse_dollars


@pytest.mark.parametrize(
    ("text", "cents"), [("25", 2500), ("2.50", 250), ("$3", 300), (" 0.01 ", 1)]
)
def test_an_amount_is_read_as_it_is_written(text: str, cents: int) -> None:
    assert parse_dollars(text) == cents * TICKS_PER_CENT


@pytest.mark.parametrize("text", ["", "0", "-1", "NaN", "Infinity", "two", "1000001"])
def test_what_is_no_amount_above_zero_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="not a valid dollar amount"):
        parse_dollars(text)


def test_amounts_are_written_with_their_sign_first() -> None:
    assert [format_dollars(cents) for cents in (4250, -94, 123456789)] == [
        "$42.50",
        "-$0.94",
        "$1,234,567.89",
    ]


def test_an_account_without_a_budget_has_nothing_left_to_use_up() -> None:
    shown = build_balance_view(CreditBalance(limited=False, settled_cents=760))

    assert shown["unlimited"]
    assert (shown["balanceCents"], shown["spentCents"]) == (0, 760)
    assert "No budget is configured" in shown["note"]
