"""Says for each search tool which providers serve it now, and what further keys would add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.cli.diagnosis.provider_probes import WORKING, ProviderVerdict
from citewell.ports import Offer
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.tool_providers import TOOL_PROVIDERS, ToolProviders

# What may cost money is asked only of providers that somebody configured.
_CHOSEN_OFFERS = frozenset({Offer.ANSWERS, Offer.STRUCTURED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolVerdict:
    """Who would serve a tool, in the order they are asked, and what could be added."""

    tool: str
    served_by: tuple[str, ...]  # providers that work, or are set up and were not tried
    failing: tuple[str, ...] = ()  # set up, but they failed or found nothing
    otherwise: str = ""  # what serves the tool without a provider
    could_add: tuple[str, ...] = ()  # provider and the settings it needs

    @property
    def is_served(self) -> bool:
        return bool(self.served_by or self.otherwise)


def judge_tools(
    catalogue: ProviderCatalogue, verdicts: Sequence[ProviderVerdict]
) -> tuple[ToolVerdict, ...]:
    by_name = {verdict.name: verdict for verdict in verdicts}
    return tuple(
        _judge_tool(tool, served, catalogue, by_name) for tool, served in TOOL_PROVIDERS.items()
    )


def _judge_tool(
    tool: str,
    served: ToolProviders,
    catalogue: ProviderCatalogue,
    by_name: dict[str, ProviderVerdict],
) -> ToolVerdict:
    configured = [
        name
        for name in catalogue.list_offering(served.offer)
        if served.offer not in _CHOSEN_OFFERS or catalogue.is_explicitly_chosen(name)
    ]
    working = [name for name in configured if by_name[name].is_usable]
    able = [
        name
        for name in catalogue.list_provider_names()
        if served.offer in catalogue.find_spec(name).offers and catalogue.find_spec(name).base_url
    ]
    return ToolVerdict(
        tool=tool,
        served_by=tuple(sorted(working, key=lambda name: by_name[name].state != WORKING)),
        failing=tuple(
            f"{name} ({by_name[name].state})" for name in configured if name not in working
        ),
        otherwise=served.without_provider,
        could_add=tuple(
            f"{name} ({_describe_settings(catalogue, name)})"
            for name in able
            if name not in configured
        ),
    )


def _describe_settings(catalogue: ProviderCatalogue, name: str) -> str:
    """The settings that are missing, or the key of a provider that also works without one."""
    keys = [option.env for option in catalogue.find_spec(name).options if option.secret]
    return catalogue.describe_missing_settings(name) or " or ".join(keys)
