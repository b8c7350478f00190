"""Any OpenAI-compatible server (Ollama, LM Studio, vLLM); writes from passages that we found."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from citewell.core.errors import InvalidInput, NotFound
from citewell.core.values import research
from citewell.net.upstream import json_responses as wire
from citewell.routing import ports, upstream_refusals
from citewell.text import research_prompts
from citewell.text.research_prompts import strip_thinking

SPEC = ports.ProviderSpec(
    name="compatible",
    title="OpenAI-compatible server",
    homepage="https://docs.ollama.com/api/openai-compatibility",
    base_url="http://localhost:11434/v1",
    offers=frozenset({ports.Offer.RESEARCH, ports.Offer.WRITING}),
    options=(
        ports.ProviderOption(
            env="CITEWELL_MODEL_SERVER",
            help="Address of the server, such as http://localhost:1234/v1.",
            is_self_hosted=True,
        ),
        ports.ProviderOption(
            env="OLLAMA_BASE_URL",
            help="Address of Ollama, such as http://localhost:11434.",
            is_self_hosted=True,
        ),
        ports.ProviderOption(
            env="LM_STUDIO_BASE_URL",
            help="Address of LM Studio, such as http://localhost:1234.",
            is_self_hosted=True,
        ),
        ports.ProviderOption(
            env="CITEWELL_MODEL_NAME",
            help="Model to use; without it the first that the server lists.",
        ),
        ports.accept_key("CITEWELL_MODEL_KEY", "Key, where the server wants one."),
    ),
    requires_any=("CITEWELL_MODEL_SERVER", "OLLAMA_BASE_URL", "LM_STUDIO_BASE_URL"),
    rank=70,
)

_CHAT_TIMEOUT_SECONDS = 900.0  # a model on a laptop is slow
_MAX_REPORT_TOKENS = 4000  # output tokens of a report
_EMBEDDING_NAME_PATTERN = re.compile(r"embed|rerank|\bbge-|\be5-|minilm", re.IGNORECASE)


class _ChatMessage(wire.ResponsePart):
    content: wire.OptionalField[str] = None
    reasoning: wire.OptionalField[str] = None  # Ollama and vLLM; older ones and llama.cpp: the next
    reasoning_content: wire.OptionalField[str] = None


class _ChatChoice(wire.ResponsePart):
    message: wire.OptionalField[_ChatMessage] = None
    finish_reason: wire.OptionalField[str] = None


class _ChatUsage(wire.ResponsePart):
    prompt_tokens: wire.OptionalField[int] = None
    completion_tokens: wire.OptionalField[int] = None


class _ChatCompletion(wire.ResponsePart):
    model: wire.OptionalField[str] = None
    choices: wire.TolerantItems[_ChatChoice] = ()
    usage: wire.OptionalField[_ChatUsage] = None


class _ListedModel(wire.ResponsePart):
    id: str


class _ModelList(wire.ResponsePart):
    data: wire.TolerantItems[_ListedModel] = ()


class Provider(ports.KitProvider):
    is_idempotent = True  # repeating a request costs nothing

    def _set_up(self) -> None:
        self.server_address = _choose_server_address(self._kit)
        self._name = self._kit.find_option("CITEWELL_MODEL_NAME")
        key = self._kit.find_option("CITEWELL_MODEL_KEY")
        self._key = {"Authorization": f"Bearer {key}"} if key else {}

    def estimate_cost(self, _request: research.ResearchRequest) -> int:
        return 0

    async def submit_research(self, request: research.ResearchRequest) -> research.SubmitOutcome:
        """A report written from the passages in `request`, because such a server cannot search the web.

        Raises InvalidInput if there are no passages.
        """
        if not request.passages:
            message = "A model server can write only from passages, and the search found none."
            raise InvalidInput(message, provider=SPEC.name)
        report = await self._complete_chat(
            research_prompts.PASSAGE_INSTRUCTIONS,
            research_prompts.build_passages_prompt(request),
            length=_MAX_REPORT_TOKENS,
        )
        cited = research_prompts.find_numbered_citations(report.text, request.passages)
        return research.SubmitOutcome(report=report.model_copy(update={"citations": cited}))

    async def write_report(self, writing: research.WritingRequest) -> research.ProviderReport:
        return await self._complete_chat(
            writing.instructions, writing.material, length=writing.max_tokens
        )

    async def _complete_chat(
        self, instructions: str, material: str, *, length: int
    ) -> research.ProviderReport:
        model = self._name or await self._fetch_first_model()
        body = {
            "model": model,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": material},
            ],
            "max_tokens": length,
            "temperature": 0,
            "stream": False,
        }
        response = await self._upstream.send_post(
            "/chat/completions",
            json=body,
            base_url=self.server_address,
            secret_headers=self._key,
            timeout=_CHAT_TIMEOUT_SECONDS,
            idempotent=False,
            accept=upstream_refusals.EXPLAINED_STATUSES,
        )
        account = self._build_server_account(model)
        return _build_chat_report(
            upstream_refusals.validate_response(
                _ChatCompletion, upstream_refusals.read_paid_response(response, account), account
            ),
            model,
        )

    async def _fetch_first_model(self) -> str:
        """The id of the first model that the server lists and that writes; Ollama lists encoders too."""
        response = await self._upstream.send_get(
            "/models",
            base_url=self.server_address,
            secret_headers=self._key,
            accept=upstream_refusals.EXPLAINED_STATUSES,
        )
        account = self._build_server_account("")
        listed = upstream_refusals.validate_response(
            _ModelList, upstream_refusals.read_paid_response(response, account), account
        ).data
        if not listed:
            message = "The model server lists no model. Load one there, or set CITEWELL_MODEL_NAME."
            raise NotFound(message, provider=SPEC.name)
        writers = [model.id for model in listed if not _EMBEDDING_NAME_PATTERN.search(model.id)]
        return (writers or [listed[0].id])[0]

    def _build_server_account(self, model: str) -> upstream_refusals.PaidAccount:
        return upstream_refusals.PaidAccount(
            provider=SPEC.name,
            title="The model server",
            model=model,
            model_setting="CITEWELL_MODEL_NAME",
        )


def _choose_server_address(kit: ports.ProviderKit) -> str:
    if own := kit.find_option("CITEWELL_MODEL_SERVER"):
        own = own.rstrip("/")
        return own if urlsplit(own).path else f"{own}/v1"  # where all these servers have their API
    vendor = kit.find_option("OLLAMA_BASE_URL") or kit.find_option("LM_STUDIO_BASE_URL")
    if vendor is None:
        return kit.upstream.base_url
    vendor = vendor.rstrip("/")
    return vendor if vendor.endswith("/v1") else f"{vendor}/v1"


def _build_chat_report(answer: _ChatCompletion, model: str) -> research.ProviderReport:
    choice = answer.choices[0] if answer.choices else None
    message = choice.message if choice is not None else None
    text = strip_thinking((message.content if message is not None else None) or "")
    if not text or choice is None:
        raise NotFound(_describe_empty_answer(message), provider=SPEC.name)
    tokens: Any = answer.usage or _ChatUsage()
    cut = choice.finish_reason == "length"
    return research.ProviderReport(
        provider=SPEC.name,
        model=answer.model or model,
        text=text,
        usage=research.ProviderUsage(
            input_tokens=max(0, tokens.prompt_tokens or 0),
            output_tokens=max(0, tokens.completion_tokens or 0),
        ),
        partial=cut,
        notes=("The text was cut off at the model's maximum length.",) if cut else (),
    )


def _describe_empty_answer(message: _ChatMessage | None) -> str:
    thought = message is not None and (
        message.content or message.reasoning or message.reasoning_content
    )
    if thought:
        return (
            "The model server's model only thought and wrote no text. Give it a larger context, or set"
            " CITEWELL_MODEL_NAME to a model that thinks less."
        )
    return "The model server's response contains no text."
