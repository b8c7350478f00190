"""Which providers are asked, and in what order."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.ports import Offer
from citewell.services.catalogue import Catalogue

CAPABILITIES = ("web", "images", "news", "academic", "patents", "default")
_LATER = frozenset({"academic", "patents"})  # their providers are not in this catalogue
_ROUTING = "SEARCH_ROUTING"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Providers by preference; `spare` ones step in only when the others fail."""

    main: tuple[str, ...]
    spare: tuple[str, ...] = ()


class Router:
    """The order of providers for each capability, from settings or by a sensible default."""

    def __init__(self, settings: Settings, catalogue: Catalogue) -> None:
        """Misconfigured when SEARCH_ROUTING or SEARCH_PROVIDER cannot be understood."""
        self._catalogue = catalogue
        self._first = (settings.search_provider or "").strip().lower() or None
        if self._first:
            self._known("SEARCH_PROVIDER", [self._first])
        self._lists = self._parsed(settings.search_routing)
        self._chains: dict[Offer, Chain] = {}

    def chain(self, offer: Offer) -> Chain:
        """The usable providers in order; Misconfigured when the settings leave none."""
        chain = self.able(offer)
        if not chain.main and not chain.spare:
            raise Misconfigured(self._nothing(offer))
        return chain

    def able(self, offer: Offer) -> Chain:
        """The usable providers in order; empty when the settings leave none."""
        if offer not in self._chains:
            self._chains[offer] = self._chain(offer)
        return self._chains[offer]

    def listed(self, capability: str) -> tuple[str, ...]:
        """The providers SEARCH_ROUTING names for one capability; empty when it names none."""
        names = self._lists.get(capability, ())
        self._known(_ROUTING, names)
        return names

    def warnings(self) -> tuple[str, ...]:
        """Providers that were chosen and cannot be used, each with what it lacks."""
        chosen = [name for names in self._lists.values() for name in names]
        known = set(self._catalogue.names())
        return tuple(
            f"{name} is chosen but not configured: set {self._catalogue.lacks(name)}."
            for name in dict.fromkeys([self._first, *chosen] if self._first else chosen)
            if name in known and not self._catalogue.configured(name)
        )

    def _chain(self, offer: Offer) -> Chain:
        listed = self._lists.get(offer.value) or self._lists.get("default")
        first = self._usable([self._first] if self._first else [], offer)
        if listed:
            return Chain(main=_unique(*first, *self._usable(listed, offer)))
        able = self._catalogue.offering(offer)
        broad = [name for name in able if self._catalogue.spec(name).general]
        main = _unique(*first, *broad)
        return Chain(main=main, spare=tuple(name for name in able if name not in main))

    def _usable(self, names: Iterable[str], offer: Offer) -> list[str]:
        catalogue = self._catalogue
        return [
            name
            for name in names
            if offer in catalogue.spec(name).offers and catalogue.configured(name)
        ]

    def _nothing(self, offer: Offer) -> str:
        what = f"No provider that {_ROUTING} names can do a {offer.value} search."
        return " ".join([what, *self.warnings(), "See .env.example."])

    def _parsed(self, text: str | None) -> dict[str, tuple[str, ...]]:
        if not text or not text.strip():
            return {}
        lists = _lists(text.strip())
        for capability, names in lists.items():
            if capability not in _LATER:
                self._known(_ROUTING, names)
        return lists

    def _known(self, setting: str, names: Iterable[str]) -> None:
        unknown = sorted(set(names) - set(self._catalogue.names()))
        if unknown:
            raise Misconfigured(
                f"{setting} names {', '.join(map(repr, unknown))}, which is no provider."
                f" Supported: {', '.join(sorted(self._catalogue.names()))}.",
                action="inform_user",
            )


def _lists(text: str) -> dict[str, tuple[str, ...]]:
    if text[0] not in "{[":
        return {"default": _names("the list", text.split(","))}
    try:
        body = json.loads(text)
    except ValueError as error:
        raise _malformed(f"it is not JSON ({error})") from None
    if isinstance(body, list):
        return {"default": _names("the list", body)}
    unknown = sorted(set(body) - set(CAPABILITIES))
    if unknown:
        raise _malformed(f"{', '.join(map(repr, unknown))} is no capability; {_takes()}")
    return {capability: _names(repr(capability), given) for capability, given in body.items()}


def _names(place: str, given: object) -> tuple[str, ...]:
    items = given.split(",") if isinstance(given, str) else given
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise _malformed(f"{place} must hold provider names")
    names = _unique(*(item.strip().lower() for item in items if item.strip()))
    if not names:
        raise _malformed(f"{place} is empty")
    return names


def _malformed(problem: str) -> Misconfigured:
    return Misconfigured(
        f"{_ROUTING} cannot be used: {problem}. Write a comma list such as brave,duckduckgo, or"
        ' JSON such as {"web": ["brave"], "default": ["duckduckgo"]}.',
        action="inform_user",
    )


def _takes() -> str:
    return f"it takes {', '.join(CAPABILITIES)}"


def _unique(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
