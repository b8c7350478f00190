"""An encoder whose model runs on this machine, in a worker process of its own."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING

from citewell.errors import MalformedResponse, Misconfigured
from citewell.services.encoding.encoder_folder import EncoderFolder
from citewell.services.encoding.onnx_model import MAX_TEXT_CHARS, EncodedTexts
from citewell.workers.worker_tasks import FailureCause, TaskFailure, TaskRunner, WorkerTask

if TYPE_CHECKING:
    from citewell.workers.worker_pool import WorkerPool

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
    "citewell.services.encoding.onnx_model:embed_model_texts", EncodedTexts
)


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
        return _split_vectors(answer, len(texts))

    async def aclose(self) -> None:
        await self._workers.aclose()


def open_encoder_workers(folder: EncoderFolder) -> WorkerPool:
    """The process that holds the model of `folder`; it starts with the first text."""
    return open_model_workers(folder.model_bytes)


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


def _split_vectors(answer: EncodedTexts, count: int) -> list[bytes]:
    raw, size = base64.b64decode(answer.packed), answer.dimensions
    if not size or len(raw) != count * size:
        raise MalformedResponse("The encoder's process answered with too few vectors.")
    return [raw[start : start + size] for start in range(0, len(raw), size)]
