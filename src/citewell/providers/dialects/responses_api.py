"""The "Responses" API of OpenAI, xAI, Perplexity, OpenRouter and local model servers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import quote

from citewell.core.errors import CitewellError, MalformedResponse
from citewell.core.values import research
from citewell.core.values.counted_words import pluralize
from citewell.net.upstream import json_responses as wire
from citewell.routing.model_billing import build_tariff
from citewell.routing.ports import KitProvider, ProviderSpec
from citewell.routing.upstream_refusals import (
    EXPLAINED_STATUSES,
    PaidAccount,
    build_refusal_error,
    extract_error_message,
    read_paid_response,
    validate_response,
)
from citewell.text.safety.text_cleaning import clean_markup

_PART_SEPARATOR = "\n\n"
_STATUS_BY_NAME = {
    "queued": research.ResearchStatus.PENDING,
    "in_progress": research.ResearchStatus.RUNNING,
    "requires_action": research.ResearchStatus.FAILED,  # nobody can act on it
    "completed": research.ResearchStatus.COMPLETED,
    "incomplete": research.ResearchStatus.COMPLETED,
    "failed": research.ResearchStatus.FAILED,
    "cancelled": research.ResearchStatus.CANCELLED,
    "canceled": research.ResearchStatus.CANCELLED,
}
_NUMBERED_ITEM_TYPES = frozenset({"search_results", "people_search_results"})
_RESULT_MARK_PATTERN = re.compile(r"\[(\d{1,4}+)\]")
_SEARCH_ITEM_TYPES = frozenset({"web_search_call", "x_search_call", "search_results"})
_FETCH_ITEM_TYPES = frozenset({"fetch_url_results", "open_page"})

_SHORT_CALL_SECONDS = 60.0  # for a call that only starts, polls or cancels a run
_ANSWER_TIMEOUT_SECONDS = 900.0  # for a call that returns only when the run has ended


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesTerms:
    """How one provider's Responses API is addressed and paid, and how much a run usually takes."""

    spec: ProviderSpec
    model_setting: str
    price_setting: str = ""  # empty if the user cannot give prices
    vendor: str  # the provider id in genai-prices
    prices: tuple[tuple[str, str, str], ...] = ()
    default_price: tuple[str, str]
    search_dollars: str
    searches: Mapping[str, int]  # the usual number, by effort
    input_tokens: int = 6000  # for each search
    output_tokens: int = 8000
    # Reads the cost in ticks from `usage`; None for most providers, which report only tokens.
    read_stated_cost: Callable[[Mapping[str, Any]], int | None] = lambda _usage: None
    writing_fields: Mapping[str, object] = field(default_factory=dict)  # beside the usual ones
    submit_path: str = "/responses"
    run_path: str = "/responses/{ref}"


