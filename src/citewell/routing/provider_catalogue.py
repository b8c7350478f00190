"""All providers: which are configured, which settings the others need, who alone may see a query, and who is asked first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any

from citewell.core.config import Settings
from citewell.core.errors import InvalidInput, Misconfigured
from citewell.core.settings import QUERY_PROVIDERS_SETTING, CoreSettings
from citewell.core.values.search_queries import LIBRARY_PROVIDER
from citewell.routing.ports import Offer, ProviderOption, ProviderSpec
from citewell.routing.settings import RoutingSettings

ROUTED_CAPABILITIES = ("web", "images", "news", "academic", "patents", "default")
ROUTING_SETTING = "SEARCH_ROUTING"

# Providers know the values of the rooms, and the rooms ask providers: they are loaded by name.
_PROVIDERS: Any = import_module("citewell.providers")
ConnectProvider = Callable[[ProviderSpec, Mapping[str, str]], object]
LoadSpec = Callable[[str], ProviderSpec]
_SWITCHED_ON = frozenset({"true", "1", "yes", "on"})
_CHECKED_LATER = frozenset({"academic", "patents"})  # checked when used: this catalogue lacks them


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderStatus:
    """One row of the provider table that `doctor` and the admin page show."""

    name: str
    title: str
    home: str
    configured: bool
    chosen: bool  # the user set one of its options; a keyless provider works without
    offers: tuple[str, ...]
    missing: tuple[str, ...] = ()  # environment variables, in the order to set them
    any_of: tuple[str, ...] = ()  # environment variables of which one is enough


class ProviderCatalogue:
    """Every provider by name; a provider's module is imported when it is first asked."""

    def __init__(
        self,
        settings: Settings,
        connect: ConnectProvider,
        *,
        names: Iterable[str] = _PROVIDERS.NAMES,
        load_spec: LoadSpec = _PROVIDERS.load_spec,
    ) -> None:
        self._settings = settings
        self._raw = settings.raw
        self._connect = connect
        self._load_spec = load_spec
        self._names = tuple(dict.fromkeys(names))
        self._specs: dict[str, ProviderSpec] = {}
        self._connected: dict[str, object] = {}

    @cached_property
    def query_receivers(self) -> frozenset[str] | None:
        """The providers that may see a query; None if every configured one may."""
        return find_query_receivers(self._settings)

    def may_see_queries(self, name: str) -> bool:
        """Whether the settings let the provider see queries; the library is on this machine and may."""
        allowed = self.query_receivers
        return allowed is None or name in allowed or name == LIBRARY_PROVIDER

    def describe_seal(self) -> str:
        """Who alone may see a query; empty if every configured provider may."""
        if self.query_receivers is None:
            return ""
        names = ", ".join(sorted(self.query_receivers))
        return f"Only these providers may see queries on this server: {names}."

    def list_provider_names(self) -> tuple[str, ...]:
        """All providers, configured or not."""
        return self._names

    def find_spec(self, name: str) -> ProviderSpec:
        """The provider's spec, with the base URL from the settings if one is set."""
        if name not in self._specs:
            spec = self._load_spec(name)
            self._specs[name] = replace(
                spec, base_url=self._raw.get(spec.base_url_env) or spec.base_url
            )
        return self._specs[name]

    def connect_provider(self, name: str) -> object:
        """The connected provider; every call with the same name returns the same object.

        Raises Misconfigured for one that may not see queries.
        """
        if name not in self._connected:
            spec = self.find_spec(name)
            if not self.may_see_queries(name):
                raise Misconfigured(
                    f"{spec.title} was not asked. {self.describe_seal()}",
                    provider=name,
                    action="inform_user",
                )
            values = {option.env: self._find_option_value(option) for option in spec.options}
            self._connected[name] = self._connect(
                spec, {env: value for env, value in values.items() if value is not None}
            )
        return self._connected[name]

    def list_connected_providers(self) -> Mapping[str, object]:
        """The providers that were asked since the start, by name."""
        return dict(self._connected)

    def is_configured(self, name: str) -> bool:
        spec = self.find_spec(name)
        return not self._list_missing_options(spec) and (
            not spec.requires_any or self._has_any_setting(spec.requires_any)
        )

    def is_explicitly_chosen(self, name: str) -> bool:
        """Whether the user set one of its options; a provider that needs no settings is not chosen."""
        envs = [option.env for option in self.find_spec(name).options]
        return self.is_configured(name) and self._has_any_setting(envs)

    def list_offering(self, offer: Offer) -> tuple[str, ...]:
        """The configured providers with this offer: explicitly chosen ones first, then by rank.

        Providers that search only part of the web come last. The user's library is not included:
        it is asked only by name, and only its provider knows whether it holds documents.
        """
        able = [name for name in self._list_remote_names() if offer in self.find_spec(name).offers]
        return tuple(sorted(filter(self.is_configured, able), key=self._rank_provider))

    def resolve_provider(self, name: str, offer: Offer) -> ProviderSpec:
        """The spec of the provider a caller named.

        Raises InvalidInput for an unknown name or a missing offer, Misconfigured for missing settings.
        """
        if name not in self._names:
            raise InvalidInput(
                f"There is no provider {name!r}. Supported: {self._name_able_providers(offer)}.",
                alternatives=self.list_offering(offer),
            )
        spec = self.find_spec(name)
        if offer not in spec.offers:
            raise InvalidInput(
                f"{spec.title} has no {offer} search. Providers that do: {self._name_able_providers(offer)}.",
                provider=name,
                alternatives=self.list_offering(offer),
            )
        if not self.is_configured(name):
            raise self._build_unconfigured_error(spec, offer)
        return spec

    def _name_able_providers(self, offer: Offer) -> str:
        """All providers with this offer, configured or not."""
        return ", ".join(sorted(n for n in self._names if offer in self.find_spec(n).offers))

    def list_provider_statuses(self) -> tuple[ProviderStatus, ...]:
        """One row for every provider except the user's library, which needs no settings."""
        return tuple(
            self._build_provider_status(self.find_spec(name)) for name in self._list_remote_names()
        )

    def describe_missing_settings(self, name: str) -> str:
        """The environment variables still missing, joined with "and" and "or"; empty if none is."""
        spec = self.find_spec(name)
        parts = list(self._list_missing_options(spec))
        if spec.requires_any and not self._has_any_setting(spec.requires_any):
            parts.append(" or ".join(spec.requires_any))
        return " and ".join(parts)

    def _list_remote_names(self) -> tuple[str, ...]:
        return tuple(name for name in self._names if self.find_spec(name).base_url)

    def _rank_provider(self, name: str) -> tuple[bool, bool, int, str]:
        spec = self.find_spec(name)
        return not spec.covers_whole_web, not self.is_explicitly_chosen(name), spec.rank, name

    def _build_provider_status(self, spec: ProviderSpec) -> ProviderStatus:
        unmet = spec.requires_any if not self._has_any_setting(spec.requires_any) else ()
        return ProviderStatus(
            name=spec.name,
            title=spec.title,
            home=spec.homepage,
            configured=self.is_configured(spec.name),
            chosen=self.is_explicitly_chosen(spec.name),
            offers=tuple(sorted(spec.offers)),
            missing=self._list_missing_options(spec),
            any_of=unmet,
        )

    def _build_unconfigured_error(self, spec: ProviderSpec, offer: Offer) -> Misconfigured:
        others = self.list_offering(offer)
        usable = f" Configured: {', '.join(others)}." if others else ""
        if not self.may_see_queries(spec.name):
            return Misconfigured(
                f"{spec.title} was not asked. {self.describe_seal()}{usable}",
                provider=spec.name,
                alternatives=others,
                action="try_different_provider" if others else "inform_user",
            )
        return Misconfigured(
            f"{spec.title} is not configured: set {self.describe_missing_settings(spec.name)}"
            f" (see .env.example; {spec.homepage} says more).{usable}",
            provider=spec.name,
            alternatives=others,
        )

    def _list_missing_options(self, spec: ProviderSpec) -> tuple[str, ...]:
        missing = tuple(
            option.env
            for option in spec.options
            if option.required and self._find_option_value(option) is None
        )
        return missing if self.may_see_queries(spec.name) else (*missing, QUERY_PROVIDERS_SETTING)

    def _find_option_value(self, option: ProviderOption) -> str | None:
        value = self._raw.get(option.env) or option.default
        if option.is_switch and (value or "").strip().lower() not in _SWITCHED_ON:
            return None
        return value

    def _has_any_setting(self, envs: Iterable[str]) -> bool:
        return any(self._raw.get(env) for env in envs)


