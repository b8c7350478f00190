"""A result that would flood the context is kept aside and linked, with its first page inline."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from citewell.server.pipeline import Invocation, Link, Outcome, Proceed
from citewell.store.artifacts import Artifacts
from citewell.store.failures import StoreError
from citewell.store.paging import page

FIRST_PAGE = 6000  # characters of the body shown at once


class Size:
    def __init__(self, artifacts: Artifacts, *, threshold: int) -> None:
        self._artifacts = artifacts
        self._threshold = threshold

    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome:
        outcome = await proceed(invocation)
        if outcome.is_error or outcome.body is None or invocation.tool.inline:
            return outcome
        text = outcome.text or json.dumps(outcome.body, ensure_ascii=False, separators=(",", ":"))
        # A character is four bytes at most, so most answers need no encoding to be measured.
        if (
            len(text) * 4 < self._threshold
            or len(text.encode("utf-8", "replace")) < self._threshold
        ):
            return replace(outcome, text=text)
        try:
            return await self._linked(invocation, outcome, text)
        except StoreError:
            return replace(
                outcome, text=text
            )  # nowhere to keep it: the answer matters more than its size

    async def _linked(self, invocation: Invocation, outcome: Outcome, text: str) -> Outcome:
        kept = await self._artifacts.put(
            str(invocation.call.owner), text.encode("utf-8", "replace"), mime="application/json"
        )
        uri = f"research://artifact/{kept.id}"
        body = _envelope(invocation.name, outcome.body or {}, uri, kept.bytes, kept.expires_at)
        promised = invocation.tool.promised
        body |= {name: value for name, value in (outcome.body or {}).items() if name in promised}
        first = page(text, 0, FIRST_PAGE)
        body |= {"firstPage": first.text, "nextOffset": first.next_offset}
        link = Link(
            uri=uri, name=f"{invocation.name} result", mime="application/json", size=kept.bytes
        )
        return replace(outcome, body=body, text=None, links=(link,))


def _envelope(
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
    # What a caller must know before deciding whether to read on.
    kept = "trust status sourceCount resultCount isFullText version retractionStatus jobId"
    return envelope | {name: body[name] for name in kept.split() if name in body}