class ResponsesProvider(KitProvider):
    """A provider that researches and writes in one long request."""

    is_idempotent = False
    terms: ClassVar[ResponsesTerms]

    def _set_up(self) -> None:
        terms, find_option = self.terms, self._kit.find_option
        self._model = find_option(terms.model_setting) or ""
        self._tariff = build_tariff(
            terms.vendor,
            terms.prices,
            default_price=terms.default_price,
            search_dollars=terms.search_dollars,
            user_price=(terms.price_setting, find_option(terms.price_setting)),
        )
        self._account = PaidAccount(
            provider=terms.spec.name,
            title=terms.spec.title,
            model=self._model,
            model_setting=terms.model_setting,
        )

    def estimate_cost(self, request: research.ResearchRequest) -> int:
        searches = self.terms.searches[request.tier.effort]
        usage = research.ProviderUsage(
            input_tokens=self.terms.input_tokens * searches,
            output_tokens=self.terms.output_tokens,
            searches=searches,
        )
        return self._tariff.compute_cost(self._model, usage).ticks

    async def write_report(self, writing: research.WritingRequest) -> research.ProviderReport:
        body = {
            "model": self._model,
            "instructions": writing.instructions,
            "input": writing.material,
            "max_output_tokens": writing.max_tokens,
            **self.terms.writing_fields,
        }
        return await self._run_to_report(body, tag=writing.tag)

    async def _submit_run(
        self,
        body: Mapping[str, Any],
        *,
        tag: str,
        timeout: float = _ANSWER_TIMEOUT_SECONDS,  # noqa: ASYNC109 - one deadline, handed to the exchange
    ) -> research.SubmitOutcome:
        """Send the request once, without retries; a background run returns a reference to poll."""
        background = bool(body.get("background"))
        response = await self._upstream.send_post(
            self.terms.submit_path,
            json=dict(body),
            idempotent=False,
            headers={"Idempotency-Key": tag},
            timeout=_SHORT_CALL_SECONDS if background else timeout,
            accept=EXPLAINED_STATUSES,
        )
        answer = parse_run_response(read_paid_response(response, self._account), self._account)
        if (
            background
            and answer.id
            and convert_run_status(answer)
            not in {research.ResearchStatus.COMPLETED, research.ResearchStatus.FAILED}
        ):
            return research.SubmitOutcome(ref=answer.id)
        polled = self._build_poll_outcome(answer)
        if polled.report is None:
            raise self._build_run_error(answer)
        return research.SubmitOutcome(ref=answer.id if background else None, report=polled.report)

    async def _run_to_report(
        self,
        body: Mapping[str, Any],
        *,
        tag: str,
        timeout: float = _ANSWER_TIMEOUT_SECONDS,  # noqa: ASYNC109 - one deadline, handed to the exchange
    ) -> research.ProviderReport:
        """The report of a call that is not in the background; MalformedResponse if it has none."""
        submission = await self._submit_run(body, tag=tag, timeout=timeout)
        if submission.report is None:
            message = "The response has no text, and no run to poll."
            raise MalformedResponse(message, provider=self._account.provider)
        return submission.report

    def _build_poll_outcome(self, answer: RunResponse) -> research.PollOutcome:
        status = convert_run_status(answer)
        if status in {research.ResearchStatus.PENDING, research.ResearchStatus.RUNNING}:
            count = sum(item.type in _SEARCH_ITEM_TYPES for item in answer.output)
            note = f"{count} {pluralize(count, 'search', 'searches')} so far" if count else ""
            return research.PollOutcome(status=status, note=note)
        has_text = any(True for _ in _list_text_parts(answer))
        report = self._build_provider_report(answer) if has_text else None
        if status is research.ResearchStatus.COMPLETED and report is not None:
            return research.PollOutcome(status=status, report=report)
        failed = (
            research.ResearchStatus.CANCELLED
            if status is research.ResearchStatus.CANCELLED
            else research.ResearchStatus.FAILED
        )
        error = self._build_run_error(answer)
        return research.PollOutcome(
            status=failed, report=report, error=error.message, error_kind=error.kind
        )

    def _build_run_error(self, answer: RunResponse) -> CitewellError:
        """The error of a run that ended without text."""
        reason = extract_error_message(answer.error) or describe_early_stop(answer)
        return build_refusal_error(
            reason, None, self._account, otherwise="The run ended without text."
        )

    def _build_provider_report(self, answer: RunResponse) -> research.ProviderReport:
        usage = read_run_usage(answer)
        model = answer.model or self._account.model
        raw = answer.usage.model_dump() if answer.usage else {}
        cost = self._tariff.compute_cost(model, usage, stated=self.terms.read_stated_cost(raw))
        text, cited = extract_cited_text(answer)
        why = describe_early_stop(answer)
        return research.ProviderReport(
            provider=self._account.provider,
            model=model,
            text=text,
            citations=cited
            or list_numbered_citations(answer, text)
            or list_unplaced_citations(answer, text),
            consulted=tuple(list_consulted_pages(answer)),
            usage=usage,
            cost_ticks=cost.ticks,
            cost_basis=cost.basis,
            partial=bool(why),
            notes=(f"{self._account.title} stopped early: {why}.",) if why else (),
        )


class BackgroundResponses(ResponsesProvider):
    """The same with runs in the background, which are polled."""

    async def poll_research(self, ref: str) -> research.PollOutcome:
        response = await self._upstream.send_get(
            self.terms.run_path.format(ref=quote(ref, safe="")),
            timeout=_SHORT_CALL_SECONDS,
            accept=EXPLAINED_STATUSES,
        )
        return self._build_poll_outcome(
            parse_run_response(read_paid_response(response, self._account), self._account)
        )

    async def cancel_research(self, ref: str) -> None:
        """Ask the provider to stop a run; does nothing if it has already ended."""
        await self._upstream.send_post(
            f"{self.terms.run_path.format(ref=quote(ref, safe=''))}/cancel",
            json={},
            timeout=_SHORT_CALL_SECONDS,
            accept=(*EXPLAINED_STATUSES, 409),
        )


# A response of the Responses API: its text, citations, consulted pages and usage.


class _UrlAnnotation(wire.ResponsePart):
    url: wire.HttpLink
    title: wire.OptionalField[str] = None
    start_index: wire.OptionalField[int] = None
    end_index: wire.OptionalField[int] = None


class _ContentPart(wire.ResponsePart):
    type: wire.OptionalField[str] = None
    text: wire.OptionalField[str] = None
    annotations: wire.TolerantItems[Any] = ()


class _ConsultedPage(wire.ResponsePart):
    url: wire.HttpLink
    title: wire.OptionalField[str] = None
    snippet: wire.OptionalField[str] = None
    date: wire.OptionalField[str] = None


