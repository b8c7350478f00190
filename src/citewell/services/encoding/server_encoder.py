"""An encoder behind the `/embeddings` of an OpenAI-compatible server (Ollama, LM Studio, vLLM)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

from citewell.dialects.json_responses import ResponsePart, TolerantItems
from citewell.dialects.paid_apis import (
    EXPLAINED_STATUSES,
    PaidAccount,
    read_paid_response,
    validate_response,
)
from citewell.errors import MalformedResponse
from citewell.net.upstream.upstream_client import Upstream
from citewell.text.evidence.vector_similarity import round_vector

ENCODER_UPSTREAM = "encoder"  # the name of its connection, in errors and in the diagnosis
TEXTS_PER_REQUEST = 64  # the API allows 2,048; small servers hold all of them in memory
MAX_TEXT_CHARS = 4000  # servers refuse what is longer than their model reads
_REQUEST_SECONDS = 60.0  # a server may have to load its model first
_MAX_ANSWER_BYTES = 32 * 2**20
_BLANK_TEXT = "."  # the API refuses an empty text
_NAME_DIGITS = 16


class _EmbeddingItem(ResponsePart):
    index: int
    embedding: tuple[float, ...]


class _EmbeddingList(ResponsePart):
    data: TolerantItems[_EmbeddingItem] = ()


class ServerEncoder:
    """Asks a server for vectors; errors name the setting to change where there is one."""

    def __init__(self, upstream: Upstream, *, model: str, key: str | None, is_local: bool) -> None:
        """`model` may be empty for a server that has only one."""
        place = hashlib.sha256(f"{upstream.base_url}\n{model}".encode())
        self.name = f"server-{place.hexdigest()[:_NAME_DIGITS]}"
        self.is_local = is_local
        self._upstream = upstream
        self._model = model
        self._key = {"Authorization": f"Bearer {key}"} if key else {}

    async def embed_texts(self, texts: Sequence[str]) -> tuple[bytes, ...]:
        vectors: list[bytes] = []
        for start in range(0, len(texts), TEXTS_PER_REQUEST):
            vectors += await self._request_vectors(texts[start : start + TEXTS_PER_REQUEST])
        return tuple(vectors)

    async def _request_vectors(self, texts: Sequence[str]) -> list[bytes]:
        asked = [text[:MAX_TEXT_CHARS].strip() or _BLANK_TEXT for text in texts]
        response = await self._upstream.send_post(
            "/embeddings",
            json={"model": self._model, "input": asked, "encoding_format": "float"},
            secret_headers=self._key,
            timeout=_REQUEST_SECONDS,
            max_bytes=_MAX_ANSWER_BYTES,
            accept=EXPLAINED_STATUSES,
        )
        account = PaidAccount(
            provider=ENCODER_UPSTREAM,
            title="The encoder's server",
            model=self._model,
            model_setting="CITEWELL_ENCODER_MODEL",
        )
        answer = validate_response(_EmbeddingList, read_paid_response(response, account), account)
        return _order_vectors(answer, len(texts))


def _order_vectors(answer: _EmbeddingList, count: int) -> list[bytes]:
    """The vectors in the order of the texts; MalformedResponse unless there is one for each."""
    found = {item.index: item.embedding for item in answer.data}
    sizes = {len(vector) for vector in found.values()}
    if sorted(found) != list(range(count)) or len(sizes) != 1 or 0 in sizes:
        raise MalformedResponse(
            "The encoder's server sent other vectors than were asked for.",
            provider=ENCODER_UPSTREAM,
        )
    if not all(math.isfinite(value) for vector in found.values() for value in vector):
        raise MalformedResponse(
            "The encoder's server sent a vector without numbers.", provider=ENCODER_UPSTREAM
        )
    return [round_vector(found[index]) for index in range(count)]
