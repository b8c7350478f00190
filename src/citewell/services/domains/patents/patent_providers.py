"""Says which providers can search patents, and in what order they are asked."""

from __future__ import annotations

from citewell.errors import InvalidInput
from citewell.ports import Offer
from citewell.services.domains.patents.patent_request import PatentSearchRequest
from citewell.services.domains.routing.domain_search import DomainSearch
from citewell.services.routing.provider_catalogue import ProviderCatalogue

PATENT_PROVIDER_ORDER = ("searchapi", "epo", "lens", "uspto")
_OFFICES_BY_PROVIDER = {"uspto": frozenset({"US"})}  # the others have all offices
_WORLD_DATABASES = ("epo", "lens")  # with keys that cost nothing


class PatentProviders:
    def __init__(self, search: DomainSearch, catalogue: ProviderCatalogue) -> None:
        self._search = search
        self._catalogue = catalogue

    def choose_offer(self, name: str) -> Offer:
        known = name in self._catalogue.list_provider_names()
        spec = self._catalogue.find_spec(name) if known else None
        if spec is not None and Offer.PATENTS in spec.offers:
            return Offer.PATENTS
        if spec is not None and Offer.WEB in spec.offers and spec.base_url:
            return Offer.WEB  # a provider without a base URL, the library, is not the web
        raise InvalidInput(
            f"{name!r} cannot search for patents. Supported: {', '.join(self._list_supported())}.",
            alternatives=self.list_others((), None),
        )

    def _list_supported(self) -> tuple[str, ...]:
        """The providers of patents in our order, then those of the web, each once."""
        names = self._catalogue.list_provider_names()
        specs = {name: self._catalogue.find_spec(name) for name in names}
        patents = [name for name in names if Offer.PATENTS in specs[name].offers]
        web = sorted(n for n in names if Offer.WEB in specs[n].offers and specs[n].base_url)
        first = [name for name in PATENT_PROVIDER_ORDER if name in patents]
        return tuple(dict.fromkeys([*first, *sorted(patents), *web]))

    def list_databases(
        self, ask: PatentSearchRequest, *, excluded: tuple[str, ...]
    ) -> tuple[str, ...]:
        """The configured databases that have the office, in our order."""
        able = self._catalogue.list_offering(Offer.PATENTS)
        return tuple(
            name
            for name in PATENT_PROVIDER_ORDER
            if name in able and name not in excluded and self.covers_office(name, ask)
        )

    def keep_usable(self, names: tuple[str, ...], ask: PatentSearchRequest) -> tuple[str, ...]:
        """The names that can search patents or the web and are configured."""
        return tuple(
            name
            for name in names
            if {Offer.PATENTS, Offer.WEB} & self._catalogue.find_spec(name).offers
            and self._catalogue.find_spec(name).base_url
            and self._catalogue.is_configured(name)
            and self.covers_office(name, ask)
        )

    def covers_office(self, name: str, ask: PatentSearchRequest) -> bool:
        offices = _OFFICES_BY_PROVIDER.get(name)
        return offices is None or ask.office is None or ask.office in offices

    def list_others(
        self, attempted: tuple[str, ...], ask: PatentSearchRequest | None
    ) -> tuple[str, ...]:
        """The healthy databases that were not asked; pages are read by themselves when nothing else is."""
        able = [name for name in PATENT_PROVIDER_ORDER if self._catalogue.is_configured(name)]
        fitting = (name for name in able if ask is None or self.covers_office(name, ask))
        return self._search.list_healthy_providers(
            name for name in fitting if name not in attempted
        )

    def describe_missing_databases(self) -> str | None:
        """What a key would add; None if a database of all offices is configured."""
        catalogue = self._catalogue
        if any(map(catalogue.is_configured, ("searchapi", *_WORLD_DATABASES))):
            return None
        ways = " or ".join(map(catalogue.describe_missing_settings, _WORLD_DATABASES))
        return f"No patent database is configured; a free key adds one: set {ways}."
