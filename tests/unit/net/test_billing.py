from __future__ import annotations

import sys

import pytest

from citewell.errors import Misconfigured
from citewell.model.research import Usage
from citewell.net.billing import dollars, price, tariff

TARIFF = tariff(
    "openai", (("m-1", "2", "10"), ("m-1-mini", "1", "5")), otherwise=("10", "50"), searches="10"
)
USAGE = Usage(input_tokens=1_000_000, output_tokens=100_000, searches=100)


@pytest.fixture
def no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)


def test_the_providers_own_word_goes_first():
    cost = TARIFF.cost("m-1", USAGE, stated=7)

    assert (cost.ticks, cost.basis) == (7, "provider")


@pytest.mark.parametrize(("model", "total"), [("m-1", 4.0), ("m-1-mini-2026", 2.5), ("x", 16.0)])
def test_the_longest_name_in_the_table_counts(no_list: None, model: str, total: float):
    cost = TARIFF.cost(model, USAGE)

    assert (cost.ticks, cost.basis) == (int(total * 10**10), "table")


def test_a_published_price_goes_before_our_table():
    pytest.importorskip("genai_prices")
    known = tariff("openai", (("gpt-4o", "1000", "1000"),), otherwise=("1", "1"), searches="10")

    cost = known.cost("gpt-4o", Usage(input_tokens=1000, searches=1000))

    assert cost.basis == "prices"
    assert 10 * 10**10 <= cost.ticks < 11 * 10**10


def test_a_price_is_two_or_three_numbers():
    assert price("2/10", setting="X").searches == 0
    assert price("2/10/5.5", setting="X").searches == pytest.approx(5.5)
    for text in ("", "2", "a/b", "2/10/5/1", "-1/2", "nan/1", "1e999999/1"):
        with pytest.raises(Misconfigured, match="X is not a price"):
            price(text, setting="X")


def test_only_an_amount_of_money_is_one():
    assert dollars(0.0755) == 755_000_000
    assert dollars("1.5") == 15_000_000_000
    assert [dollars(odd) for odd in (None, True, -1, "x", float("nan"), [], {})] == [None] * 7
