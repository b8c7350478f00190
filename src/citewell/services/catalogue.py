"""Which providers there are, which of them are configured, and what the others lack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from citewell import providers
from citewell.config import Settings
from citewell.errors import InvalidInput, Misconfigured
from citewell.ports import Offer, Option, Spec

Connect = Callable[[Spec, Mapping[str, str]], object]
Load = Callable[[str], providers.Module]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderStatus:
    """One row of the doctor's and the operator's table."""

    name: str
    title: str
    home: str
    configured: bool
    chosen: bool  # the user gave it a setting, where a keyless one merely works
    offers: tuple[str, ...]
    missing: tuple[str, ...] = ()  # environment names, in the order to set them
    any_of: tuple[str, ...] = ()  # one of these would do


class Catalogue:
    """Every provider by name; a module is imported when something must be known of it."""

    def __init__(
        self,
        settings: Settings,
        connect: Connect,
        *,
        names: Iterable[str] = providers.NAMES,
        load: Load = providers.load,
    ) -> None:
        self._raw = settings.raw
        self._connect = connect
        self._load = load
        self._names = tuple(dict.fromkeys(names))
        self._specs: dict[str, Spec] = {}
        self._connected: dict[str, object] = {}

    def names(self) -> tuple[str, ...]:
        """Every provider there is, configured or not."""
        return self._names

    def module(self, name: str) -> providers.Module:
        return self._load(name)

    def spec(self, name: str) -> Spec:
        """A known provider's description, with the base URL the settings give it."""
        if name not in self._specs:
            spec = self._load(name).SPEC
            self._specs[name] = replace(
                spec, base_url=self._raw.get(spec.base_url_env) or spec.base_url
            )
        return self._specs[name]

    def provider(self, name: str) -> object:
        """The connected provider, the same one each time."""
        if name not in self._connected:
            spec = self.spec(name)
            self._connected[name] = self._connect(spec, self._options(spec))
        return self._connected[name]

    def configured(self, name: str) -> bool:
        spec = self.spec(name)
        return not self._missing(spec) and (not _any_of(spec) or self._has_any(_any_of(spec)))

    def chosen(self, name: str) -> bool:
        """Configured by a setting of its own, and not only because it needs none."""
        envs = [option.env for option in self.spec(name).options]
        return self.configured(name) and self._has_any(envs)

    def offering(self, offer: Offer) -> tuple[str, ...]:
        """The configured providers with this offer: chosen ones first, then by rank.

        Those that search less than the whole web come last. The user's own documents are not among
        them: they are asked for by name, and only their provider knows whether there are any.
        """
        able = [name for name in self._remote() if offer in self.spec(name).offers]
        return tuple(sorted(filter(self.configured, able), key=self._place))

    def resolve(self, name: str, offer: Offer) -> Spec:
        """The provider a caller named; the error says what to name or to set instead."""
        if name not in self._names:
            raise InvalidInput(
                f"There is no provider {name!r}. Supported: {', '.join(sorted(self._names))}.",
                alternatives=self.offering(offer),
            )
        spec = self.spec(name)
        if offer not in spec.offers:
            able = [other for other in self._names if offer in self.spec(other).offers]
            raise InvalidInput(
                f"{spec.title} has no {offer} search. These have: {', '.join(able)}.",
                provider=name,
                alternatives=self.offering(offer),
            )
        if not self.configured(name):
            raise self._unconfigured(spec, offer)
        return spec

    def status(self) -> tuple[ProviderStatus, ...]:
        """Every provider that settings configure; the user's own documents need none."""
        return tuple(self._row(self.spec(name)) for name in self._remote())

    def lacks(self, name: str) -> str:
        """What to set before the provider can be used, as words."""
        spec = self.spec(name)
        parts = list(self._missing(spec))
        if _any_of(spec) and not self._has_any(_any_of(spec)):
            parts.append(" or ".join(_any_of(spec)))
        return " and ".join(parts)

    def _remote(self) -> tuple[str, ...]:
        return tuple(name for name in self._names if self.spec(name).base_url)

    def _place(self, name: str) -> tuple[bool, bool, int, str]:
        spec = self.spec(name)
        return not spec.general, not self.chosen(name), spec.rank, name

    def _row(self, spec: Spec) -> ProviderStatus:
        unmet = _any_of(spec) if not self._has_any(_any_of(spec)) else ()
        return ProviderStatus(
            name=spec.name,
            title=spec.title,
            home=spec.home,
            configured=self.configured(spec.name),
            chosen=self.chosen(spec.name),
            offers=tuple(sorted(spec.offers)),
            missing=self._missing(spec),
            any_of=unmet,
        )

    def _unconfigured(self, spec: Spec, offer: Offer) -> Misconfigured:
        others = self.offering(offer)
        usable = f" Configured: {', '.join(others)}." if others else ""
        return Misconfigured(
            f"{spec.title} is not configured: set {self.lacks(spec.name)}"
            f" (see .env.example; {spec.home} says more).{usable}",
            provider=spec.name,
            alternatives=others,
        )

    def _missing(self, spec: Spec) -> tuple[str, ...]:
        return tuple(
            option.env for option in spec.options if option.required and self._value(option) is None
        )

    def _options(self, spec: Spec) -> dict[str, str]:
        values = {option.env: self._value(option) for option in spec.options}
        return {env: value for env, value in values.items() if value is not None}

    def _value(self, option: Option) -> str | None:
        return self._raw.get(option.env) or option.default

    def _has_any(self, envs: Iterable[str]) -> bool:
        return any(self._raw.get(env) for env in envs)


def _any_of(spec: Spec) -> tuple[str, ...]:
    return spec.requires_any
