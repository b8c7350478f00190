"""MCP resources: statistics, lenses, diagnostics and stored large results."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from citewell.errors import NotFound
from citewell.services.reading.artifact_pages import ARTIFACT_URI_PREFIX, ArtifactReader
from citewell.tooling import Owner

ARTIFACT_TEMPLATE = ARTIFACT_URI_PREFIX + "{id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceView:
    uri: str
    name: str
    description: str
    read_view: Callable[[Owner], Awaitable[Any]]


class ServerResources:
    """Reads views and artifacts by their URI."""

    def __init__(
        self, views: tuple[ResourceView, ...], shelf: Callable[[], ArtifactReader]
    ) -> None:
        self.views = views
        self._by_uri = {view.uri: view for view in views}
        self._shelf = shelf

    async def read_resource_text(self, uri: str, owner: Owner) -> tuple[str, str]:
        """The text and its media type; raises NotFound for an unknown URI."""
        if view := self._by_uri.get(uri):
            return json.dumps(
                await view.read_view(owner), ensure_ascii=False, indent=1
            ), "application/json"
        if uri.startswith(ARTIFACT_URI_PREFIX):
            return await self._shelf().read_whole_artifact(owner, uri)
        raise NotFound(f"There is no resource {uri[:200]}.")
