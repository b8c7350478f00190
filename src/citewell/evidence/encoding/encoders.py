"""Encoders of texts: the choice by settings, a model on this machine, or the `/embeddings` of a server."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from citewell.core.config import Settings
from citewell.core.errors import MalformedResponse, Misconfigured
from citewell.core.service_kit import ServiceKit
from citewell.core.settings import CoreSettings
from citewell.evidence.encoding.onnx_model import MAX_TEXT_CHARS, EncodedTexts, round_vector
from citewell.evidence.settings import EvidenceSettings
from citewell.net.settings import NetSettings
from citewell.net.upstream.json_responses import ResponsePart, TolerantItems
from citewell.net.upstream.upstream_client import Upstream
from citewell.net.url_grammar import is_loopback_address
from citewell.routing import upstream_refusals
from citewell.routing.ports import TextEncoder
from citewell.store.settings import StoreSettings
from citewell.workers.worker_tasks import FailureCause, TaskFailure, TaskRunner, WorkerTask

if TYPE_CHECKING:
    from citewell.workers.worker_pool import WorkerPool

TOKENIZER_FILE = "tokenizer.json"
MAX_MODEL_BYTES = 2**31  # the most that one file of the format can hold
# Quantized models first: they are several times smaller and as good for ranking.
_MODEL_FILES = (
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "model.onnx",
    "onnx/model.onnx",
)
_OTHER_MODELS_PATTERN = "onnx/model_*.onnx"
_POOLING_FILE = "1_Pooling/config.json"  # as sentence-transformers writes it
_NAME_DIGITS = 16

TEXTS_PER_TASK = 16  # about half a second of work, after which another caller may have its turn
MODEL_TASK_SECONDS = 60.0  # of processor time; the caller's own limit is usually shorter
_WORKING_BYTES = 2**30  # the libraries and what one text takes
_LOADED_BYTES_FACTOR = 4  # a model is unpacked when it is loaded, and rearranged
_IDLE_SECONDS = 120.0  # a loaded model is a few hundred megabytes
MODEL_FAULTS_BY_CAUSE = {
    FailureCause.TIME: f"took longer than {MODEL_TASK_SECONDS:g} seconds for a few texts",
    FailureCause.MEMORY: "needs more memory than it may have",
    FailureCause.DEPTH: "is nested too deeply",
    FailureCause.CRASH: "ended its process",
    FailureCause.BUG: "could not be run",
}
_EMBED_TASK: WorkerTask[EncodedTexts] = WorkerTask(
    "citewell.evidence.encoding.onnx_model:embed_model_texts", EncodedTexts
)

ENCODER_UPSTREAM = "encoder"  # the name of its connection, in errors and in the diagnosis
TEXTS_PER_REQUEST = 64  # the API allows 2,048; small servers hold all of them in memory
_MAX_SERVER_CHARS = 4000  # servers refuse what is longer than their model reads
_REQUEST_SECONDS = 60.0  # a server may have to load its model first
_MAX_ANSWER_BYTES = 32 * 2**20
_BLANK_TEXT = "."  # the API refuses an empty text

_AUTO_WORDS = frozenset({"", "auto"})
_OFF_WORDS = frozenset({"off", "none", "false", "no", "0"})
_DOWNLOADED_FOLDER = "encoder"  # in the data directory


def find_server_address(settings: Settings) -> str | None:
    """The address of the embeddings server; None if the settings name none."""
    chosen = settings[EvidenceSettings].encoder.strip()
    is_address = chosen.lower().startswith(("http://", "https://"))
    return chosen.rstrip("/") if is_address else None


def find_model_folder(settings: Settings) -> Path | None:
    """The folder of the local model; None if there is none, or if a server or no encoder is chosen."""
    chosen = settings[EvidenceSettings].encoder.strip()
    if find_server_address(settings) or chosen.lower() in _OFF_WORDS:
        return None
    if chosen.lower() not in _AUTO_WORDS:
        return Path(chosen).expanduser()
    folder = locate_downloaded_encoder(settings)
    return folder if (folder / TOKENIZER_FILE).is_file() else None


def locate_downloaded_encoder(settings: Settings) -> Path:
    """Where `citewell data encoder` puts its model, whether it is there or not."""
    return settings[StoreSettings].data_path / _DOWNLOADED_FOLDER


def is_own_machine(address: str, settings: Settings) -> bool:
    """Whether what is sent to this address stays on this machine: it is loopback, and has no proxy."""
    return is_loopback_address(address) and not settings[NetSettings].outbound_proxy


async def open_chosen_encoder(kit: ServiceKit) -> TextEncoder | None:
    """The encoder that the settings choose; None if they choose none, Misconfigured if it is broken."""
    if address := find_server_address(kit.settings):
        if kit.settings[CoreSettings].is_sealed and not is_own_machine(address, kit.settings):
            return None  # it would be given the query
        return _open_server_encoder(kit, address)
    folder = find_model_folder(kit.settings)
    if folder is None:
        return None
    opened = await asyncio.to_thread(open_encoder_folder, folder)
    return LocalEncoder(opened, open_model_workers(opened.model_bytes))


def _open_server_encoder(kit: ServiceKit, address: str) -> TextEncoder:
    settings = kit.settings
    evidence_settings = settings[EvidenceSettings]
    kit.network.guard.trust_service(address)
    return ServerEncoder(
        kit.network.open_upstream(ENCODER_UPSTREAM, base_url=address),
        model=evidence_settings.encoder_model or "",
        key=evidence_settings.encoder_key,
        is_local=is_own_machine(address, settings),
    )


# An encoder behind the `/embeddings` of an OpenAI-compatible server (Ollama, LM Studio, vLLM).


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
        asked = [text[:_MAX_SERVER_CHARS].strip() or _BLANK_TEXT for text in texts]
        response = await self._upstream.send_post(
            "/embeddings",
            json={"model": self._model, "input": asked, "encoding_format": "float"},
            secret_headers=self._key,
            timeout=_REQUEST_SECONDS,
            max_bytes=_MAX_ANSWER_BYTES,
            accept=upstream_refusals.EXPLAINED_STATUSES,
        )
        account = upstream_refusals.PaidAccount(
            provider=ENCODER_UPSTREAM,
            title="The encoder's server",
            model=self._model,
            model_setting="CITEWELL_ENCODER_MODEL",
        )
        answer = upstream_refusals.validate_response(
            _EmbeddingList, upstream_refusals.read_paid_response(response, account), account
        )
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


# An encoder whose model runs on this machine, in a worker process of its own.


class LocalEncoder:
    """The encoder of a folder; texts are sent to its process a few at a time."""

    is_local = True

    def __init__(self, folder: EncoderFolder, workers: TaskRunner) -> None:
        self.name = folder.name
        self._folder = folder
        self._workers = workers

    async def embed_texts(self, texts: Sequence[str]) -> tuple[bytes, ...]:
        vectors: list[bytes] = []
        for start in range(0, len(texts), TEXTS_PER_TASK):
            vectors += await self._embed_batch(texts[start : start + TEXTS_PER_TASK])
        return tuple(vectors)

    async def _embed_batch(self, texts: Sequence[str]) -> list[bytes]:
        try:
            answer = await self._workers.run_task(
                _EMBED_TASK,
                limit_seconds=MODEL_TASK_SECONDS,
                model_file=str(self._folder.model_file),
                tokenizer_file=str(self._folder.tokenizer_file),
                texts=tuple(text[:MAX_TEXT_CHARS] for text in texts),
                takes_first=self._folder.takes_first,
            )
        except TaskFailure as failure:
            raise Misconfigured(
                f"The encoder's model {MODEL_FAULTS_BY_CAUSE[failure.cause]}.",
                action="inform_user",
                detail=failure.place or None,
                settings=("CITEWELL_ENCODER",),
            ) from None
        raw, size = base64.b64decode(answer.packed), answer.dimensions
        if not size or len(raw) != len(texts) * size:
            raise MalformedResponse("The encoder's process answered with too few vectors.")
        return [raw[start : start + size] for start in range(0, len(raw), size)]

    async def aclose(self) -> None:
        await self._workers.aclose()


def open_model_workers(model_bytes: int) -> WorkerPool:
    """A process for one model of this size, with no other task."""
    from citewell.workers.encoder_process import ENCODER_MODULE
    from citewell.workers.worker_pool import WorkerLimits, WorkerPool

    memory = _WORKING_BYTES + _LOADED_BYTES_FACTOR * model_bytes
    limits = WorkerLimits(
        count=1,  # a second process would hold the model a second time
        memory_bytes=memory,
        idle_seconds=_IDLE_SECONDS,
        last_idle_seconds=_IDLE_SECONDS,
        max_growth_bytes=memory,
        slow_seconds=MODEL_TASK_SECONDS,
    )
    return WorkerPool(limits, module=ENCODER_MODULE)


# Finds the files of an encoder in a folder, in the layouts that models are published in.


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderFolder:
    """The files of one model, and how a vector is made from its output."""

    model_file: Path
    tokenizer_file: Path
    takes_first: bool  # the vector of the first token stands for the text, not the mean of all
    name: str  # changes with the content of the files

    @property
    def model_bytes(self) -> int:
        return self.model_file.stat().st_size


def open_encoder_folder(folder: Path) -> EncoderFolder:
    """The encoder in `folder`; raises Misconfigured if a file is missing or cannot be read."""
    try:
        model = _find_model_file(folder)
        tokenizer = folder / TOKENIZER_FILE
        takes_first = _prefers_first_token(folder)
        name = _build_content_name(model, tokenizer, takes_first=takes_first)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "a file in it is damaged"
        raise build_folder_error(folder, reason) from None
    return EncoderFolder(
        model_file=model, tokenizer_file=tokenizer, takes_first=takes_first, name=name
    )


def build_folder_error(folder: Path, reason: str) -> Misconfigured:
    """The error for a folder that cannot be used, with what to do about it."""
    return Misconfigured(
        f"The encoder in {folder} cannot be used: {reason}.",
        action="inform_user",
        settings=("CITEWELL_ENCODER",),
        remedy="CITEWELL_ENCODER=<a folder with model.onnx and tokenizer.json>",
    )


def _find_model_file(folder: Path) -> Path:
    named = (folder / name for name in _MODEL_FILES)
    others = sorted(folder.glob(_OTHER_MODELS_PATTERN))
    found = next((path for path in (*named, *others) if path.is_file()), None)
    if found is None:
        raise build_folder_error(folder, "it has no model.onnx")
    if found.stat().st_size > MAX_MODEL_BYTES:
        raise build_folder_error(folder, "its model is larger than 2 GB")
    if not (folder / TOKENIZER_FILE).is_file():
        raise build_folder_error(folder, f"it has no {TOKENIZER_FILE}")
    return found


def _prefers_first_token(folder: Path) -> bool:
    path = folder / _POOLING_FILE
    if not path.is_file():
        return False
    config = json.loads(path.read_text(encoding="utf-8"))
    return isinstance(config, dict) and config.get("pooling_mode_cls_token") is True


def _build_content_name(model: Path, tokenizer: Path, *, takes_first: bool) -> str:
    digest = hashlib.sha256(b"first" if takes_first else b"mean")
    for path in (model, tokenizer):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"onnx-{digest.hexdigest()[:_NAME_DIGITS]}"
