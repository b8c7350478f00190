"""Reads a document's bytes as markdown text; the entry point of this package."""

from __future__ import annotations

import logging

from citewell.core.errors import CitewellError, FailureReason
from citewell.reading.documents import document_text
from citewell.reading.documents.document_text import (
    Broken,
    DocumentLimits,
    DocumentRequest,
    DocumentText,
    TookTooMuch,
    UnreadableDocument,
)
from citewell.text.safety.secret_masking import mask_secrets
from citewell.workers.worker_pool import WorkerLimits, WorkerPool
from citewell.workers.worker_tasks import FailureCause, TaskFailure, TaskRunner, WorkerTask

logger = logging.getLogger(__name__)

DOCUMENT_ERRORS = tuple(
    kind
    for kind in vars(document_text).values()
    if isinstance(kind, type) and issubclass(kind, CitewellError)
)
_READ_BODY: WorkerTask[DocumentText] = WorkerTask(
    "citewell.reading.documents.readers_by_kind:read_document_body", DocumentText, DOCUMENT_ERRORS
)


async def read_document(
    body: bytes,
    *,
    url: str,
    content_type: str,
    limits: DocumentLimits,
    pages: str | None = None,
    workers: TaskRunner | None = None,
) -> DocumentText:
    """The text as markdown. Without `workers`, a process is started for this document alone.

    Raises a subclass of UnreadableDocument (encrypted, scanned, broken, unsupported),
    TookTooMuch over a limit, and InvalidInput for page ranges that cannot be used.
    """
    check_document_size(body, url, limits)
    job = DocumentRequest(body, url, content_type, limits, pages)
    try:
        if workers is not None:
            return await _read_in_worker(workers, job)
        async with WorkerPool(WorkerLimits(count=1, memory_bytes=limits.memory)) as alone:
            return await _read_in_worker(alone, job)
    except (UnreadableDocument, TookTooMuch) as error:
        raise add_address_to_error(error, url) from None


async def _read_in_worker(workers: TaskRunner, job: DocumentRequest) -> DocumentText:
    try:
        return await workers.run_task(_READ_BODY, limit_seconds=job.limits.timeout, **job._asdict())
    except TaskFailure as failure:
        raise convert_task_failure(failure) from None


def convert_task_failure(failure: TaskFailure) -> UnreadableDocument | TookTooMuch:
    """The failure of a worker as an error about the document."""
    if failure.cause is FailureCause.BUG:
        logger.error("reading a document failed: %s", failure.place)
        kind = failure.place.partition(" ")[0]
        return Broken(f"The document is damaged or malformed: reading it failed ({kind}).")
    return (Broken if failure.cause is FailureCause.CRASH else TookTooMuch)(failure.message)


def check_document_size(body: bytes, url: str, limits: DocumentLimits) -> None:
    """Raise UnreadableDocument for an empty body, TookTooMuch for one over the limit."""
    if not body:
        raise UnreadableDocument(
            f"No content extracted from {mask_secrets(url)}. The file is empty.",
            detail="empty",
            reason=FailureReason.EMPTY_FILE,
        )
    if len(body) > limits.max_bytes:
        raise TookTooMuch(
            f"No content extracted from {mask_secrets(url)}. It is larger than {limits.max_bytes} bytes (MAX_DOCUMENT_BYTES).",
            detail=f"over {limits.max_bytes} bytes",
        )


def add_address_to_error(error: CitewellError, url: str) -> CitewellError:
    """The same error with the address in its message, in the form that other page errors have."""
    message = f"No content extracted from {mask_secrets(url)}. {error.message}"
    return type(error)(message, detail=error.message.rstrip("."), reason=error.reason)
