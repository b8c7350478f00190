"""Chooses who serves a tool that may cost money: the provider that is named, or the only one there is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from citewell.errors import (
    FailureReason,
    InvalidInput,
    Misconfigured,
    NetworkFailed,
    NotFound,
    UpstreamError,
)
from citewell.model.counted_words import pluralize
from citewell.ports import Offer
from citewell.services.jobs.paid_calls import LostCall
from citewell.services.routing.provider_catalogue import ProviderCatalogue

T = TypeVar("T")

# Errors that a provider caused and that are named after it; those of the ledger are our own.
PROVIDER_ERRORS = (UpstreamError, LostCall, Misconfigured, NotFound)
LOCAL_NAME = "local"  # our own search without a model: always there, and free


async def run_free_call(work: Awaitable[T], *, seconds: float, provider: str) -> T:
    """The answer of a call that costs nothing; NetworkFailed if it takes longer than `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        raise NetworkFailed(
            f"It did not answer within {seconds:g} {pluralize(seconds, 'second')}.",
            provider=provider,
            reason=FailureReason.TIMEOUT,
        ) from None


class PaidChoice:
    """The providers of one offer, the models that can write instead of them, and our own engine."""

    def __init__(
        self, catalogue: ProviderCatalogue, offer: Offer, *, default: str | None = None
    ) -> None:
        """`default` is the provider that the settings name for calls that name none."""
        self._catalogue = catalogue
        self._offer = offer
        self._default = default.strip().lower() if default else None

    def choose_provider(self, named: str | None) -> str:
        """The named provider; else the only configured one, or our own engine if there is none.

        Raises InvalidInput for a name that does not serve the tool, and if several are configured
        and none is named; Misconfigured if the settings of the named one are missing.
        """
        wanted = named or self._default
        if wanted is not None:
            return self._check_named(wanted)
        able = self.list_chosen_providers()
        if len(able) > 1:
            raise InvalidInput(
                f"Several providers of {self._offer} are configured: {', '.join(able)}. Name one of"
                f" them as provider, or {LOCAL_NAME}, which is free; the setting"
                " CITEWELL_ANSWER_PROVIDER names one for all calls.",
                alternatives=(*able, LOCAL_NAME),
            )
        return able[0] if able else LOCAL_NAME

    def list_chosen_providers(self) -> tuple[str, ...]:
        """The providers that somebody configured, in the order of the catalogue.

        One that also works without a key is not among them until it has one: nobody chose it.
        """
        able = dict.fromkeys((*self._catalogue.list_offering(self._offer), *self._list_writers()))
        return tuple(name for name in able if self._catalogue.is_explicitly_chosen(name))

    def has_offer(self, name: str) -> bool:
        """Whether the provider serves the tool itself; otherwise its model writes from our search."""
        return self._offer in self._catalogue.find_spec(name).offers

    def _check_named(self, name: str) -> str:
        if name == LOCAL_NAME:
            return name
        known = [
            other
            for other in self._catalogue.list_provider_names()
            if {self._offer, Offer.WRITING} & self._catalogue.find_spec(other).offers
        ]
        if name not in known:
            supported = ", ".join(sorted((*known, LOCAL_NAME)))
            raise InvalidInput(
                f"There is no provider {name!r} of {self._offer}. Supported: {supported}.",
                alternatives=(*self.list_chosen_providers(), LOCAL_NAME),
            )
        offer = self._offer if self.has_offer(name) else Offer.WRITING
        try:
            return self._catalogue.resolve_provider(name, offer).name
        except Misconfigured as error:
            error.alternatives = (*error.alternatives, LOCAL_NAME)  # always there, and free
            raise

    def _list_writers(self) -> tuple[str, ...]:
        return self._catalogue.list_offering(Offer.WRITING)
