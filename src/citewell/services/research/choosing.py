"""Which providers take part in a job: those named, or as many as the tier pays for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from citewell.errors import InvalidInput, Misconfigured
from citewell.model.research import TIERS, ResearchAsk, Tier
from citewell.ports import DeepResearch, Offer
from citewell.services.catalogue import Catalogue

LOCAL = "local"
_TYPICAL = {"low": "XXS", "high": "XL"}


class Choice:
    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def chosen(self, named: Iterable[str], *, tier: Tier, mode: str) -> tuple[str, ...]:
        """Never empty: the engine of our own is always there."""
        wanted = tuple(dict.fromkeys(named))
        if wanted:
            for name in wanted:
                self._check(name)
            return wanted if mode == "methodical" else (self._cheapest(wanted, tier),)
        usable = self._catalogue.offering(Offer.RESEARCH)
        if mode == "fast":
            return (self._cheapest(usable, tier) if usable else LOCAL,)
        return (*usable[: tier.providers], LOCAL)

    def provider(self, name: str) -> DeepResearch:
        found = self._catalogue.provider(name)
        if not isinstance(found, DeepResearch):
            raise InvalidInput(f"{name} does not research by itself.", provider=name)
        return found

    def estimate(self, names: Iterable[str], tier: Tier) -> int:
        """What the paid ones will probably cost together, in ticks."""
        return sum(self._estimate(name, tier) for name in names if name != LOCAL)

    def known(self) -> tuple[str, ...]:
        """Every research provider there is, configured or not, in the order they are preferred."""
        able = [
            n for n in self._catalogue.names() if Offer.RESEARCH in self._catalogue.spec(n).offers
        ]
        return (*sorted(able, key=lambda name: self._catalogue.spec(name).rank), LOCAL)

    def listed(self) -> list[dict[str, Any]]:
        return [self._row(name) for name in self.known()]

    def tiers(self, only: str | None = None) -> list[dict[str, Any]]:
        return [
            {
                "tier": tier.name,
                "maxCostCents": tier.cap_cents,
                "maxCostDollars": f"${tier.cap_cents / 100:.2f}",
                "defaultProviders": list(self.chosen((), tier=tier, mode="methodical")),
            }
            for tier in TIERS.values()
            if only in {None, tier.name}
        ]

    def _check(self, name: str) -> None:
        if name == LOCAL:
            return
        if name not in self.known():
            raise InvalidInput(
                f"There is no research provider {name!r}. There are: {', '.join(self.known())}."
            )
        if not self._catalogue.configured(name):
            spec = self._catalogue.spec(name)
            usable = (*self._catalogue.offering(Offer.RESEARCH), LOCAL)
            raise Misconfigured(
                f"{spec.title} is not configured: set {self._catalogue.lacks(name)}."
                f" Usable now: {', '.join(usable)}.",
                provider=name,
                alternatives=usable,
            )

    def _cheapest(self, names: Iterable[str], tier: Tier) -> str:
        return min(names, key=lambda name: self._estimate(name, tier))

    def _estimate(self, name: str, tier: Tier) -> int:
        if name == LOCAL:
            return 0
        return self.provider(name).estimate(ResearchAsk(query="", tier=tier, tag=""))

    def _row(self, name: str) -> dict[str, Any]:
        if name == LOCAL:
            return {
                "name": LOCAL,
                "provider": LOCAL,
                "displayName": "Citewell's own engine",
                "isActive": True,
                "typicalCostRange": "$0.00",
                "strengths": [
                    "free, no key",
                    "every sentence a verbatim quote",
                    "works offline on your library",
                ],
            }
        spec = self._catalogue.spec(name)
        active = self._catalogue.configured(name)
        row = {
            "name": name,
            "provider": name,
            "displayName": spec.title,
            "isActive": active,
            "typicalCostRange": self._range(name) if active else "not configured",
            "strengths": list(STRENGTHS.get(name, ())),
        }
        if not active:
            row["missing"] = self._catalogue.lacks(name)
        return row

    def _range(self, name: str) -> str:
        low, high = (self._estimate(name, TIERS[tier]) / 10**10 for tier in _TYPICAL.values())
        return f"${low:.2f}-${high:.2f}"


STRENGTHS = {
    "perplexity": ("fast", "states its exact cost", "runs in the background"),
    "gemini": ("many searches", "long reports", "runs in the background"),
    "openai": ("reasoning over many pages", "runs in the background"),
    "grok": ("posts on X besides the web", "states its exact cost"),
    "anthropic": ("quotes what it cites", "reads whole pages"),
    "openrouter": ("one key for many vendors' models",),
    "compatible": ("stays on your machines", "writes from what our own search found"),
}
