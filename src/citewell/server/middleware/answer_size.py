"""Stores a large result as an artifact, and sends it cut, with a link to the whole.

What cuts an answer is imported only when one is too large, which keeps the start of the server short.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from citewell.server.pipeline import ArtifactLink, NextStep, ToolInvocation, ToolOutcome
from citewell.services.reading.artifact_pages import ARTIFACT_URI_PREFIX
from citewell.store.cache.artifact_store import ArtifactStore
from citewell.store.failures import StoreError
from citewell.tooling import Tool

if TYPE_CHECKING:
    from citewell.server.answers.answer_cuts import CutAnswer
    from citewell.server.answers.linked_answers import WholeAnswer

_MAX_QUICK_CHARS = 256 * 1024  # a larger answer would block the event loop while it is written
_SCALAR_CHARS = 8  # how long a number, a flag or the punctuation of a value is taken to be


class SizeMiddleware:
    def __init__(self, artifacts: ArtifactStore, *, threshold: int, limit: int) -> None:
        """`threshold` counts for the tools that spec 1 links, `limit` for the others."""
        self._artifacts = artifacts
        self._threshold = threshold
        self._limit = limit

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        outcome = await proceed(invocation)
        if outcome.is_error or outcome.body is None:
            return outcome
        text = outcome.text or await _write_json(outcome.body)
        whole = replace(outcome, text=text)
        has_more = invocation.call.linked_text is not None
        if not has_more and not (
            self._is_text_too_large(invocation.tool, text) and self.can_link(invocation)
        ):
            return whole
        try:
            return await self._store_and_link(invocation, outcome, outcome.body, text)
        except StoreError:
            return whole  # it cannot be stored, so it is sent whole

    def can_link(self, invocation: ToolInvocation) -> bool:
        """Whether the result of this call may be cut; its arguments must be valid."""
        tool = invocation.tool
        if tool.is_always_inline:
            return False
        return tool.bounds_own_size is None or not tool.bounds_own_size(invocation.arguments)

    def is_too_large(self, tool: Tool, size: int) -> bool:
        return size >= self._find_limit(tool)

    def _find_limit(self, tool: Tool) -> int:
        return self._threshold if tool.links_large_results else self._limit

    def _is_text_too_large(self, tool: Tool, text: str) -> bool:
        """A character has one to four bytes, so most texts need not be encoded to be measured."""
        if self.is_too_large(tool, len(text)) or not self.is_too_large(tool, 4 * len(text)):
            return self.is_too_large(tool, len(text))
        return self.is_too_large(tool, len(text.encode("utf-8", "replace")))

    async def _store_and_link(
        self, invocation: ToolInvocation, outcome: ToolOutcome, body: dict[str, Any], text: str
    ) -> ToolOutcome:
        from citewell.server.answers.linked_answers import build_linked_body

        shown, whole = await asyncio.to_thread(self._cut_and_encode, invocation, body, text)
        kept = await self._artifacts.store_artifact(
            str(invocation.call.owner), whole.data, mime=whole.media_type
        )
        uri = ARTIFACT_URI_PREFIX + kept.id
        linked = build_linked_body(invocation.name, shown, whole, kept, uri)
        link = ArtifactLink(
            uri=uri, name=f"{invocation.name} result", mime=kept.media_type, size=kept.size_bytes
        )
        return replace(outcome, body=linked, text=None, links=(link,))

    def _cut_and_encode(
        self, invocation: ToolInvocation, body: dict[str, Any], text: str
    ) -> tuple[CutAnswer, WholeAnswer]:
        from citewell.server.answers.answer_cuts import CutAnswer
        from citewell.server.answers.linked_answers import (
            build_page_texts,
            choose_whole,
            cut_to_limit,
        )

        if invocation.call.linked_text is not None:
            return CutAnswer(body=body, cuts=()), build_page_texts(invocation.call.linked_text)
        shown = cut_to_limit(invocation.tool, body, self._find_limit(invocation.tool))
        return shown, choose_whole(invocation.tool, body, shown.cuts, text)


async def _write_json(body: dict[str, Any]) -> str:
    if _has_fewer_chars(body, _MAX_QUICK_CHARS):
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    from citewell.server.answers.answer_json import dump_in_chunks

    return await asyncio.to_thread(dump_in_chunks, body)


def _has_fewer_chars(value: Any, most: int) -> bool:
    """Whether the JSON of a value has about at most `most` characters; stops counting there."""
    waiting, total = [value], 0
    while waiting and total <= most:
        one = waiting.pop()
        total += len(one) if isinstance(one, str) else _SCALAR_CHARS
        if isinstance(one, dict):
            total += sum(map(len, one))
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return total <= most
