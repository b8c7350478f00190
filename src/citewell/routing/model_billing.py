"""The cost of a model call: as stated by the provider, else by published prices, else by our own table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from citewell.core.errors import Misconfigured
from citewell.core.values.research import ProviderUsage

TICKS_PER_DOLLAR = 10**10
_MAX_PRICE_DOLLARS = 10**6  # dollars; a higher price is a typing error


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrice:
    """US dollars per million input and output tokens, and per thousand searches.

    The prices in the provider files were last checked on 2026-11-15.
    """

    input_dollars: Decimal
    output_dollars: Decimal
    search_dollars: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCost:
    ticks: int
    basis: str  # provider, prices, table or none


def parse_price_setting(text: str, *, setting: str) -> ModelPrice:
    """Parse `2/10` or `2/10/5`: dollars per million input and output tokens, and per thousand searches.

    Raises Misconfigured, naming `setting`, for anything else.
    """
    try:
        parts = [Decimal(part) for part in text.split("/")]
    except InvalidOperation:
        parts = []
    if len(parts) not in {2, 3} or not all(
        part.is_finite() and 0 <= part <= _MAX_PRICE_DOLLARS for part in parts
    ):
        raise Misconfigured(
            f"{setting} is not a price: write dollars per million input and output tokens, such as 2/10;"
            " a third number is dollars per thousand searches, such as 2/10/5.",
            action="inform_user",
        )
    return ModelPrice(
        input_dollars=parts[0],
        output_dollars=parts[1],
        search_dollars=parts[2] if len(parts) == 3 else Decimal(0),
    )


def convert_dollars(amount: object) -> int | None:
    """An amount in dollars, as stated by a provider, in ticks; None if it is not a valid amount."""
    if isinstance(amount, bool) or not isinstance(amount, int | float | str | Decimal):
        return None
    try:
        value = Decimal(str(amount))
    except InvalidOperation:
        return None
    return int(value * TICKS_PER_DOLLAR) if value.is_finite() and value >= 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderTariff:
    """The prices of one provider's models, for responses that do not state their cost."""

    vendor: str  # the provider id in genai-prices
    prices_by_model: Mapping[str, ModelPrice]  # by prefix of the model name; the longest match wins
    default_price: ModelPrice
    search_dollars: Decimal  # dollars per thousand, on top of tokens
    override: ModelPrice | None = None

    def compute_cost(
        self, model: str, usage: ProviderUsage, *, stated: int | None = None
    ) -> CallCost:
        if stated is not None:
            return CallCost(ticks=stated, basis="provider")
        if self.override is not None:
            return CallCost(ticks=_compute_table_ticks(self.override, usage), basis="table")
        tokens = _compute_published_dollars(self.vendor, model, usage)
        if tokens is not None:
            searched = self.search_dollars * usage.searches / 1000
            return CallCost(ticks=int((tokens + searched) * TICKS_PER_DOLLAR), basis="prices")
        return CallCost(
            ticks=_compute_table_ticks(self._find_model_price(model), usage), basis="table"
        )

    def _find_model_price(self, model: str) -> ModelPrice:
        known = [name for name in self.prices_by_model if model.startswith(name)]
        found = self.prices_by_model[max(known, key=len)] if known else self.default_price
        return ModelPrice(
            input_dollars=found.input_dollars,
            output_dollars=found.output_dollars,
            search_dollars=self.search_dollars,
        )


def build_tariff(
    vendor: str,
    rows: Iterable[tuple[str, str, str]],
    *,
    default_price: tuple[str, str],
    search_dollars: str,
    user_price: tuple[str, str | None] = ("", None),
) -> ProviderTariff:
    """Build a tariff from rows of model name prefix and dollars per million input and output tokens.

    `user_price` is the name and value of the setting in which the user may give a price.
    """
    setting, given = user_price
    table = {
        name: ModelPrice(input_dollars=Decimal(cost), output_dollars=Decimal(out))
        for name, cost, out in rows
    }
    usual = ModelPrice(
        input_dollars=Decimal(default_price[0]), output_dollars=Decimal(default_price[1])
    )
    return ProviderTariff(
        vendor=vendor,
        prices_by_model=table,
        default_price=usual,
        search_dollars=Decimal(search_dollars),
        override=parse_price_setting(given, setting=setting) if given else None,
    )


def _compute_table_ticks(price: ModelPrice, usage: ProviderUsage) -> int:
    tokens = price.input_dollars * usage.input_tokens + price.output_dollars * usage.output_tokens
    total = tokens / 10**6 + price.search_dollars * usage.searches / 1000
    return int(total * TICKS_PER_DOLLAR)


def _compute_published_dollars(vendor: str, model: str, usage: ProviderUsage) -> Decimal | None:
    """The cost by the optional genai-prices list; None if it is not installed or lacks the model."""
    try:
        import genai_prices  # type: ignore[import-not-found,unused-ignore]  # an optional extra
    except ImportError:
        return None
    counted: Any
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about models it has no price for
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
