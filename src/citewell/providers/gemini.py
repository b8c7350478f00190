"""Gemini's deep-research agent, run in the background through the Interactions API; needs a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import (
    PollOutcome,
    ProviderReport,
    ProviderUsage,
    ReportCitation,
    ResearchRequest,
    ResearchStatus,
    SubmitOutcome,
    WritingRequest,
)
from citewell.core.values.search_results import AnswerQuery
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects import grounded_content
from citewell.routing.answer_reports import AnswerCost, build_answer_report, clean_answer_text
from citewell.routing.model_billing import build_tariff
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec, accept_key
from citewell.routing.upstream_refusals import (
    EXPLAINED_STATUSES,
    PaidAccount,
    build_refusal_error,
    extract_error_message,
    read_paid_response,
    validate_response,
)
from citewell.text import research_prompts

SPEC = ProviderSpec(
    name="gemini",
    title="Gemini",
    homepage="https://ai.google.dev/gemini-api/docs/deep-research",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING, Offer.ANSWERS}),
    options=(
        accept_key("GEMINI_API_KEY", "Key of the Gemini API.", "x-goog-api-key"),
        accept_key("GOOGLE_AI_API_KEY", "Another name of GEMINI_API_KEY.", "x-goog-api-key"),
        ProviderOption(
            env="GEMINI_AGENT",
            help="Agent that researches (chosen November 2026).",
            default="deep-research-preview-04-2026",
        ),
        ProviderOption(
            env="GEMINI_AGENT_MAX",
            help="Agent that researches for the tiers L and XL (chosen November 2026).",
            default="deep-research-max-preview-04-2026",
        ),
        ProviderOption(
            env="GEMINI_MODEL",
            help="Model that writes and answers (chosen November 2026).",
            default="gemini-3.8-flash",
        ),
        ProviderOption(
            env="GEMINI_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, such as 2/12/14.",
        ),
    ),
    requires_any=("GEMINI_API_KEY", "GOOGLE_AI_API_KEY"),
    per_second=2.0,
    burst=4,
    rank=20,
)

_GEMINI_PRICES = (
    ("deep-research", "2", "12"),
    ("gemini-3.8-flash", "0.75", "3.75"),
    ("gemini-4-argon", "2", "10"),
)
_CONTROL_TIMEOUT_SECONDS = 60.0  # to start, poll or cancel a run
_WRITING_TIMEOUT_SECONDS = 300.0  # to write a text
_USUAL_ANSWER_USAGE = ProviderUsage(input_tokens=3000, output_tokens=2000, searches=3)
_RUN_STATUSES = {
    "queued": ResearchStatus.PENDING,
    "in_progress": ResearchStatus.RUNNING,
    "completed": ResearchStatus.COMPLETED,
    "incomplete": ResearchStatus.COMPLETED,
    "budget_exceeded": ResearchStatus.COMPLETED,
    "requires_action": ResearchStatus.FAILED,  # there is no user who could act
    "requires_continuation": ResearchStatus.FAILED,
    "failed": ResearchStatus.FAILED,
    "cancelled": ResearchStatus.CANCELLED,
}
_PARTIAL_STATUSES = frozenset({"incomplete", "budget_exceeded"})
_EXPECTED_SEARCHES = {"low": 30, "medium": 60, "high": 100, "xhigh": 160}  # usual number, by effort


class _GeminiAnnotation(wire.ResponsePart):
    url: wire.HttpLink
    title: wire.OptionalField[str] = None
    start_index: wire.OptionalField[int] = None
    end_index: wire.OptionalField[int] = None


class _GeminiContent(wire.ResponsePart):
    text: wire.OptionalField[str] = None
    annotations: wire.TolerantItems[Any] = ()


class _GeminiStep(wire.ResponsePart):
    type: wire.OptionalField[str] = None
    content: wire.TolerantItems[_GeminiContent] = ()


class _GeminiUsage(wire.ResponsePart):
    total_input_tokens: wire.OptionalField[int] = None
    total_output_tokens: wire.OptionalField[int] = None
    total_thought_tokens: wire.OptionalField[int] = None
    total_tool_use_tokens: wire.OptionalField[int] = None
    total_cached_tokens: wire.OptionalField[int] = None
    grounding_tool_count: wire.TolerantItems[Any] = ()


class _GeminiInteraction(wire.ResponsePart):
    id: wire.OptionalField[str] = None
    status: wire.OptionalField[str] = None
    agent: wire.OptionalField[str] = None
    model: wire.OptionalField[str] = None
    steps: wire.TolerantItems[_GeminiStep] = ()
    usage: wire.OptionalField[_GeminiUsage] = None
    error: Any = None


class Provider(KitProvider):
    is_idempotent = False

    def _set_up(self) -> None:
        self._agent = self._kit.find_option("GEMINI_AGENT") or ""
        self._large = self._kit.find_option("GEMINI_AGENT_MAX") or self._agent
        self._model = self._kit.find_option("GEMINI_MODEL") or ""
        self._tariff = build_tariff(
            "google",
            _GEMINI_PRICES,
            default_price=("2", "12"),
            search_dollars="14",
            user_price=("GEMINI_PRICES", self._kit.find_option("GEMINI_PRICES")),
        )

    def estimate_cost(self, request: ResearchRequest) -> int:
        searches = _EXPECTED_SEARCHES[request.tier.effort]
        usage = ProviderUsage(input_tokens=3000 * searches, output_tokens=30_000, searches=searches)
        return self._tariff.compute_cost(self._agent, usage).ticks

    async def submit_research(self, request: ResearchRequest) -> SubmitOutcome:
        agent, setting = (
            (self._large, "GEMINI_AGENT_MAX")
            if request.tier.name in {"L", "XL"}
            else (self._agent, "GEMINI_AGENT")
        )
        body = {
            "agent": agent,
            "input": f"{research_prompts.RESEARCH_INSTRUCTIONS}\n\n{research_prompts.build_question_prompt(request)}",
            "background": True,
            "store": True,
            "agent_config": {"type": "deep-research", "thinking_summaries": "none"},
        }
        answer = await self._start_interaction(
            body,
            _build_gemini_account(agent, setting),
            tag=request.tag,
            limit=_CONTROL_TIMEOUT_SECONDS,
        )
        if (
            answer.id
            and _RUN_STATUSES.get(answer.status or "", ResearchStatus.RUNNING)
            is not ResearchStatus.COMPLETED
        ):
            return SubmitOutcome(ref=answer.id)
        return SubmitOutcome(
            ref=answer.id,
            report=self._require_gemini_report(answer, _build_gemini_account(agent, setting)),
        )

    async def poll_research(self, ref: str) -> PollOutcome:
        account = _build_gemini_account(self._agent, "GEMINI_AGENT")
        response = await self._upstream.send_get(
            _build_interaction_path(ref),
            timeout=_CONTROL_TIMEOUT_SECONDS,
            accept=EXPLAINED_STATUSES,
        )
        answer = validate_response(
            _GeminiInteraction, read_paid_response(response, account), account
        )
        status = _RUN_STATUSES.get(answer.status or "", ResearchStatus.RUNNING)
        if not status.is_final:
            return PollOutcome(
                status=status,
                note=f"{len(answer.steps)} {pluralize(len(answer.steps), 'step')} so far",
            )
        report = self._build_gemini_report(answer, account) if _list_output_parts(answer) else None
        if status is ResearchStatus.COMPLETED and report is not None:
            return PollOutcome(status=status, report=report)
        failed = (
            ResearchStatus.CANCELLED
            if status is ResearchStatus.CANCELLED
            else ResearchStatus.FAILED
        )
        error = build_refusal_error(
            extract_error_message(answer.error),
            None,
            account,
            otherwise=f"The run ended as {answer.status} and has no text.",
        )
        return PollOutcome(status=failed, report=report, error=error.message, error_kind=error.kind)

    async def cancel_research(self, ref: str) -> None:
        await self._upstream.send_post(
            f"{_build_interaction_path(ref)}/cancel",
            json={},
            timeout=_CONTROL_TIMEOUT_SECONDS,
            accept=(*EXPLAINED_STATUSES, 409),
        )

    async def write_report(self, writing: WritingRequest) -> ProviderReport:
        account = _build_gemini_account(self._model, "GEMINI_MODEL")
        body = {
            "model": self._model,
            "input": f"{writing.instructions}\n\n{writing.material}",
            "generation_config": {"max_output_tokens": writing.max_tokens},
            "store": False,
        }
        answer = await self._start_interaction(
            body, account, tag=writing.tag, limit=_WRITING_TIMEOUT_SECONDS
        )
        return self._require_gemini_report(answer, account)

    def estimate_answer_cost(self, _query: AnswerQuery) -> int:
        return self._tariff.compute_cost(self._model, _USUAL_ANSWER_USAGE).ticks

    async def answer_question(self, query: AnswerQuery) -> ProviderReport:
        """An answer grounded by Google's search; its redirects are resolved, because they expire."""
        account = _build_gemini_account(self._model, "GEMINI_MODEL")
        response = await self._upstream.send_post(
            f"/models/{quote(self._model, safe='')}:generateContent",
            json={
                "contents": [{"role": "user", "parts": [{"text": query.text}]}],
                "tools": [{"google_search": {}}],
            },
            idempotent=False,
            timeout=query.timeout_seconds,
            accept=EXPLAINED_STATUSES,
        )
        answer = validate_response(
            grounded_content.GroundedContent, read_paid_response(response, account), account
        )
        landed = await grounded_content.resolve_google_redirects(self._upstream, answer)
        text = clean_answer_text(grounded_content.join_content_text(answer))
        usage = grounded_content.convert_grounded_usage(answer)
        cost = self._tariff.compute_cost(self._model, usage)
        return build_answer_report(
            SPEC.name,
            text,
            grounded_content.list_grounding_pages(answer, text, landed),
            count=query.count,
            model=answer.model_version or self._model,
            cost=AnswerCost(ticks=cost.ticks, basis=cost.basis, usage=usage),
            notes=grounded_content.describe_google_searches(answer),
        )

    async def _start_interaction(
        self, body: dict[str, Any], account: PaidAccount, *, tag: str, limit: float
    ) -> _GeminiInteraction:
        response = await self._upstream.send_post(
            "/interactions",
            json=body,
            idempotent=False,
            headers={"Idempotency-Key": tag},
            timeout=limit,
            accept=EXPLAINED_STATUSES,
        )
        return validate_response(_GeminiInteraction, read_paid_response(response, account), account)

    def _require_gemini_report(
        self, answer: _GeminiInteraction, account: PaidAccount
    ) -> ProviderReport:
        if not _list_output_parts(answer):
            raise build_refusal_error(
                extract_error_message(answer.error),
                None,
                account,
                otherwise="The response contains no text.",
            )
        return self._build_gemini_report(answer, account)

    def _build_gemini_report(
        self, answer: _GeminiInteraction, account: PaidAccount
    ) -> ProviderReport:
        text, cited = _join_output_parts(answer)
        usage = _convert_gemini_usage(answer.usage or _GeminiUsage())
        model = answer.agent or answer.model or account.model
        cost = self._tariff.compute_cost(model, usage)
        cut = answer.status in _PARTIAL_STATUSES
        return ProviderReport(
            provider=SPEC.name,
            model=model,
            text=text,
            citations=cited,
            usage=usage,
            cost_ticks=cost.ticks,
            cost_basis=cost.basis,
            partial=cut,
            notes=(f"Gemini stopped early: {answer.status}.",) if cut else (),
        )


