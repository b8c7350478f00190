"""What the scopes of a caller allow: `tool:*`, `toolset:<name>`, `tool:<name>`, or all REQUIRED_SCOPES."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from citewell.config import Settings
from citewell.server.capabilities.tool_selection import ARTIFACT_READER
from citewell.server.http.auth.caller import CallerProof, VerifiedCaller
from citewell.server.http.request_messages import RequestMessage

EVERY_TOOL = "tool:*"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRules:
    is_enforced: bool  # for OAuth tokens; an API token with scopes is always held to them
    required: tuple[str, ...]
    toolsets: Mapping[str, str]  # the toolset of each tool
    offered: Mapping[str, frozenset[str]]  # the tools at each path

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        toolsets: Mapping[str, str],
        offered: Mapping[str, frozenset[str]],
    ) -> ScopeRules:
        return cls(
            is_enforced=settings.enforce_scopes,
            required=settings.required_scopes,
            toolsets=toolsets,
            offered=offered,
        )

    def list_endpoint_scopes(self, path: str) -> tuple[str, ...]:
        """What a client should ask for to use this endpoint; empty if no scope is needed."""
        if self.required or not self.is_enforced:
            return self.required
        return tuple(sorted({f"toolset:{self.toolsets[tool]}" for tool in self._list_tools(path)}))

    def is_restricted(self, caller: VerifiedCaller) -> bool:
        if caller.proof is CallerProof.API_TOKEN:
            return caller.scopes is not None
        return self.is_enforced and caller.proof is CallerProof.OAUTH

    def find_missing_scopes(
        self, caller: VerifiedCaller, path: str, message: RequestMessage | None
    ) -> tuple[str, ...]:
        """All scopes that this operation needs, if the caller has not enough; empty if it may go on.

        Calls need a scope for their tool. Everything else, and reading a linked result, needs a
        scope for any tool of the endpoint. Unknown tools are left to the SDK.
        """
        scopes = caller.scopes or frozenset()
        tool = message.tool if message is not None else None
        if tool is None or tool not in self.toolsets or tool == ARTIFACT_READER:
            allows = self._allow_any(scopes, self._list_tools(path))
            return () if allows else self.list_call_scopes(None, path)
        return () if self._allow_any(scopes, [tool]) else self.list_call_scopes(tool, path)

    def list_call_scopes(self, tool: str | None, path: str) -> tuple[str, ...]:
        """What to ask for to call `tool`, or to use the endpoint at all."""
        if self.required:
            return self.required
        if tool is not None:
            return (f"toolset:{self.toolsets[tool]}",)
        return tuple(sorted({f"toolset:{self.toolsets[name]}" for name in self._list_tools(path)}))

    def _allow_any(self, scopes: frozenset[str], tools: Iterable[str]) -> bool:
        if EVERY_TOOL in scopes or (self.required and scopes.issuperset(self.required)):
            return True
        return any(
            f"tool:{tool}" in scopes or f"toolset:{self.toolsets[tool]}" in scopes for tool in tools
        )

    def _list_tools(self, path: str) -> frozenset[str]:
        return self.offered.get(path, frozenset()) & self.toolsets.keys()
