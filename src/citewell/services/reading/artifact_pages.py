"""Large stored results (artifacts), read whole or page by page."""

from __future__ import annotations

from citewell.model.wire_values import UNTRUSTED_LABEL, WireValue
from citewell.store.cache.artifact_store import ArtifactStore
from citewell.store.cache.text_pages import cut_text_page
from citewell.tooling import Owner

ARTIFACT_URI_PREFIX = "research://artifact/"


class ArtifactPage(WireValue):
    id: str
    mime_type: str
    content: str
    offset: int
    next_offset: int | None = None  # absent on the last page
    total_length: int
    trust: str = UNTRUSTED_LABEL


class ArtifactReader:
    def __init__(self, artifacts: ArtifactStore) -> None:
        self._artifacts = artifacts

    async def read_whole_artifact(self, owner: Owner, artifact_id: str) -> tuple[str, str]:
        """The text and its media type; raises NotFound if it has expired or belongs to another owner."""
        stored = await self._artifacts.load_artifact(
            str(owner), artifact_id.removeprefix(ARTIFACT_URI_PREFIX)
        )
        return stored.body.decode("utf-8", "replace"), stored.artifact.media_type

    async def read_artifact_page(
        self, owner: Owner, artifact_id: str, *, offset: int, size: int
    ) -> ArtifactPage:
        text, mime = await self.read_whole_artifact(owner, artifact_id)
        part = cut_text_page(text, offset, size)
        return ArtifactPage(
            id=artifact_id.removeprefix(ARTIFACT_URI_PREFIX),
            mime_type=mime,
            content=part.text,
            offset=part.offset,
            next_offset=part.next_offset,
            total_length=part.total_characters,
        )
