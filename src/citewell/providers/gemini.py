"""Gemini's deep-research agent over the Interactions API, in the background; needs a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from citewell.model.research import (
    Cited,
    Polled,
    ProviderReport,
    ResearchAsk,
    Status,
    Submission,
    Usage,
    Writing,
)
from citewell.net.answer import Items, Link, Maybe, Part
from citewell.net.billing import tariff
from citewell.net.paid import READ_HERE, Account, body, refusal, shaped, words
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import briefs

SPEC = Spec(
    name="gemini",
    title="Gemini",
    home="https://ai.google.dev/gemini-api/docs/deep-research",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        Option(env="GEMINI_API_KEY", help="Key of the Gemini API.", secret=True),
        Option(env="GOOGLE_AI_API_KEY", help="Another name of GEMINI_API_KEY.", secret=True),
        Option(
            env="GEMINI_AGENT",
            help="Agent that researches (chosen November 2026).",
            default="deep-research-preview-04-2026",
        ),
        Option(
            env="GEMINI_AGENT_MAX",
            help="Agent that researches for the tiers L and XL (chosen November 2026).",
            default="deep-research-max-preview-04-2026",
        ),
        Option(
            env="GEMINI_MODEL",
            help="Model that writes (chosen November 2026).",
            default="gemini-3.8-flash",
        ),
        Option(
            env="GEMINI_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, such as 2/12/14.",
        ),
    ),
    requires_any=("GEMINI_API_KEY", "GOOGLE_AI_API_KEY"),
    per_second=2.0,
    burst=4,
    rank=20,
)

_PRICES = (
    ("deep-research", "2", "12"),
    ("gemini-3.8-flash", "0.75", "3.75"),
    ("gemini-4-argon", "2", "10"),
)
_QUICK = 60.0  # seconds to start, ask after or stop a run
_PATIENCE = 300.0  # seconds for a text
_STATES = {
    "queued": Status.PENDING,
    "in_progress": Status.RUNNING,
    "completed": Status.COMPLETED,
    "incomplete": Status.COMPLETED,
    "budget_exceeded": Status.COMPLETED,
    "requires_action": Status.FAILED,  # nobody is here to act
    "requires_continuation": Status.FAILED,
    "failed": Status.FAILED,
    "cancelled": Status.CANCELLED,
}
_CUT = frozenset({"incomplete", "budget_exceeded"})
_SEARCHES = {"low": 30, "medium": 60, "high": 100, "xhigh": 160}  # a run usually makes


class _Annotation(Part):
    url: Link
    title: Maybe[str] = None
    start_index: Maybe[int] = None
    end_index: Maybe[int] = None


class _Content(Part):
    text: Maybe[str] = None
    annotations: Items[Any] = ()


class _Step(Part):
    type: Maybe[str] = None
    content: Items[_Content] = ()


class _Tokens(Part):
    total_input_tokens: Maybe[int] = None
    total_output_tokens: Maybe[int] = None
    total_thought_tokens: Maybe[int] = None
    total_tool_use_tokens: Maybe[int] = None
    total_cached_tokens: Maybe[int] = None
    grounding_tool_count: Items[Any] = ()


class _Answer(Part):
    id: Maybe[str] = None
    status: Maybe[str] = None
    agent: Maybe[str] = None
    model: Maybe[str] = None
    steps: Items[_Step] = ()
    usage: Maybe[_Tokens] = None
    error: Any = None


class Provider:
    idempotent = False

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream
        self._agent = kit.option("GEMINI_AGENT") or ""
        self._large = kit.option("GEMINI_AGENT_MAX") or self._agent
        self._model = kit.option("GEMINI_MODEL") or ""
        key = kit.option("GEMINI_API_KEY") or kit.option("GOOGLE_AI_API_KEY") or ""
        self._key = {"x-goog-api-key": key}
        self._tariff = tariff(
            "google",
            _PRICES,
            otherwise=("2", "12"),
            searches="14",
            own=("GEMINI_PRICES", kit.option("GEMINI_PRICES")),
        )

    def estimate(self, ask: ResearchAsk) -> int:
        searches = _SEARCHES[ask.tier.effort]
        usage = Usage(input_tokens=3000 * searches, output_tokens=30_000, searches=searches)
        return self._tariff.cost(self._agent, usage).ticks

    async def submit(self, ask: ResearchAsk) -> Submission:
        agent, setting = self._chosen(ask)
        request = {
            "agent": agent,
            "input": f"{briefs.RESEARCH}\n\n{briefs.question(ask)}",
            "background": True,
            "store": True,
            "agent_config": {"type": "deep-research", "thinking_summaries": "none"},
        }
        answer = await self._start(request, _account(agent, setting), tag=ask.tag, limit=_QUICK)
        if answer.id and _STATES.get(answer.status or "", Status.RUNNING) is not Status.COMPLETED:
            return Submission(ref=answer.id)
        return Submission(ref=answer.id, report=self._finished(answer, _account(agent, setting)))

    async def poll(self, ref: str) -> Polled:
        account = _account(self._agent, "GEMINI_AGENT")
        response = await self._upstream.get(
            _run(ref), secret_headers=self._key, timeout=_QUICK, accept=READ_HERE
        )
        answer = shaped(_Answer, body(response, account), account)
        status = _STATES.get(answer.status or "", Status.RUNNING)
        if not status.final:
            return Polled(status=status, note=f"{len(answer.steps)} steps so far")
        report = self._report(answer, account) if _output(answer) else None
        if status is Status.COMPLETED and report is not None:
            return Polled(status=status, report=report)
        failed = Status.CANCELLED if status is Status.CANCELLED else Status.FAILED
        said = words(answer.error) or f"The run ended as {answer.status} without a text."
        error = refusal(said, None, account)
        return Polled(status=failed, report=report, error=error.message, error_kind=error.kind)

    async def cancel(self, ref: str) -> None:
        await self._upstream.post(
            f"{_run(ref)}/cancel",
            json={},
            secret_headers=self._key,
            timeout=_QUICK,
            accept=(*READ_HERE, 409),
        )

    async def write(self, writing: Writing) -> ProviderReport:
        account = _account(self._model, "GEMINI_MODEL")
        request = {
            "model": self._model,
            "input": f"{writing.instructions}\n\n{writing.material}",
            "generation_config": {"max_output_tokens": writing.max_tokens},
            "store": False,
        }
        answer = await self._start(request, account, tag=writing.tag, limit=_PATIENCE)
        return self._finished(answer, account)

    def _chosen(self, ask: ResearchAsk) -> tuple[str, str]:
        if ask.tier.name in {"L", "XL"}:
            return self._large, "GEMINI_AGENT_MAX"
        return self._agent, "GEMINI_AGENT"

    async def _start(
        self, request: dict[str, Any], account: Account, *, tag: str, limit: float
    ) -> _Answer:
        response = await self._upstream.post(
            "/interactions",
            json=request,
            idempotent=False,
            headers={"Idempotency-Key": tag},
            secret_headers=self._key,
            timeout=limit,
            accept=READ_HERE,
        )
        return shaped(_Answer, body(response, account), account)

    def _finished(self, answer: _Answer, account: Account) -> ProviderReport:
        if not _output(answer):
            raise refusal(words(answer.error) or "It answered without a text.", None, account)
        return self._report(answer, account)

    def _report(self, answer: _Answer, account: Account) -> ProviderReport:
        text, cited = _written(answer)
        usage = _usage(answer.usage or _Tokens())
        model = answer.agent or answer.model or account.model
        cost = self._tariff.cost(model, usage)
        cut = answer.status in _CUT
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


def _account(model: str, setting: str) -> Account:
    return Account(provider=SPEC.name, title=SPEC.title, model=model, model_setting=setting)


def _run(ref: str) -> str:
    return f"/interactions/{quote(ref, safe='')}"


def _output(answer: _Answer) -> tuple[_Content, ...]:
    """What the last step that wrote anything wrote."""
    written = [step.content for step in answer.steps if step.type == "model_output"]
    return tuple(part for part in (written[-1] if written else ()) if part.text)


def _written(answer: _Answer) -> tuple[str, tuple[Cited, ...]]:
    pieces: list[str] = []
    cited: list[Cited] = []
    at = 0
    for part in _output(answer):
        text = part.text or ""
        cited += [_cited(mark, text, at) for mark in _marks(part)]
        pieces.append(text)
        at += len(text)
    return "".join(pieces), tuple(cited)


def _marks(part: _Content) -> Iterator[_Annotation]:
    for raw in part.annotations:
        try:
            yield _Annotation.model_validate(raw)
        except ValueError:
            continue


def _cited(mark: _Annotation, text: str, at: int) -> Cited:
    """Its offsets count bytes of UTF-8, ours characters."""
    start, end = mark.start_index, mark.end_index
    raw = text.encode()
    if start is None or end is None or not 0 <= start <= end <= len(raw):
        return Cited(url=mark.url, title=mark.title or "")
    first = len(raw[:start].decode("utf-8", "ignore"))
    last = len(raw[:end].decode("utf-8", "ignore"))
    return Cited(url=mark.url, title=mark.title or "", start=at + first, end=at + last)


def _usage(tokens: _Tokens) -> Usage:
    thought = max(0, tokens.total_thought_tokens or 0)
    return Usage(
        input_tokens=max(0, tokens.total_input_tokens or 0)
        + max(0, tokens.total_tool_use_tokens or 0),
        output_tokens=max(0, tokens.total_output_tokens or 0) + thought,
        reasoning_tokens=thought,
        cached_tokens=max(0, tokens.total_cached_tokens or 0),
        searches=sum(map(_searched, tokens.grounding_tool_count)),
    )


def _searched(count: Any) -> int:
    number = count.get("count") if isinstance(count, dict) else count
    return number if isinstance(number, int) and number > 0 else 0
