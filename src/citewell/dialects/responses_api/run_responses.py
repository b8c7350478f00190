"""A response of the Responses API: its text, citations, consulted pages and usage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citewell.dialects.json_responses import HttpLink, OptionalField, ResponsePart, TolerantItems
from citewell.dialects.paid_apis import (
    PaidAccount,
    build_refusal_error,
    extract_error_message,
    validate_response,
)
from citewell.errors import MalformedResponse
from citewell.model.counted_words import pluralize
from citewell.model.research import ConsultedPage, ProviderUsage, ReportCitation, ResearchStatus
from citewell.text.safety.markup_cleaning import clean_markup

_PART_SEPARATOR = "\n\n"
_STATUS_BY_NAME = {
    "queued": ResearchStatus.PENDING,
    "in_progress": ResearchStatus.RUNNING,
    "requires_action": ResearchStatus.FAILED,  # nobody can act on it
    "completed": ResearchStatus.COMPLETED,
    "incomplete": ResearchStatus.COMPLETED,
    "failed": ResearchStatus.FAILED,
    "cancelled": ResearchStatus.CANCELLED,
    "canceled": ResearchStatus.CANCELLED,
}
_NUMBERED_ITEM_TYPES = frozenset({"search_results", "people_search_results"})
_RESULT_MARK_PATTERN = re.compile(r"\[(\d{1,4}+)\]")
_SEARCH_ITEM_TYPES = frozenset({"web_search_call", "x_search_call", "search_results"})
_FETCH_ITEM_TYPES = frozenset({"fetch_url_results", "open_page"})


class _UrlAnnotation(ResponsePart):
    url: HttpLink
    title: OptionalField[str] = None
    start_index: OptionalField[int] = None
    end_index: OptionalField[int] = None


class _ContentPart(ResponsePart):
    type: OptionalField[str] = None
    text: OptionalField[str] = None
    annotations: TolerantItems[Any] = ()


class _ConsultedPage(ResponsePart):
    url: HttpLink
    title: OptionalField[str] = None
    snippet: OptionalField[str] = None
    date: OptionalField[str] = None


class _NumberedResult(_ConsultedPage):
    id: OptionalField[int] = None


class _SearchAction(ResponsePart):
    type: OptionalField[str] = None
    sources: TolerantItems[Any] = ()


class _OutputItem(ResponsePart):
    type: OptionalField[str] = None
    content: TolerantItems[_ContentPart] = ()
    action: OptionalField[_SearchAction] = None
    results: TolerantItems[Any] = ()


class _UsageFigures(ResponsePart):
    input_tokens: OptionalField[int] = None
    output_tokens: OptionalField[int] = None
    input_tokens_details: OptionalField[dict[str, Any]] = None
    output_tokens_details: OptionalField[dict[str, Any]] = None
    cost: Any = None  # this and the next field: the cost, as some providers state it
    cost_in_usd_ticks: Any = None


class RunResponse(ResponsePart):
    id: OptionalField[str] = None
    status: OptionalField[str] = None
    model: OptionalField[str] = None
    output: TolerantItems[_OutputItem] = ()
    citations: TolerantItems[Any] = ()
    usage: OptionalField[_UsageFigures] = None
    error: Any = None
    incomplete_details: OptionalField[dict[str, Any]] = None


def parse_run_response(answer: Mapping[str, Any], account: PaidAccount) -> RunResponse:
    if not {"id", "output", "status", "error"} & answer.keys():
        raise MalformedResponse(
            "The response has none of the documented fields.", provider=account.provider
        )
    read = validate_response(RunResponse, answer, account)
    if read.error and not read.status:
        raise build_refusal_error(extract_error_message(read.error), None, account)
    return read


def convert_run_status(answer: RunResponse) -> ResearchStatus:
    """The run's status; a response without one is complete if it has output, else failed."""
    if answer.status is None:
        return ResearchStatus.COMPLETED if answer.output else ResearchStatus.FAILED
    return _STATUS_BY_NAME.get(answer.status, ResearchStatus.RUNNING)


def describe_early_stop(answer: RunResponse) -> str:
    details = answer.incomplete_details or {}
    return extract_error_message(details.get("reason")) if answer.status == "incomplete" else ""


def describe_run_progress(answer: RunResponse) -> str:
    count = sum(1 for item in answer.output if item.type in _SEARCH_ITEM_TYPES)
    return f"{count} {pluralize(count, 'search', 'searches')} so far" if count else ""


