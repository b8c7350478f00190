"""Where a job may search: the web, the user's library, or both."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.config import Settings
from citewell.errors import InvalidInput
from citewell.model.argument_types import RESEARCH_SCOPES, ResearchScope
from citewell.services.routing.routing_setting import is_library_routed_alone

WEB_SCOPE: ResearchScope = "web"
LIBRARY_SCOPE: ResearchScope = "library"  # local only: no request leaves the machine


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRules:
    """The operator's rules for the scope of research."""

    default: ResearchScope = WEB_SCOPE
    is_local_only: bool = False  # SEARCH_ROUTING names the library alone

    @classmethod
    def from_settings(cls, settings: Settings) -> ScopeRules:
        return cls(
            default=settings.research_scope or WEB_SCOPE,
            is_local_only=is_library_routed_alone(settings),
        )

    def choose_scope(self, wish: str | None, *, parent: str | None = None) -> ResearchScope:
        """The scope that the call names, else that of the parent job, else the default.

        Raises InvalidInput for an unknown scope, and for the web where the operator excluded it.
        """
        if wish is not None and wish not in RESEARCH_SCOPES:
            raise InvalidInput(
                f"scope {wish!r} is not known. It takes: {', '.join(RESEARCH_SCOPES)}."
            )
        if not self.is_local_only:
            wanted = wish or parent
            return next((one for one in RESEARCH_SCOPES if one == wanted), self.default)
        if wish not in {None, LIBRARY_SCOPE}:
            raise InvalidInput(
                f"scope {wish} needs the web, and SEARCH_ROUTING names only the library. Leave scope"
                " out, or add a search provider to SEARCH_ROUTING."
            )
        return LIBRARY_SCOPE

    def describe_local_remedy(self) -> str:
        """What to change so that research may leave the machine."""
        if self.is_local_only:
            return "add a search provider to SEARCH_ROUTING, which names only the library"
        return "set scope to web or both"
