"""What a call to a model cost: by the provider's own word, else by published prices, else by our dated table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from citewell.errors import Misconfigured
from citewell.model.research import Usage

TICKS_PER_DOLLAR = 10**10
_DEAREST = 10**6  # dollars; whatever is above is a slip of the pen
AS_OF = "2026-11-15"  # the day these prices were last looked up


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars: for a million tokens in and out, and for a thousand searches."""

    input: Decimal
    output: Decimal
    searches: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    ticks: int
    basis: str  # provider, prices, table or none


def price(text: str, *, setting: str) -> Price:
    """`2/10` or `2/10/5`: dollars per million tokens in and out, and per thousand searches."""
    try:
        parts = [Decimal(part) for part in text.split("/")]
    except InvalidOperation:
        parts = []
    if len(parts) not in {2, 3} or not all(
        part.is_finite() and 0 <= part <= _DEAREST for part in parts
    ):
        raise Misconfigured(
            f"{setting} is not a price: write dollars per million tokens in and out, such as 2/10,"
            " and after another / per thousand searches.",
            action="inform_user",
        )
    return Price(
        input=parts[0], output=parts[1], searches=parts[2] if len(parts) == 3 else Decimal(0)
    )


def dollars(amount: object) -> int | None:
    """A provider's own figure in dollars as ticks; None when it is no amount of money."""
    if isinstance(amount, bool) or not isinstance(amount, int | float | str | Decimal):
        return None
    try:
        value = Decimal(str(amount))
    except InvalidOperation:
        return None
    return int(value * TICKS_PER_DOLLAR) if value.is_finite() and value >= 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """How one provider's calls are priced when its answers do not say."""

    vendor: str  # as genai-prices knows it
    table: Mapping[str, Price]  # by the beginning of a model's name, the longest match wins
    otherwise: Price
    searches: Decimal  # dollars per thousand, on top of tokens
    override: Price | None = None

    def cost(self, model: str, usage: Usage, *, stated: int | None = None) -> Cost:
        if stated is not None:
            return Cost(ticks=stated, basis="provider")
        if self.override is not None:
            return Cost(ticks=_priced(self.override, usage), basis="table")
        tokens = _published(self.vendor, model, usage)
        if tokens is not None:
            searched = self.searches * usage.searches / 1000
            return Cost(ticks=int((tokens + searched) * TICKS_PER_DOLLAR), basis="prices")
        return Cost(ticks=_priced(self._of(model), usage), basis="table")

    def _of(self, model: str) -> Price:
        known = [name for name in self.table if model.startswith(name)]
        found = self.table[max(known, key=len)] if known else self.otherwise
        return Price(input=found.input, output=found.output, searches=self.searches)


def tariff(
    vendor: str,
    rows: Iterable[tuple[str, str, str]],
    *,
    otherwise: tuple[str, str],
    searches: str,
    own: tuple[str, str | None] = ("", None),
) -> Tariff:
    """Rows are the beginning of a model's name, and dollars per million tokens in and out.

    `own` is a setting's name and the price the user gave in it.
    """
    setting, given = own
    table = {name: Price(input=Decimal(cost), output=Decimal(out)) for name, cost, out in rows}
    usual = Price(input=Decimal(otherwise[0]), output=Decimal(otherwise[1]))
    return Tariff(
        vendor=vendor,
        table=table,
        otherwise=usual,
        searches=Decimal(searches),
        override=price(given, setting=setting) if given else None,
    )


def _priced(price: Price, usage: Usage) -> int:
    tokens = price.input * usage.input_tokens + price.output * usage.output_tokens
    total = tokens / 10**6 + price.searches * usage.searches / 1000
    return int(total * TICKS_PER_DOLLAR)


def _published(vendor: str, model: str, usage: Usage) -> Decimal | None:
    """By the optional price list; None without it, or where it does not know the model."""
    try:
        import genai_prices  # type: ignore[import-not-found,unused-ignore]  # an extra
    except ImportError:
        return None
    counted: Any
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about what it cannot price
        try:
            counted = genai_prices.calc_price(
                genai_prices.Usage(
                    input_tokens=usage.input_tokens,
                    output_tokens=usage.output_tokens,
                    cache_read_tokens=min(usage.cached_tokens, usage.input_tokens),
                ),
                model_ref=model,
                provider_id=vendor,
            )
        except (LookupError, ValueError):
            return None
    return Decimal(counted.total_price)
