"""Says for each search tool which providers serve it now, and what further keys would add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.cli.diagnosis.provider_probes import WORKING, ProviderVerdict
from citewell.services.routing.provider_catalogue import ProviderCatalogue
from citewell.services.routing.tool_providers import TOOL_PROVIDERS, ToolProviders


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolVerdict:
    """Who would serve a tool, in the order they are asked, and what could be added."""

    tool: str
    served_by: tuple[str, ...]  # providers that work, or are set up and were not tried
    failing: tuple[str, ...] = ()  # set up, but they did not answer
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
    configured = [name for name in catalogue.list_offering(served.offer) if name in by_name]
    working = [name for name in configured if by_name[name].is_usable]
    able = [
        name
        for name in catalogue.list_provider_names()
        if served.offer in catalogue.find_spec(name).offers and catalogue.find_spec(name).base_url
    ]
    return ToolVerdict(
        tool=tool,
        served_by=tuple(sorted(working, key=lambda name: by_name[name].state != WORKING)),
        failing=tuple(name for name in configured if name not in working),
        otherwise=served.without_provider,
        could_add=tuple(
            f"{name} ({catalogue.describe_missing_settings(name)})"
            for name in able
            if not catalogue.is_configured(name)
        ),
    )
