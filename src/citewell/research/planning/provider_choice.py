"""Chooses the providers of a job, and who serves a tool that may cost money."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Any, Self, TypeVar

from citewell.core import errors
from citewell.core.service_kit import ServiceKit
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import RESEARCH_TIERS, ResearchRequest, ResearchTier
from citewell.jobs.durable_job import LostCall
from citewell.jobs.step_values import LOCAL_PROVIDER
from citewell.net.settings import NetSettings
from citewell.net.url_grammar import is_loopback_address
from citewell.routing.ports import DeepResearch, Offer, SelfHostedModel
from citewell.routing.provider_catalogue import ProviderCatalogue

T = TypeVar("T")

# Errors that a provider caused and that are named after it; those of the ledger are our own.
PROVIDER_ERRORS = (errors.UpstreamError, LostCall, errors.Misconfigured, errors.NotFound)
LOCAL_NAME = "local"  # our own search without a model: always there, and free

_COST_RANGE_TIERS = {"low": "XXS", "high": "XL"}


class ProviderChoice:
    """The research providers of the catalogue, with their choice, cost estimates and description."""

    def __init__(self, catalogue: ProviderCatalogue, *, has_proxy: bool = False) -> None:
        """`has_proxy` says that requests go through another machine, even those to this one."""
        self._catalogue = catalogue
        self._has_proxy = has_proxy

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.catalogue, has_proxy=bool(kit.settings[NetSettings].outbound_proxy))

    def choose_providers(
        self, named: Iterable[str], *, tier: ResearchTier, mode: str, local_only: bool = False
    ) -> tuple[str, ...]:
        """The providers of a job, never empty; the local engine is always available.

        With `local_only`, those named must be on this machine: see `list_remote_providers`.
        Raises InvalidInput for an unknown name, Misconfigured for a provider without its key.
        """
        wanted = tuple(dict.fromkeys(named))
        if wanted:
            for name in wanted:
                self._check_provider_usable(name)
            return wanted if mode == "methodical" else (self._choose_cheapest(wanted, tier),)
        usable = self._catalogue.list_offering(Offer.RESEARCH)
        if local_only:
            usable = tuple(name for name in usable if self.is_on_this_machine(name))
        if mode == "fast":
            return (self._choose_cheapest(usable, tier) if usable else LOCAL_PROVIDER,)
        return (*usable[: tier.providers], LOCAL_PROVIDER)

    def is_on_this_machine(self, name: str) -> bool:
        """Whether what this provider is given stays here: our own engine, or a loopback model server."""
        if name == LOCAL_PROVIDER:
            return True
        found = self._catalogue.connect_provider(name)
        is_near = isinstance(found, SelfHostedModel) and is_loopback_address(found.server_address)
        return is_near and not self._has_proxy

    def list_remote_providers(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of these providers to which research sends requests over the network."""
        return tuple(name for name in names if not self.is_on_this_machine(name))

    def require_research_provider(self, name: str) -> DeepResearch:
        """The provider of this name; raises InvalidInput if it cannot do research."""
        found = self._catalogue.connect_provider(name)
        if not isinstance(found, DeepResearch):
            raise errors.InvalidInput(f"{name} is not a research provider.", provider=name)
        return found

    def list_known_providers(self) -> tuple[str, ...]:
        """All research providers, configured or not, by rank; the local engine last."""
        able = [
            n
            for n in self._catalogue.list_provider_names()
            if Offer.RESEARCH in self._catalogue.find_spec(n).offers
        ]
        return (
            *sorted(able, key=lambda name: self._catalogue.find_spec(name).rank),
            LOCAL_PROVIDER,
        )

    def describe_providers(self) -> list[dict[str, Any]]:
        return [self._build_provider_row(name) for name in self.list_known_providers()]

    def describe_tiers(self, only: str | None = None) -> list[dict[str, Any]]:
        return [
            {
                "tier": tier.name,
                "maxCostCents": tier.cap_cents,
                "maxCostDollars": f"${tier.cap_cents / 100:.2f}",
                "defaultProviders": list(self.choose_providers((), tier=tier, mode="methodical")),
            }
            for tier in RESEARCH_TIERS.values()
            if only in {None, tier.name}
        ]

    def _check_provider_usable(self, name: str) -> None:
        if name == LOCAL_PROVIDER:
            return
        if name not in self.list_known_providers():
            raise errors.InvalidInput(
                f"There is no research provider {name!r}. Known providers: {', '.join(self.list_known_providers())}."
            )
        if not self._catalogue.is_configured(name):
            spec = self._catalogue.find_spec(name)
            usable = (*self._catalogue.list_offering(Offer.RESEARCH), LOCAL_PROVIDER)
            raise errors.Misconfigured(
                f"{spec.title} is not configured: set {self._catalogue.describe_missing_settings(name)}."
                f" Usable now: {', '.join(usable)}.",
                provider=name,
                alternatives=usable,
            )

    def _choose_cheapest(self, names: Iterable[str], tier: ResearchTier) -> str:
        return min(names, key=lambda name: self._estimate_provider_ticks(name, tier))

    def _estimate_provider_ticks(self, name: str, tier: ResearchTier) -> int:
        if name == LOCAL_PROVIDER:
            return 0
        return self.require_research_provider(name).estimate_cost(
            ResearchRequest(query="", tier=tier, tag="")
        )

    def _build_provider_row(self, name: str) -> dict[str, Any]:
        if name == LOCAL_PROVIDER:
            return {
                "name": LOCAL_PROVIDER,
                "provider": LOCAL_PROVIDER,
                "displayName": "Citewell's own engine",
                "isActive": True,
                "typicalCostRange": "$0.00",
                "strengths": [
                    "free, no key",
                    "every sentence a verbatim quote",
                    "works offline on your library",
                ],
            }
        spec = self._catalogue.find_spec(name)
        active = self._catalogue.is_configured(name)
        row = {
            "name": name,
            "provider": name,
            "displayName": spec.title,
            "isActive": active,
            "typicalCostRange": self._format_cost_range(name) if active else "not configured",
            "strengths": list(PROVIDER_STRENGTHS.get(name, ())),
        }
        if not active:
            row["missing"] = self._catalogue.describe_missing_settings(name)
        return row

    def _format_cost_range(self, name: str) -> str:
        low, high = (
            self._estimate_provider_ticks(name, RESEARCH_TIERS[tier]) / 10**10
            for tier in _COST_RANGE_TIERS.values()
        )
        return f"${low:.2f}-${high:.2f}"


