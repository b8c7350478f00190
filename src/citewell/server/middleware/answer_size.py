"""Stores a large result as an artifact, and sends a link and its first page instead."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from citewell.server.pipeline import ArtifactLink, NextStep, ToolInvocation, ToolOutcome
from citewell.store.cache.artifact_store import ArtifactStore
from citewell.store.cache.text_pages import cut_text_page
from citewell.store.failures import StoreError

FIRST_PAGE_CHARS = 6000  # sent inline with the link


class SizeMiddleware:
    def __init__(self, artifacts: ArtifactStore, *, threshold: int) -> None:
        self._artifacts = artifacts
        self._threshold = threshold

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        outcome = await proceed(invocation)
        if outcome.is_error or outcome.body is None or invocation.tool.is_always_inline:
            return outcome
        text = outcome.text or json.dumps(outcome.body, ensure_ascii=False, separators=(",", ":"))
        # A character has at most four bytes, so short answers need not be encoded to be measured.
        if (
            len(text) * 4 < self._threshold
            or len(text.encode("utf-8", "replace")) < self._threshold
        ):
            return replace(outcome, text=text)
        try:
            return await self._store_and_link(invocation, outcome, text)
        except StoreError:
            return replace(outcome, text=text)  # it cannot be stored, so it is sent whole

    async def _store_and_link(
        self, invocation: ToolInvocation, outcome: ToolOutcome, text: str
    ) -> ToolOutcome:
        kept = await self._artifacts.store_artifact(
            str(invocation.call.owner), text.encode("utf-8", "replace"), mime="application/json"
        )
        uri = f"research://artifact/{kept.id}"
        body = _build_linked_body(
            invocation.name, outcome.body or {}, uri, kept.size_bytes, kept.expires_at
        )
        promised = invocation.tool.promised_keys
        body |= {name: value for name, value in (outcome.body or {}).items() if name in promised}
        first = cut_text_page(text, 0, FIRST_PAGE_CHARS)
        body |= {"firstPage": first.text, "nextOffset": first.next_offset}
        link = ArtifactLink(
            uri=uri, name=f"{invocation.name} result", mime="application/json", size=kept.size_bytes
        )
        return replace(outcome, body=body, text=None, links=(link,))


def _build_linked_body(
    name: str, body: dict[str, Any], uri: str, size: int, expires: float
) -> dict[str, Any]:
    envelope: dict[str, Any] = {
        "resource": uri,
        "bytes": size,
        "mimeType": "application/json",
        "summary": f"{name} returned {size:,} bytes. Read the rest from the resource, or page it with read_artifact.",
        "expiresAt": datetime.fromtimestamp(expires, UTC).isoformat(timespec="seconds"),
        "linked": True,
    }
    # Fields that help a caller to decide whether to read the rest.
    kept = "trust status sourceCount resultCount isFullText version retractionStatus jobId"
    return envelope | {name: body[name] for name in kept.split() if name in body}