def _list_text_parts(answer: RunResponse) -> Iterator[_ContentPart]:
    for item in answer.output:
        if item.type in {"message", None}:
            yield from (part for part in item.content if part.text)


def join_response_text(answer: RunResponse) -> str:
    return _PART_SEPARATOR.join(part.text or "" for part in _list_text_parts(answer))


def extract_cited_text(answer: RunResponse) -> tuple[str, tuple[ReportCitation, ...]]:
    """The whole text, and the citations with their character offsets in it."""
    pieces: list[str] = []
    cited: list[ReportCitation] = []
    at = 0
    for part in _list_text_parts(answer):
        text = part.text or ""
        cited += [_locate_citation(mark, at, len(text)) for mark in _list_annotations(part)]
        pieces.append(text)
        at += len(text) + len(_PART_SEPARATOR)
    return _PART_SEPARATOR.join(pieces), tuple(cited)


def _list_annotations(part: _ContentPart) -> Iterator[_UrlAnnotation]:
    for raw in part.annotations:
        # OpenRouter nests the fields that others have at the top level.
        nested = raw.get("url_citation") if isinstance(raw, dict) else None
        try:
            yield _UrlAnnotation.model_validate(nested if isinstance(nested, dict) else raw)
        except ValueError:
            continue


def _locate_citation(mark: _UrlAnnotation, at: int, length: int) -> ReportCitation:
    start, end = mark.start_index, mark.end_index
    placed = start is not None and end is not None and 0 <= start <= end <= length
    return ReportCitation(
        url=mark.url,
        title=clean_markup(mark.title),
        start=at + start if placed and start is not None else None,
        end=at + end if placed and end is not None else None,
    )


def list_numbered_citations(answer: RunResponse, text: str) -> tuple[ReportCitation, ...]:
    """Marks such as [3] in the text, which name search results by their id, as Perplexity writes them."""
    known: dict[int, _NumberedResult] = {}
    for item in answer.output:
        for raw in item.results if item.type in _NUMBERED_ITEM_TYPES else ():
            try:
                page = _NumberedResult.model_validate(raw)
            except ValueError:
                continue
            if page.id is not None:
                known.setdefault(page.id, page)
    return tuple(
        ReportCitation(
            url=page.url, title=clean_markup(page.title), start=mark.start(), end=mark.end()
        )
        for mark in _RESULT_MARK_PATTERN.finditer(text)
        for page in [known.get(int(mark[1]))]
        if page is not None
    )


def list_unplaced_citations(answer: RunResponse, text: str) -> tuple[ReportCitation, ...]:
    """Addresses that are listed outside the text; offsets are set if the text contains the address."""
    found = [url for url in answer.citations if isinstance(url, str) and url.startswith("http")]
    return tuple(
        ReportCitation(url=url, start=place if place >= 0 else None, end=place + len(url) if place >= 0 else None)
        for url in dict.fromkeys(found)
        for place in (text.find(url),)
    )  # fmt: skip


def list_consulted_pages(answer: RunResponse) -> Iterator[ConsultedPage]:
    seen: set[str] = set()
    for item in answer.output:
        for raw in (*(item.action.sources if item.action else ()), *item.results):
            try:
                page = _ConsultedPage.model_validate(raw)
            except ValueError:
                continue
            if page.url not in seen:
                seen.add(page.url)
                yield ConsultedPage(
                    url=page.url,
                    title=clean_markup(page.title),
                    snippet=clean_markup(page.snippet),
                    published=page.date or "",
                )


def read_run_usage(answer: RunResponse) -> ProviderUsage:
    usage = answer.usage or _UsageFigures()
    kinds = [item.type for item in answer.output]
    return ProviderUsage(
        input_tokens=max(0, usage.input_tokens or 0),
        output_tokens=max(0, usage.output_tokens or 0),
        cached_tokens=_read_token_count(usage.input_tokens_details, "cached_tokens"),
        reasoning_tokens=_read_token_count(usage.output_tokens_details, "reasoning_tokens"),
        searches=sum(1 for kind in kinds if kind in _SEARCH_ITEM_TYPES),
        fetches=sum(1 for kind in kinds if kind in _FETCH_ITEM_TYPES),
    )


def _read_token_count(details: Mapping[str, Any] | None, name: str) -> int:
    value = (details or {}).get(name)
    return value if isinstance(value, int) and value > 0 else 0
