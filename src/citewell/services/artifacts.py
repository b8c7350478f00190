"""The shelf of large results: pages of what was kept aside."""

from __future__ import annotations

from citewell.model.base import UNTRUSTED, Value
from citewell.store.artifacts import Artifacts
from citewell.store.paging import page
from citewell.tooling import Owner

PREFIX = "research://artifact/"


class ArtifactPage(Value):
    id: str
    mime_type: str
    content: str
    offset: int
    next_offset: int | None = None  # absent on the last page
    total_length: int
    trust: str = UNTRUSTED


class Shelf:
    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts

    async def whole(self, owner: Owner, artifact_id: str) -> tuple[str, str]:
        """The text and its media type; NotFound once it has expired, or when it is somebody else's."""
        stored = await self._artifacts.get(str(owner), artifact_id.removeprefix(PREFIX))
        return stored.body.decode("utf-8", "replace"), stored.artifact.mime

    async def read(self, owner: Owner, artifact_id: str, *, offset: int, size: int) -> ArtifactPage:
        text, mime = await self.whole(owner, artifact_id)
        part = page(text, offset, size)
        return ArtifactPage(
            id=artifact_id.removeprefix(PREFIX),
            mime_type=mime,
            content=part.text,
            offset=part.offset,
            next_offset=part.next_offset,
            total_length=part.total,
        )
