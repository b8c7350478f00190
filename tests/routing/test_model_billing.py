from __future__ import annotations

import sys
from typing import Any

import pytest

from citewell.core.errors import Misconfigured
from citewell.core.values.research import ProviderUsage
from citewell.routing.model_billing import build_tariff, convert_dollars, parse_price_setting

TARIFF = build_tariff(
    "openai",
    (("m-1", "2", "10"), ("m-1-mini", "1", "5")),
    default_price=("10", "50"),
    search_dollars="10",
)
USAGE = ProviderUsage(input_tokens=1_000_000, output_tokens=100_000, searches=100)


@pytest.fixture
def no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)


def test_the_providers_own_word_goes_first() -> None:
    cost = TARIFF.compute_cost("m-1", USAGE, stated=7)

    assert (cost.ticks, cost.basis) == (7, "provider")


@pytest.mark.parametrize(("model", "total"), [("m-1", 4.0), ("m-1-mini-2026", 2.5), ("x", 16.0)])
def test_the_longest_name_in_the_table_counts(no_list: None, model: str, total: float) -> None:
    cost = TARIFF.compute_cost(model, USAGE)

    assert (cost.ticks, cost.basis) == (int(total * 10**10), "table")


def test_a_published_price_goes_before_our_table() -> None:
    pytest.importorskip("genai_prices")
    known = build_tariff(
        "openai", (("gpt-4o", "1000", "1000"),), default_price=("1", "1"), search_dollars="10"
    )

    cost = known.compute_cost("gpt-4o", ProviderUsage(input_tokens=1000, searches=1000))

    assert cost.basis == "prices"
    assert 10 * 10**10 <= cost.ticks < 11 * 10**10


def test_a_price_is_two_or_three_numbers() -> None:
    assert parse_price_setting("2/10", setting="X").search_dollars == 0
    assert parse_price_setting("2/10/5.5", setting="X").search_dollars == pytest.approx(5.5)
    for text in ("", "2", "a/b", "2/10/5/1", "-1/2", "nan/1", "1e999999/1"):
        with pytest.raises(Misconfigured, match="X is not a price"):
            parse_price_setting(text, setting="X")


def test_only_an_amount_of_money_is_one() -> None:
    assert convert_dollars(0.0755) == 755_000_000
    assert convert_dollars("1.5") == 15_000_000_000
    amounts: tuple[Any, ...] = (None, True, -1, "x", float("nan"), [], {})
    assert [convert_dollars(odd) for odd in amounts] == [None] * 7
