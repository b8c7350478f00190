"""Decides which providers are asked and in what order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.core.settings import QUERY_PROVIDERS_SETTING, CoreSettings
from citewell.routing.ports import Offer
from citewell.routing.provider_catalogue import (
    ROUTING_SETTING,
    ProviderCatalogue,
    keep_distinct_names,
    parse_routing_lists,
)
from citewell.routing.settings import RoutingSettings

_CHECKED_LATER = frozenset({"academic", "patents"})  # checked when used: this catalogue lacks them


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderChain:
    """Providers by preference; `spare` ones are asked only if the main ones fail."""

    main: tuple[str, ...]
    spare: tuple[str, ...] = ()


class SearchRouter:
    """The order of providers for each capability, from the settings or by default."""

    def __init__(self, settings: Settings, catalogue: ProviderCatalogue) -> None:
        """Raises Misconfigured if one of the settings that name providers is invalid."""
        routing_settings = settings[RoutingSettings]
        self._catalogue = catalogue
        self._first = (routing_settings.search_provider or "").strip().lower() or None
        if self._first:
            self._check_known_providers("SEARCH_PROVIDER", [self._first])
        allowed = [name.lower() for name in settings[CoreSettings].query_providers]
        self._check_known_providers(QUERY_PROVIDERS_SETTING, allowed)
        self._lists = self._parse_routing_setting(routing_settings.search_routing)
        self._chains: dict[Offer, ProviderChain] = {}

    def require_chain(self, offer: Offer) -> ProviderChain:
        """The usable providers in order; raises Misconfigured if there are none."""
        chain = self.find_chain(offer)
        if not chain.main and not chain.spare:
            action = "inform_user" if self._catalogue.describe_seal() else None
            raise Misconfigured(self._describe_empty_chain(offer), action=action)
        return chain

    def find_chain(self, offer: Offer) -> ProviderChain:
        """The usable providers in order; an empty chain if there are none."""
        if offer not in self._chains:
            self._chains[offer] = self._build_chain(offer)
        return self._chains[offer]

    def list_routed_names(self, capability: str) -> tuple[str, ...]:
        """The providers that SEARCH_ROUTING names for one capability; empty if it names none."""
        names = self._lists.get(capability, ())
        self._check_known_providers(ROUTING_SETTING, names)
        return names

    def describe_unusable_choices(self) -> tuple[str, ...]:
        """A sentence for each provider that the settings choose but that is not configured."""
        chosen = [name for names in self._lists.values() for name in names]
        chosen += sorted(self._catalogue.query_receivers or ())
        known = set(self._catalogue.list_provider_names())
        return tuple(
            f"{name} is chosen but not configured: set {self._catalogue.describe_missing_settings(name)}."
            for name in dict.fromkeys([self._first, *chosen] if self._first else chosen)
            if name in known and not self._catalogue.is_configured(name)
        )

    def _build_chain(self, offer: Offer) -> ProviderChain:
        listed = self._lists.get(offer.value) or self._lists.get("default")
        first = self._keep_usable_providers([self._first] if self._first else [], offer)
        if listed:
            return ProviderChain(
                main=keep_distinct_names(*first, *self._keep_usable_providers(listed, offer))
            )
        able = self._catalogue.list_offering(offer)
        broad = [name for name in able if self._catalogue.find_spec(name).covers_whole_web]
        main = keep_distinct_names(*first, *broad)
        return ProviderChain(main=main, spare=tuple(name for name in able if name not in main))

    def _keep_usable_providers(self, names: Iterable[str], offer: Offer) -> list[str]:
        catalogue = self._catalogue
        return [
            name
            for name in names
            if offer in catalogue.find_spec(name).offers and catalogue.is_configured(name)
        ]

    def _describe_empty_chain(self, offer: Offer) -> str:
        where = f" in {ROUTING_SETTING}" if self._lists else ""
        what = f"No configured provider{where} can do a {offer.value} search."
        seal = self._catalogue.describe_seal()
        return " ".join(
            filter(None, [what, seal, *self.describe_unusable_choices(), "See .env.example."])
        )

    def _parse_routing_setting(self, text: str | None) -> dict[str, tuple[str, ...]]:
        if not text or not text.strip():
            return {}
        lists = parse_routing_lists(text.strip())
        for capability, names in lists.items():
            if capability not in _CHECKED_LATER:
                self._check_known_providers(ROUTING_SETTING, names)
        return lists

    def _check_known_providers(self, setting: str, names: Iterable[str]) -> None:
        unknown = sorted(set(names) - set(self._catalogue.list_provider_names()))
        if unknown:
            raise Misconfigured(
                f"{setting} names {', '.join(map(repr, unknown))}, which is not a provider."
                f" Supported: {', '.join(sorted(self._catalogue.list_provider_names()))}.",
                action="inform_user",
            )
