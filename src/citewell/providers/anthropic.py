"""Claude by Anthropic: searches and reads within one message, resumed where it pauses; needs a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from citewell.errors import BadShape
from citewell.model.research import (
    Cited,
    Consulted,
    ProviderReport,
    ResearchAsk,
    Submission,
    Usage,
    Writing,
)
from citewell.net.answer import Items, Link, Maybe, Part
from citewell.net.billing import tariff
from citewell.net.paid import READ_HERE, Account, body, shaped
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import briefs

SPEC = Spec(
    name="anthropic",
    title="Claude (Anthropic)",
    home="https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool",
    base_url="https://api.anthropic.com",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        Option(env="ANTHROPIC_API_KEY", help="Key of Anthropic.", secret=True, required=True),
        Option(
            env="ANTHROPIC_MODEL",
            help="Model that researches and writes (chosen November 2026).",
            default="claude-sonnet-5-5",
        ),
        Option(
            env="ANTHROPIC_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, such as 2/10/10.",
        ),
    ),
    per_second=2.0,
    burst=4,
    rank=50,
)

_PRICES = (
    ("claude-haiku-5-5", "0.10", "0.50"),
    ("claude-sonnet-5-5", "2", "10"),
    ("claude-opus-5-5", "4", "20"),
    ("claude-fable-5-1", "10", "50"),
)
_VERSION = "2023-06-01"
_PATIENCE = 600.0  # seconds for one turn
_TURNS = 20  # a run that pauses more often than this is stopped
_LENGTH = 16_000  # tokens of one turn
_USES = {"low": 5, "medium": 12, "high": 25, "xhigh": 40}  # searches, and pages, of a run


class _Mark(Part):
    url: Link
    title: Maybe[str] = None
    cited_text: Maybe[str] = None


class _Block(Part):
    type: Maybe[str] = None
    text: Maybe[str] = None
    citations: Items[Any] = ()
    content: Any = None


class _Served(Part):
    web_search_requests: Maybe[int] = None
    web_fetch_requests: Maybe[int] = None


class _Tokens(Part):
    input_tokens: Maybe[int] = None
    output_tokens: Maybe[int] = None
    cache_read_input_tokens: Maybe[int] = None
    cache_creation_input_tokens: Maybe[int] = None
    server_tool_use: Maybe[_Served] = None


class _Answer(Part):
    model: Maybe[str] = None
    stop_reason: Maybe[str] = None
    content: Items[_Block] = ()
    usage: Maybe[_Tokens] = None


class Provider:
    idempotent = False

    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream
        self._model = kit.option("ANTHROPIC_MODEL") or ""
        self._key = {"x-api-key": kit.option("ANTHROPIC_API_KEY") or ""}
        self._tariff = tariff(
            "anthropic",
            _PRICES,
            otherwise=("10", "50"),
            searches="10",
            own=("ANTHROPIC_PRICES", kit.option("ANTHROPIC_PRICES")),
        )
        self._account = Account(
            provider=SPEC.name,
            title=SPEC.title,
            model=self._model,
            model_setting="ANTHROPIC_MODEL",
        )

    def estimate(self, ask: ResearchAsk) -> int:
        searches = _USES[ask.tier.effort]
        usage = Usage(input_tokens=10_000 * searches, output_tokens=10_000, searches=searches)
        return self._tariff.cost(self._model, usage).ticks

    async def submit(self, ask: ResearchAsk) -> Submission:
        uses = _USES[ask.tier.effort]
        request = {
            "model": self._model,
            "max_tokens": _LENGTH,
            "system": briefs.RESEARCH,
            "thinking": {"type": "adaptive"},
            "output_config": {"effort": "high" if ask.tier.effort == "xhigh" else ask.tier.effort},
            "tools": [
                {"type": "web_search_20260318", "name": "web_search", "max_uses": uses},
                {
                    "type": "web_fetch_20260318",
                    "name": "web_fetch",
                    "max_uses": uses,
                    "max_content_tokens": 20_000,
                    "citations": {"enabled": True},
                },
            ],
        }
        turns = await self._turns(request, briefs.question(ask), tag=ask.tag)
        return Submission(report=self._report(turns))

    async def write(self, writing: Writing) -> ProviderReport:
        request = {
            "model": self._model,
            "max_tokens": writing.max_tokens,
            "system": writing.instructions,
        }
        return self._report(await self._turns(request, writing.material, tag=writing.tag))

    async def _turns(self, request: dict[str, Any], question: str, *, tag: str) -> list[_Answer]:
        """Its long turns pause; each is resumed by sending back what it said, unchanged."""
        messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
        answers: list[_Answer] = []
        for turn in range(_TURNS):
            response = await self._upstream.post(
                "/v1/messages",
                json={**request, "messages": messages},
                idempotent=False,
                headers={"anthropic-version": _VERSION, "Idempotency-Key": f"{tag}-{turn}"},
                secret_headers=self._key,
                timeout=_PATIENCE,
                accept=READ_HERE,
            )
            raw = body(response, self._account)
            answers.append(shaped(_Answer, raw, self._account))
            if answers[-1].stop_reason != "pause_turn":
                break
            messages = [
                messages[0],
                *messages[1:],
                {"role": "assistant", "content": raw["content"]},
            ]
        return answers

    def _report(self, answers: list[_Answer]) -> ProviderReport:
        text, cited = _written(answers)
        if not text:
            raise BadShape("Claude answered without a text.", provider=SPEC.name)
        usage = _usage(answers)
        model = answers[-1].model or self._model
        cost = self._tariff.cost(model, usage)
        ended = answers[-1].stop_reason
        cut = ended not in {"end_turn", "stop_sequence", None}
        return ProviderReport(
            provider=SPEC.name,
            model=model,
            text=text,
            citations=cited,
            consulted=tuple(_consulted(answers)),
            usage=usage,
            cost_ticks=cost.ticks,
            cost_basis=cost.basis,
            partial=cut,
            notes=(f"Claude stopped early: {ended}.",) if cut else (),
        )


def _blocks(answers: list[_Answer]) -> Iterator[_Block]:
    for answer in answers:
        yield from answer.content


def _written(answers: list[_Answer]) -> tuple[str, tuple[Cited, ...]]:
    """A block of text is what its citations stand behind."""
    pieces: list[str] = []
    cited: list[Cited] = []
    at = 0
    for block in _blocks(answers):
        if block.type != "text" or not block.text:
            continue
        cited.extend(
            Cited(
                url=mark.url,
                title=mark.title or "",
                start=at,
                end=at + len(block.text),
                quote=mark.cited_text or "",
            )
            for mark in _marks(block)
        )
        pieces.append(block.text)
        at += len(block.text)
    return "".join(pieces), tuple(cited)


def _marks(block: _Block) -> Iterator[_Mark]:
    for raw in block.citations:
        try:
            yield _Mark.model_validate(raw)
        except ValueError:
            continue


def _consulted(answers: list[_Answer]) -> Iterator[Consulted]:
    seen: set[str] = set()
    for block in _blocks(answers):
        if block.type != "web_search_tool_result" or not isinstance(block.content, list):
            continue
        for raw in block.content:
            try:
                page = _Mark.model_validate(raw)
            except ValueError:
                continue
            if page.url not in seen:
                seen.add(page.url)
                yield Consulted(url=page.url, title=page.title or "")


def _usage(answers: list[_Answer]) -> Usage:
    tokens = [answer.usage or _Tokens() for answer in answers]
    served = [one.server_tool_use or _Served() for one in tokens]
    cached = sum(max(0, one.cache_read_input_tokens or 0) for one in tokens)
    made = sum(max(0, one.cache_creation_input_tokens or 0) for one in tokens)
    return Usage(
        input_tokens=sum(max(0, one.input_tokens or 0) for one in tokens) + cached + made,
        output_tokens=sum(max(0, one.output_tokens or 0) for one in tokens),
        cached_tokens=cached,
        searches=sum(max(0, one.web_search_requests or 0) for one in served),
        fetches=sum(max(0, one.web_fetch_requests or 0) for one in served),
    )
