"""Gemini's generateContent with Google search: the text, what grounds it, and its usage."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from citewell.core.errors import CitewellError
from citewell.core.values.research import ProviderUsage
from citewell.net.http.messages import RedirectPolicy
from citewell.net.upstream import json_responses as wire
from citewell.net.upstream.upstream_client import Upstream
from citewell.routing.answer_reports import CitedPage, relocate_span

# Google's own addresses of the pages, which lead to them for a few weeks.
REDIRECT_PATH = "/grounding-api-redirect/"
_REDIRECT_TIMEOUT_SECONDS = 5.0
_REDIRECT_STATUSES = (301, 302, 303, 307, 308)
_MAX_REDIRECTS = 30  # resolved for one answer
_MAX_QUERIES_TOLD = 5


class _WebChunk(wire.CamelCasePart):
    uri: wire.HttpLink
    title: wire.OptionalField[str] = None


class _GroundingChunk(wire.CamelCasePart):
    web: wire.OptionalField[_WebChunk] = None


class _TextSegment(wire.CamelCasePart):
    start_index: wire.OptionalField[int] = None
    end_index: wire.OptionalField[int] = None


class _GroundingSupport(wire.CamelCasePart):
    segment: wire.OptionalField[_TextSegment] = None
    grounding_chunk_indices: wire.TolerantItems[int] = ()


class _GroundingMetadata(wire.CamelCasePart):
    web_search_queries: wire.TolerantItems[str] = ()
    grounding_chunks: wire.TolerantItems[_GroundingChunk] = ()
    grounding_supports: wire.TolerantItems[_GroundingSupport] = ()


class _ContentPart(wire.CamelCasePart):
    text: wire.OptionalField[str] = None
    thought: wire.OptionalField[bool] = None


class _CandidateContent(wire.CamelCasePart):
    parts: wire.TolerantItems[_ContentPart] = ()


class _AnswerCandidate(wire.CamelCasePart):
    content: wire.OptionalField[_CandidateContent] = None
    finish_reason: wire.OptionalField[str] = None
    grounding_metadata: wire.OptionalField[_GroundingMetadata] = None


class _UsageMetadata(wire.CamelCasePart):
    prompt_token_count: wire.OptionalField[int] = None
    candidates_token_count: wire.OptionalField[int] = None
    thoughts_token_count: wire.OptionalField[int] = None
    tool_use_prompt_token_count: wire.OptionalField[int] = None


class GroundedContent(wire.CamelCasePart):
    """The whole response."""

    candidates: wire.TolerantItems[_AnswerCandidate]
    usage_metadata: wire.OptionalField[_UsageMetadata] = None
    model_version: wire.OptionalField[str] = None

    @property
    def grounding_metadata(self) -> _GroundingMetadata:
        found = self.candidates[0].grounding_metadata if self.candidates else None
        return found or _GroundingMetadata()


def join_content_text(answer: GroundedContent) -> str:
    content = answer.candidates[0].content if answer.candidates else None
    return "".join(
        part.text or "" for part in (content.parts if content else ()) if not part.thought
    )


async def resolve_google_redirects(upstream: Upstream, answer: GroundedContent) -> dict[str, str]:
    """Where Google's own addresses of the pages lead; one that cannot be resolved is left out."""
    found = [chunk.web.uri for chunk in answer.grounding_metadata.grounding_chunks if chunk.web]
    asked = [address for address in dict.fromkeys(found) if REDIRECT_PATH in urlsplit(address).path]
    asked = asked[:_MAX_REDIRECTS]
    landed = await asyncio.gather(*(_resolve_redirect(upstream, address) for address in asked))
    return {address: url for address, url in zip(asked, landed, strict=True) if url}


async def _resolve_redirect(upstream: Upstream, address: str) -> str | None:
    try:
        response = await upstream.send_get(
            base_url=address,
            redirects=RedirectPolicy.NONE,
            timeout=_REDIRECT_TIMEOUT_SECONDS,
            accept=_REDIRECT_STATUSES,
            retry=False,
        )
        return wire.require_http_address(response.headers.get("location", ""))
    except (CitewellError, ValueError):
        return None


def list_grounding_pages(
    answer: GroundedContent, text: str, landed: Mapping[str, str]
) -> Iterator[CitedPage]:
    """The pages that ground each part of the text, then those that ground no part.

    `text` is the cleaned text, in which the offsets are. `landed` gives the address to which a redirect of Google's leads. Offsets are converted from
    UTF-8 bytes to characters.
    """
    chunks = answer.grounding_metadata.grounding_chunks
    answer_text = join_content_text(answer)
    raw, used = answer_text.encode("utf-8", "replace"), set[int]()
    for support in answer.grounding_metadata.grounding_supports:
        span = _convert_byte_span(support.segment, raw)
        for index in support.grounding_chunk_indices:
            if 0 <= index < len(chunks) and (web := chunks[index].web) and span is not None:
                used.add(index)
                url = landed.get(web.uri, web.uri)
                start, end = relocate_span(answer_text, text, *span)
                yield CitedPage(url=url, title=web.title, start=start, end=end)
    for index, chunk in enumerate(chunks):
        if chunk.web is not None and index not in used:
            url = landed.get(chunk.web.uri, chunk.web.uri)
            yield CitedPage(url=url, title=chunk.web.title)


def _convert_byte_span(segment: _TextSegment | None, raw: bytes) -> tuple[int, int] | None:
    start = (segment.start_index or 0) if segment else 0
    end = segment.end_index if segment else None
    if end is None or not 0 <= start < end <= len(raw):
        return None
    first = len(raw[:start].decode("utf-8", "ignore"))
    return first, len(raw[:end].decode("utf-8", "ignore"))


def describe_google_searches(answer: GroundedContent) -> tuple[str, ...]:
    """What Google wants shown beside such an answer: the searches it rests on."""
    asked = [query for query in answer.grounding_metadata.web_search_queries if query.strip()]
    if not asked:
        return ()
    listed = "; ".join(" ".join(query.split())[:100] for query in asked[:_MAX_QUERIES_TOLD])
    return (f"Google asks that its searches be shown with this answer: {listed}.",)


def convert_grounded_usage(answer: GroundedContent) -> ProviderUsage:
    usage = answer.usage_metadata or _UsageMetadata()
    thought = max(0, usage.thoughts_token_count or 0)
    return ProviderUsage(
        input_tokens=max(0, usage.prompt_token_count or 0)
        + max(0, usage.tool_use_prompt_token_count or 0),
        output_tokens=max(0, usage.candidates_token_count or 0) + thought,
        reasoning_tokens=thought,
        searches=len(answer.grounding_metadata.web_search_queries),
    )
