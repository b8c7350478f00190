"""Claude by Anthropic: searches and reads pages by itself; paused turns are resumed; needs a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from citewell.core.errors import MalformedResponse
from citewell.core.values import research
from citewell.net.upstream import json_responses as wire
from citewell.routing import upstream_refusals
from citewell.routing.model_billing import build_tariff
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec, require_key
from citewell.text import research_prompts

SPEC = ProviderSpec(
    name="anthropic",
    title="Claude (Anthropic)",
    homepage="https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool",
    base_url="https://api.anthropic.com",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        require_key("ANTHROPIC_API_KEY", "Key of Anthropic.", "x-api-key"),
        ProviderOption(
            env="ANTHROPIC_MODEL",
            help="Model that researches and writes (chosen November 2026).",
            default="claude-sonnet-5-5",
        ),
        ProviderOption(
            env="ANTHROPIC_PRICES",
            help="Dollars per million tokens in/out/per thousand searches, such as 2/10/10.",
        ),
    ),
    per_second=2.0,
    burst=4,
    rank=50,
)

_CLAUDE_PRICES = (
    ("claude-haiku-5-5", "0.10", "0.50"),
    ("claude-sonnet-5-5", "2", "10"),
    ("claude-opus-5-5", "4", "20"),
    ("claude-fable-5-1", "10", "50"),
)
_API_VERSION = "2023-06-01"
_TURN_TIMEOUT_SECONDS = 600.0  # seconds for one turn
_MAX_TURNS = 20  # a run that pauses more often than this is not resumed again
_MAX_TURN_TOKENS = 16_000  # output tokens of one turn
_MAX_TOOL_USES = {
    "low": 5,
    "medium": 12,
    "high": 25,
    "xhigh": 40,
}  # searches, and page reads, by effort


class _ClaudeCitation(wire.ResponsePart):
    url: wire.HttpLink
    title: wire.OptionalField[str] = None
    cited_text: wire.OptionalField[str] = None


class _ClaudeBlock(wire.ResponsePart):
    type: wire.OptionalField[str] = None
    text: wire.OptionalField[str] = None
    citations: wire.TolerantItems[Any] = ()
    content: Any = None


class _ClaudeToolUse(wire.ResponsePart):
    web_search_requests: wire.OptionalField[int] = None
    web_fetch_requests: wire.OptionalField[int] = None


class _ClaudeUsage(wire.ResponsePart):
    input_tokens: wire.OptionalField[int] = None
    output_tokens: wire.OptionalField[int] = None
    cache_read_input_tokens: wire.OptionalField[int] = None
    cache_creation_input_tokens: wire.OptionalField[int] = None
    server_tool_use: wire.OptionalField[_ClaudeToolUse] = None


class _ClaudeMessage(wire.ResponsePart):
    model: wire.OptionalField[str] = None
    stop_reason: wire.OptionalField[str] = None
    content: wire.TolerantItems[_ClaudeBlock] = ()
    usage: wire.OptionalField[_ClaudeUsage] = None


class Provider(KitProvider):
    is_idempotent = False

    def _set_up(self) -> None:
        self._model = self._kit.find_option("ANTHROPIC_MODEL") or ""
        self._tariff = build_tariff(
            "anthropic",
            _CLAUDE_PRICES,
            default_price=("10", "50"),
            search_dollars="10",
            user_price=("ANTHROPIC_PRICES", self._kit.find_option("ANTHROPIC_PRICES")),
        )
        self._account = upstream_refusals.PaidAccount(
            provider=SPEC.name,
            title=SPEC.title,
            model=self._model,
            model_setting="ANTHROPIC_MODEL",
        )

    def estimate_cost(self, request: research.ResearchRequest) -> int:
        searches = _MAX_TOOL_USES[request.tier.effort]
        usage = research.ProviderUsage(
            input_tokens=10_000 * searches, output_tokens=10_000, searches=searches
        )
        return self._tariff.compute_cost(self._model, usage).ticks

    async def submit_research(self, request: research.ResearchRequest) -> research.SubmitOutcome:
        uses = _MAX_TOOL_USES[request.tier.effort]
        body = {
            "model": self._model,
            "max_tokens": _MAX_TURN_TOKENS,
            "system": research_prompts.RESEARCH_INSTRUCTIONS,
            "thinking": {"type": "adaptive"},
            "output_config": {
                "effort": "high" if request.tier.effort == "xhigh" else request.tier.effort
            },
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
        turns = await self._run_turns(
            body, research_prompts.build_question_prompt(request), tag=request.tag
        )
        return research.SubmitOutcome(report=self._build_claude_report(turns))

    async def write_report(self, writing: research.WritingRequest) -> research.ProviderReport:
        body = {
            "model": self._model,
            "max_tokens": writing.max_tokens,
            "system": writing.instructions,
        }
        return self._build_claude_report(
            await self._run_turns(body, writing.material, tag=writing.tag)
        )

    async def _run_turns(
        self, body: dict[str, Any], question: str, *, tag: str
    ) -> list[_ClaudeMessage]:
        """All turns of one run. After `pause_turn` the content is sent back unchanged to resume."""
        messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
        answers: list[_ClaudeMessage] = []
        for turn in range(_MAX_TURNS):
            response = await self._upstream.send_post(
                "/v1/messages",
                json={**body, "messages": messages},
                idempotent=False,
                headers={"anthropic-version": _API_VERSION, "Idempotency-Key": f"{tag}-{turn}"},
                timeout=_TURN_TIMEOUT_SECONDS,
                accept=upstream_refusals.EXPLAINED_STATUSES,
            )
            raw = upstream_refusals.read_paid_response(response, self._account)
            answers.append(upstream_refusals.validate_response(_ClaudeMessage, raw, self._account))
            if answers[-1].stop_reason != "pause_turn":
                break
            messages = [
                messages[0],
                *messages[1:],
                {"role": "assistant", "content": raw["content"]},
            ]
        return answers

    def _build_claude_report(self, answers: list[_ClaudeMessage]) -> research.ProviderReport:
        text, cited = _join_text_blocks(answers)
        if not text:
            raise MalformedResponse("Claude's response contains no text.", provider=SPEC.name)
        usage = _sum_turn_usage(answers)
        model = answers[-1].model or self._model
        cost = self._tariff.compute_cost(model, usage)
        ended = answers[-1].stop_reason
        cut = ended not in {"end_turn", "stop_sequence", None}
        return research.ProviderReport(
            provider=SPEC.name,
            model=model,
            text=text,
            citations=cited,
            consulted=tuple(_collect_searched_pages(answers)),
            usage=usage,
            cost_ticks=cost.ticks,
            cost_basis=cost.basis,
            partial=cut,
            notes=(f"Claude stopped early: {ended}.",) if cut else (),
        )


def _list_content_blocks(answers: list[_ClaudeMessage]) -> Iterator[_ClaudeBlock]:
    for answer in answers:
        yield from answer.content


def _join_text_blocks(
    answers: list[_ClaudeMessage],
) -> tuple[str, tuple[research.ReportCitation, ...]]:
    """The whole text and its citations; each citation covers the text block it came with."""
    pieces: list[str] = []
    cited: list[research.ReportCitation] = []
    at = 0
    for block in _list_content_blocks(answers):
        if block.type != "text" or not block.text:
            continue
        cited.extend(
            research.ReportCitation(
                url=mark.url,
                title=mark.title or "",
                start=at,
                end=at + len(block.text),
                quote=mark.cited_text or "",
            )
            for mark in _parse_block_citations(block)
        )
        pieces.append(block.text)
        at += len(block.text)
    return "".join(pieces), tuple(cited)


def _parse_block_citations(block: _ClaudeBlock) -> Iterator[_ClaudeCitation]:
    for raw in block.citations:
        try:
            yield _ClaudeCitation.model_validate(raw)
        except ValueError:
            continue


def _collect_searched_pages(answers: list[_ClaudeMessage]) -> Iterator[research.ConsultedPage]:
    seen: set[str] = set()
    for block in _list_content_blocks(answers):
        if block.type != "web_search_tool_result" or not isinstance(block.content, list):
            continue
        for raw in block.content:
            try:
                page = _ClaudeCitation.model_validate(raw)
            except ValueError:
                continue
            if page.url not in seen:
                seen.add(page.url)
                yield research.ConsultedPage(url=page.url, title=page.title or "")


def _sum_turn_usage(answers: list[_ClaudeMessage]) -> research.ProviderUsage:
    tokens = [answer.usage or _ClaudeUsage() for answer in answers]
    served = [turn.server_tool_use or _ClaudeToolUse() for turn in tokens]
    cached = sum(max(0, turn.cache_read_input_tokens or 0) for turn in tokens)
    made = sum(max(0, turn.cache_creation_input_tokens or 0) for turn in tokens)
    return research.ProviderUsage(
        input_tokens=sum(max(0, turn.input_tokens or 0) for turn in tokens) + cached + made,
        output_tokens=sum(max(0, turn.output_tokens or 0) for turn in tokens),
        cached_tokens=cached,
        searches=sum(max(0, use.web_search_requests or 0) for use in served),
        fetches=sum(max(0, use.web_fetch_requests or 0) for use in served),
    )
