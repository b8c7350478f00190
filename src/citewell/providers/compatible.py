"""Any server that speaks like OpenAI: Ollama, LM Studio, vLLM; it writes from what our search found."""

from __future__ import annotations

from typing import Any

from citewell.errors import InvalidInput, NotFound
from citewell.model.research import ProviderReport, ResearchAsk, Submission, Usage, Writing
from citewell.net.answer import Items, Maybe, Part
from citewell.net.paid import READ_HERE, Account, body, shaped
from citewell.net.upstream import Upstream
from citewell.ports import Kit, Offer, Option, Spec
from citewell.text import briefs

SPEC = Spec(
    name="compatible",
    title="OpenAI-compatible server",
    home="https://docs.ollama.com/api/openai-compatibility",
    base_url="http://localhost:11434/v1",
    offers=frozenset({Offer.RESEARCH, Offer.WRITING}),
    options=(
        Option(
            env="CITEWELL_MODEL_SERVER",
            help="Address of the server, such as http://localhost:1234/v1.",
            own_address=True,
        ),
        Option(
            env="OLLAMA_BASE_URL",
            help="Address of Ollama, such as http://localhost:11434.",
            own_address=True,
        ),
        Option(
            env="LM_STUDIO_BASE_URL",
            help="Address of LM Studio, such as http://localhost:1234.",
            own_address=True,
        ),
        Option(
            env="CITEWELL_MODEL_NAME",
            help="Model to use; without it the first that the server lists.",
        ),
        Option(env="CITEWELL_MODEL_KEY", help="Key, where the server wants one.", secret=True),
    ),
    requires_any=("CITEWELL_MODEL_SERVER", "OLLAMA_BASE_URL", "LM_STUDIO_BASE_URL"),
    rank=70,
)

_PATIENCE = 900.0  # seconds; a laptop writes slowly
_LENGTH = 4000  # tokens of a report


class _Message(Part):
    content: Maybe[str] = None


class _Choice(Part):
    message: Maybe[_Message] = None
    finish_reason: Maybe[str] = None


class _Tokens(Part):
    prompt_tokens: Maybe[int] = None
    completion_tokens: Maybe[int] = None


class _Answer(Part):
    model: Maybe[str] = None
    choices: Items[_Choice] = ()
    usage: Maybe[_Tokens] = None


class _Model(Part):
    id: str


class _Models(Part):
    data: Items[_Model] = ()


class Provider:
    idempotent = True  # it costs nothing to ask again

    def __init__(self, kit: Kit) -> None:
        self._upstream: Upstream = kit.upstream
        self._base = _address(kit)
        self._name = kit.option("CITEWELL_MODEL_NAME")
        key = kit.option("CITEWELL_MODEL_KEY")
        self._key = {"Authorization": f"Bearer {key}"} if key else {}

    def estimate(self, _ask: ResearchAsk) -> int:
        return 0

    async def submit(self, ask: ResearchAsk) -> Submission:
        """Written from the passages in `ask`: such a server has no eyes on the web."""
        if not ask.passages:
            message = "A model server can only write from passages, and the search found none."
            raise InvalidInput(message, provider=SPEC.name)
        report = await self._chat(briefs.PASSAGES, briefs.material(ask), length=_LENGTH)
        cited = briefs.numbered(report.text, ask.passages)
        return Submission(report=report.model_copy(update={"citations": cited}))

    async def write(self, writing: Writing) -> ProviderReport:
        return await self._chat(writing.instructions, writing.material, length=writing.max_tokens)

    async def _chat(self, instructions: str, material: str, *, length: int) -> ProviderReport:
        model = self._name or await self._first()
        request = {
            "model": model,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": material},
            ],
            "max_tokens": length,
            "temperature": 0,
            "stream": False,
        }
        response = await self._upstream.post(
            "/chat/completions",
            json=request,
            base_url=self._base,
            secret_headers=self._key,
            timeout=_PATIENCE,
            idempotent=False,
            accept=READ_HERE,
        )
        account = self._account(model)
        return _report(shaped(_Answer, body(response, account), account), model)

    async def _first(self) -> str:
        """The first model on offer; LM Studio and Ollama list those that are installed."""
        response = await self._upstream.get(
            "/models", base_url=self._base, secret_headers=self._key, accept=READ_HERE
        )
        account = self._account("")
        listed = shaped(_Models, body(response, account), account).data
        if not listed:
            message = "The model server lists no model: load one there, or set CITEWELL_MODEL_NAME."
            raise NotFound(message, provider=SPEC.name)
        return listed[0].id

    def _account(self, model: str) -> Account:
        return Account(
            provider=SPEC.name,
            title="The model server",
            model=model,
            model_setting="CITEWELL_MODEL_NAME",
        )


def _address(kit: Kit) -> str:
    if own := kit.option("CITEWELL_MODEL_SERVER"):
        return own.rstrip("/")
    vendor = kit.option("OLLAMA_BASE_URL") or kit.option("LM_STUDIO_BASE_URL")
    if vendor is None:
        return kit.upstream.base_url
    vendor = vendor.rstrip("/")
    return vendor if vendor.endswith("/v1") else f"{vendor}/v1"


def _report(answer: _Answer, model: str) -> ProviderReport:
    choice = answer.choices[0] if answer.choices else None
    text = choice.message.content if choice is not None and choice.message is not None else None
    if not text or choice is None:
        raise NotFound("The model server answered without a text.", provider=SPEC.name)
    tokens: Any = answer.usage or _Tokens()
    cut = choice.finish_reason == "length"
    return ProviderReport(
        provider=SPEC.name,
        model=answer.model or model,
        text=text,
        usage=Usage(
            input_tokens=max(0, tokens.prompt_tokens or 0),
            output_tokens=max(0, tokens.completion_tokens or 0),
        ),
        partial=cut,
        notes=("The text stops where the model's length ended.",) if cut else (),
    )