class _NumberedResult(_ConsultedPage):
    id: wire.OptionalField[int] = None


class _SearchAction(wire.ResponsePart):
    type: wire.OptionalField[str] = None
    sources: wire.TolerantItems[Any] = ()


class _OutputItem(wire.ResponsePart):
    type: wire.OptionalField[str] = None
    content: wire.TolerantItems[_ContentPart] = ()
    action: wire.OptionalField[_SearchAction] = None
    results: wire.TolerantItems[Any] = ()


class _UsageFigures(wire.ResponsePart):
    input_tokens: wire.OptionalField[int] = None
    output_tokens: wire.OptionalField[int] = None
    input_tokens_details: wire.OptionalField[dict[str, Any]] = None
    output_tokens_details: wire.OptionalField[dict[str, Any]] = None
    cost: Any = None  # this and the next field: the cost, as some providers state it
    cost_in_usd_ticks: Any = None


class RunResponse(wire.ResponsePart):
    id: wire.OptionalField[str] = None
    status: wire.OptionalField[str] = None
    model: wire.OptionalField[str] = None
    output: wire.TolerantItems[_OutputItem] = ()
    citations: wire.TolerantItems[Any] = ()
    usage: wire.OptionalField[_UsageFigures] = None
    error: Any = None
    incomplete_details: wire.OptionalField[dict[str, Any]] = None


def parse_run_response(answer: Mapping[str, Any], account: PaidAccount) -> RunResponse:
    if not {"id", "output", "status", "error"} & answer.keys():
        raise MalformedResponse(
            "The response has none of the documented fields.", provider=account.provider
        )
    read = validate_response(RunResponse, answer, account)
    if read.error and not read.status:
        raise build_refusal_error(extract_error_message(read.error), None, account)
    return read


def convert_run_status(answer: RunResponse) -> research.ResearchStatus:
    """The run's status; a response without one is complete if it has output, else failed."""
    if answer.status is None:
        return (
            research.ResearchStatus.COMPLETED if answer.output else research.ResearchStatus.FAILED
        )
    return _STATUS_BY_NAME.get(answer.status, research.ResearchStatus.RUNNING)


def describe_early_stop(answer: RunResponse) -> str:
    details = answer.incomplete_details or {}
    return extract_error_message(details.get("reason")) if answer.status == "incomplete" else ""


def _list_text_parts(answer: RunResponse) -> Iterator[_ContentPart]:
    for item in answer.output:
        if item.type in {"message", None}:
            yield from (part for part in item.content if part.text)


def extract_cited_text(answer: RunResponse) -> tuple[str, tuple[research.ReportCitation, ...]]:
    """The whole text, and the citations with their character offsets in it."""
    pieces: list[str] = []
    cited: list[research.ReportCitation] = []
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


def _locate_citation(mark: _UrlAnnotation, at: int, length: int) -> research.ReportCitation:
    start, end = mark.start_index, mark.end_index
    placed = start is not None and end is not None and 0 <= start <= end <= length
    return research.ReportCitation(
        url=mark.url,
        title=clean_markup(mark.title),
        start=at + start if placed and start is not None else None,
        end=at + end if placed and end is not None else None,
    )


def list_numbered_citations(answer: RunResponse, text: str) -> tuple[research.ReportCitation, ...]:
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
        research.ReportCitation(
            url=page.url, title=clean_markup(page.title), start=mark.start(), end=mark.end()
        )
        for mark in _RESULT_MARK_PATTERN.finditer(text)
        for page in [known.get(int(mark[1]))]
        if page is not None
    )


def list_unplaced_citations(answer: RunResponse, text: str) -> tuple[research.ReportCitation, ...]:
    """Addresses that are listed outside the text; offsets are set if the text contains the address."""
    found = [url for url in answer.citations if isinstance(url, str) and url.startswith("http")]
    return tuple(
        research.ReportCitation(url=url, start=place if place >= 0 else None, end=place + len(url) if place >= 0 else None)
        for url in dict.fromkeys(found)
        for place in (text.find(url),)
    )  # fmt: skip


def list_consulted_pages(answer: RunResponse) -> Iterator[research.ConsultedPage]:
    seen: set[str] = set()
    for item in answer.output:
        for raw in (*(item.action.sources if item.action else ()), *item.results):
            try:
                page = _ConsultedPage.model_validate(raw)
            except ValueError:
                continue
            if page.url not in seen:
                seen.add(page.url)
                yield research.ConsultedPage(
                    url=page.url,
                    title=clean_markup(page.title),
                    snippet=clean_markup(page.snippet),
                    published=page.date or "",
                )


def read_run_usage(answer: RunResponse) -> research.ProviderUsage:
    usage = answer.usage or _UsageFigures()
    kinds = [item.type for item in answer.output]
    return research.ProviderUsage(
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