def _build_gemini_account(model: str, setting: str) -> PaidAccount:
    return PaidAccount(provider=SPEC.name, title=SPEC.title, model=model, model_setting=setting)


def _build_interaction_path(ref: str) -> str:
    return f"/interactions/{quote(ref, safe='')}"


def _list_output_parts(answer: _GeminiInteraction) -> tuple[_GeminiContent, ...]:
    """The text parts of the last `model_output` step; empty if there is none."""
    written = [step.content for step in answer.steps if step.type == "model_output"]
    return tuple(part for part in (written[-1] if written else ()) if part.text)


def _join_output_parts(answer: _GeminiInteraction) -> tuple[str, tuple[ReportCitation, ...]]:
    pieces: list[str] = []
    cited: list[ReportCitation] = []
    at = 0
    for part in _list_output_parts(answer):
        text = part.text or ""
        cited += [_build_citation(mark, text, at) for mark in _parse_annotations(part)]
        pieces.append(text)
        at += len(text)
    return "".join(pieces), tuple(cited)


def _parse_annotations(part: _GeminiContent) -> Iterator[_GeminiAnnotation]:
    for raw in part.annotations:
        try:
            yield _GeminiAnnotation.model_validate(raw)
        except ValueError:
            continue


def _build_citation(mark: _GeminiAnnotation, text: str, at: int) -> ReportCitation:
    """The citation, with Gemini's UTF-8 byte offsets converted to characters and moved by `at`."""
    start, end = mark.start_index, mark.end_index
    raw = text.encode()
    if start is None or end is None or not 0 <= start <= end <= len(raw):
        return ReportCitation(url=mark.url, title=mark.title or "")
    first = len(raw[:start].decode("utf-8", "ignore"))
    last = len(raw[:end].decode("utf-8", "ignore"))
    return ReportCitation(url=mark.url, title=mark.title or "", start=at + first, end=at + last)


def _convert_gemini_usage(tokens: _GeminiUsage) -> ProviderUsage:
    thought = max(0, tokens.total_thought_tokens or 0)
    return ProviderUsage(
        input_tokens=max(0, tokens.total_input_tokens or 0)
        + max(0, tokens.total_tool_use_tokens or 0),
        output_tokens=max(0, tokens.total_output_tokens or 0) + thought,
        reasoning_tokens=thought,
        cached_tokens=max(0, tokens.total_cached_tokens or 0),
        searches=sum(map(_count_searches, tokens.grounding_tool_count)),
    )


def _count_searches(count: Any) -> int:
    number = count.get("count") if isinstance(count, dict) else count
    return number if isinstance(number, int) and number > 0 else 0
