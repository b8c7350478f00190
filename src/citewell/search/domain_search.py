"""Asks the provider that the caller named, or the configured ones in turn, and records how each answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

from citewell.core.errors import CitewellError, InternalError, Misconfigured
from citewell.core.service_kit import ServiceKit
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_results import EmptySearchHints
from citewell.routing import provider_failures
from citewell.routing.ports import Offer
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.routing.provider_panel import ProviderAnswer, ProviderPanel
from citewell.search.search_hints import build_domain_hints

P = TypeVar("P")
T = TypeVar("T")


@dataclass(slots=True)
class DomainHarvest(Generic[T]):
    """What the providers answered, in the order they were asked; `failures` are those that did not."""

    replies: dict[str, T] = field(default_factory=dict)
    failures: dict[str, CitewellError] = field(default_factory=dict)

    def list_attempted_providers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.replies, *self.failures]))


class DomainSearch:
    """The part that the searches of all domains share: whom to ask, and what to say of failures."""

    def __init__(self, catalogue: ProviderCatalogue, panel: ProviderPanel) -> None:
        self._catalogue = catalogue
        self._panel = panel

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.catalogue, kit.require_service(ProviderPanel))

    def choose_providers(
        self, offer: Offer, *, named: str | None = None, order: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """The named provider alone, or all configured ones: those in `order` first, the rest by rank.

        Raises InvalidInput for a name that does not serve this offer, Misconfigured if settings are
        missing; both say which providers there are.
        """
        if named:
            return (self._catalogue.resolve_provider(named, offer).name,)
        able = self._panel.list_able_providers(offer, order)
        if not able:
            action = "inform_user" if self._catalogue.describe_seal() else None
            raise Misconfigured(self._describe_missing_providers(offer), action=action)
        return able

    def load_provider(self, name: str) -> object:
        return self._panel.load_provider(name)

    async def ask_first_provider(
        self,
        names: Sequence[str],
        kind: type[P],
        question: Callable[[P], Awaitable[T]],
        *,
        trace: RoutingTrace,
    ) -> tuple[str, T]:
        """The first provider's name and answer; its error is raised with the others as alternatives.

        `kind` is the Protocol of the offer.
        """
        harvest = await self.ask_in_turn(names[:1], kind, question, trace=trace)
        if harvest.failures:
            [(name, error)] = harvest.failures.items()
            raise provider_failures.complete_provider_error(
                error, provider=name, alternatives=self.list_healthy_providers(names[1:])
            )
        [(name, value)] = harvest.replies.items()
        return name, value

    async def ask_in_turn(
        self,
        names: Iterable[str],
        kind: type[P],
        question: Callable[[P], Awaitable[T]],
        *,
        trace: RoutingTrace,
        is_enough: Callable[[T], bool] | None = None,
    ) -> DomainHarvest[T]:
        """Ask one after the other until `is_enough` accepts an answer; without it, ask all.

        Failures are collected, not raised: `raise_if_all_failed` raises them as one error.
        """
        harvest: DomainHarvest[T] = DomainHarvest()
        for name in names:
            answer = await self._ask_provider(name, kind, question, trace)
            if answer.error is not None:
                harvest.failures[name] = answer.error
            elif answer.value is not None:
                harvest.replies[name] = answer.value
                trace.record_reply(name)
                if is_enough is None or is_enough(answer.value):
                    trace.record_success(name)
                if is_enough is not None and is_enough(answer.value):
                    break
        return harvest

    async def _ask_provider(
        self,
        name: str,
        kind: type[P],
        question: Callable[[P], Awaitable[T]],
        trace: RoutingTrace,
    ) -> ProviderAnswer[T]:
        async def ask_loaded() -> T:
            provider = self._panel.load_provider(name)
            if not isinstance(provider, kind):
                raise InternalError(f"{name} has no methods of {kind.__name__}, which it offers.")
            return await question(provider)

        self._panel.record_attempt(name, trace)
        return await self._panel.ask_provider(name, ask_loaded)

    def raise_if_all_failed(self, harvest: DomainHarvest[T], others: Iterable[str] = ()) -> None:
        """Raise one error for all failures if nobody answered."""
        if harvest.failures and not harvest.replies:
            raise provider_failures.merge_failures(
                harvest.failures, alternatives=self.list_healthy_providers(others)
            )

    def list_healthy_providers(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if not self._panel.is_resting(name))

    def explain_missing_records(
        self,
        asked: tuple[str, ...],
        *,
        failures: Iterable[CitewellError] = (),
        filters: Iterable[str] = (),
        offer: Offer,
        order: Sequence[str] = (),
        others: Iterable[str] | None = None,
        details: tuple[str, ...] = (),
    ) -> EmptySearchHints:
        """Why nothing was found, and what to try: other filters, or healthy providers not yet asked.

        `others` are the providers that may be named; without it, all of the offer.
        """
        able = self._panel.list_able_providers(offer, order) if others is None else others
        return build_domain_hints(
            filters=tuple(filters),
            attempted=asked,
            failures=tuple(failures),
            others=self.list_healthy_providers(name for name in able if name not in asked),
            details=details,
        )

    def _describe_missing_providers(self, offer: Offer) -> str:
        catalogue = self._catalogue
        if seal := catalogue.describe_seal():
            return f"None of the providers that may be asked offers {offer.value}. {seal}"
        able = [
            name
            for name in catalogue.list_provider_names()
            if offer in catalogue.find_spec(name).offers
        ]
        ways = "; ".join(
            f"{catalogue.find_spec(name).title}: set {catalogue.describe_missing_settings(name)}"
            for name in able
        )
        return f"No provider of {offer.value} is configured. {ways} (see .env.example)."
