"""Read-only views on demand: statistics, lenses, diagnostics and large results."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from citewell.errors import NotFound
from citewell.services.artifacts import PREFIX, Shelf
from citewell.tooling import Owner

ARTIFACT_TEMPLATE = PREFIX + "{id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    uri: str
    name: str
    description: str
    read: Callable[[Owner], Awaitable[Any]]


class Resources:
    """The views there are, by address, and the artifacts behind the template."""

    def __init__(self, views: tuple[View, ...], shelf: Callable[[], Shelf]) -> None:
        self.views = views
        self._by_uri = {view.uri: view for view in views}
        self._shelf = shelf

    async def read(self, uri: str, owner: Owner) -> tuple[str, str]:
        """The text and its media type; NotFound for an address that is not ours."""
        if view := self._by_uri.get(uri):
            return json.dumps(
                await view.read(owner), ensure_ascii=False, indent=1
            ), "application/json"
        if uri.startswith(PREFIX):
            return await self._shelf().whole(owner, uri)
        raise NotFound(f"There is no resource {uri[:200]}.")
