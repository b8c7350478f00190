"""Looks a brand up with a provider that has a key; without one there is nothing to ask."""

from __future__ import annotations

from citewell.domain_ports import BrandLookup
from citewell.errors import InternalError, Misconfigured
from citewell.model.domains.brand import BrandQuery, BrandRecord
from citewell.model.routing_trace import RoutingTrace
from citewell.ports import Offer
from citewell.services.domains.routing.domain_search import DomainSearch


class BrandLookupService:
    def __init__(self, search: DomainSearch) -> None:
        self._search = search

    async def find_provider_record(self, domain: str, *, trace: RoutingTrace) -> BrandRecord | None:
        """The provider's record; None if no provider is configured, knows the brand or answers."""
        try:
            names = self._search.choose_providers(Offer.BRANDS)
        except Misconfigured:
            return None

        async def question(provider: object) -> BrandRecord | None:
            if not isinstance(provider, BrandLookup):
                raise InternalError("A provider declares brands but cannot look them up.")
            return await provider.look_up_brand(BrandQuery(domain=domain))

        harvest = await self._search.ask_in_turn(names[:1], question, trace=trace)
        return harvest.replies.get(names[0])  # without it the company's own pages say enough