PROVIDER_STRENGTHS = {
    "perplexity": ("fast", "states its exact cost", "runs in the background"),
    "gemini": ("many searches", "long reports", "runs in the background"),
    "openai": ("reasoning over many pages", "runs in the background"),
    "grok": ("posts on X besides the web", "states its exact cost"),
    "anthropic": ("quotes what it cites", "reads whole pages"),
    "openrouter": ("one key for many vendors' models",),
    "compatible": ("stays on your machines", "writes from what our own search found"),
}

# Chooses who serves a tool that may cost money: the provider that is named, or the only one there is.


async def run_free_call(work: Awaitable[T], *, seconds: float, provider: str) -> T:
    """The answer of a call that costs nothing; NetworkFailed if it takes longer than `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        raise errors.NetworkFailed(
            f"It did not answer within {seconds:g} {pluralize(seconds, 'second')}.",
            provider=provider,
            reason=errors.FailureReason.TIMEOUT,
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
            raise errors.InvalidInput(
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
        able = dict.fromkeys(
            (
                *self._catalogue.list_offering(self._offer),
                *self._catalogue.list_offering(Offer.WRITING),
            )
        )
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
            raise errors.InvalidInput(
                f"There is no provider {name!r} of {self._offer}. Supported: {supported}.",
                alternatives=(*self.list_chosen_providers(), LOCAL_NAME),
            )
        offer = self._offer if self.has_offer(name) else Offer.WRITING
        try:
            return self._catalogue.resolve_provider(name, offer).name
        except errors.Misconfigured as error:
            error.alternatives = (*error.alternatives, LOCAL_NAME)  # always there, and free
            raise