# What the settings say of providers: their order, and who alone may see a query.


def find_query_receivers(settings: Settings) -> frozenset[str] | None:
    """The providers that may see a query; None if every configured one may.

    The profile searxng allows SearXNG and whom the routing settings name, unless a list is set.
    Raises Misconfigured if SEARCH_ROUTING is invalid.
    """
    core_settings = settings[CoreSettings]
    if not core_settings.is_sealed:
        return None
    listed = {name.lower() for name in core_settings.query_providers}
    return frozenset(listed or {core_settings.profile, *_list_named_providers(settings)})


def is_library_routed_alone(settings: Settings) -> bool:
    """Whether SEARCH_ROUTING names nothing but the library; raises Misconfigured if it is invalid."""
    routed = bool((settings[RoutingSettings].search_routing or "").strip())
    return routed and _list_named_providers(settings) == {LIBRARY_PROVIDER}


def parse_routing_lists(text: str) -> dict[str, tuple[str, ...]]:
    if text[0] not in "{[":
        return {"default": _parse_provider_names("the list", text.split(","))}
    try:
        body = json.loads(text)
    except ValueError as error:
        raise _build_routing_error(f"it is not JSON ({error})") from None
    if isinstance(body, list):
        return {"default": _parse_provider_names("the list", body)}
    unknown = sorted(set(body) - set(ROUTED_CAPABILITIES))
    if unknown:
        known = ", ".join(ROUTED_CAPABILITIES)
        raise _build_routing_error(
            f"{', '.join(map(repr, unknown))} is not a capability; it takes {known}"
        )
    return {
        capability: _parse_provider_names(repr(capability), given)
        for capability, given in body.items()
    }


def _parse_provider_names(place: str, given: object) -> tuple[str, ...]:
    items = given.split(",") if isinstance(given, str) else given
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise _build_routing_error(f"{place} must hold provider names")
    names = keep_distinct_names(*(item.strip().lower() for item in items if item.strip()))
    if not names:
        raise _build_routing_error(f"{place} is empty")
    return names


def _build_routing_error(problem: str) -> Misconfigured:
    return Misconfigured(
        f"{ROUTING_SETTING} cannot be used: {problem}. Write a comma list such as brave,duckduckgo, or"
        ' JSON such as {"web": ["brave"], "default": ["duckduckgo"]}.',
        action="inform_user",
    )


def keep_distinct_names(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _list_named_providers(settings: Settings) -> set[str]:
    """Every provider that SEARCH_PROVIDER and SEARCH_ROUTING name."""
    routing_settings = settings[RoutingSettings]
    first = (routing_settings.search_provider or "").strip().lower()
    text = (routing_settings.search_routing or "").strip()
    lists = parse_routing_lists(text) if text else {}
    return {first, *(name for names in lists.values() for name in names)} - {""}


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
