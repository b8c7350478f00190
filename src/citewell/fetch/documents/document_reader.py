"""Reads a document's bytes as markdown text; the entry point of this package."""

from __future__ import annotations

from citewell.errors import CitewellError, FailureReason
from citewell.fetch.documents.document_text import (
    DocumentLimits,
    DocumentText,
    TookTooMuch,
    UnreadableDocument,
)
from citewell.fetch.documents.readers_by_kind import DocumentRequest
from citewell.fetch.documents.workers.worker_pool import WorkerPool
from citewell.text.safety.secret_masking import mask_secrets


async def read_document(
    body: bytes,
    *,
    url: str,
    content_type: str,
    limits: DocumentLimits,
    pages: str | None = None,
    workers: WorkerPool | None = None,
) -> DocumentText:
    """The text as markdown. Without `workers`, a process is started for this document alone.

    Raises a subclass of UnreadableDocument (encrypted, scanned, broken, unsupported),
    TookTooMuch over a limit, and InvalidInput for page ranges that cannot be used.
    """
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
    job = DocumentRequest(body, url, content_type, limits, pages)
    try:
        if workers is not None:
            return await workers.read_in_worker(job)
        async with WorkerPool(limits, most=1) as alone:
            return await alone.read_in_worker(job)
    except (UnreadableDocument, TookTooMuch) as error:
        raise _add_address_to_error(error, url) from None


def _add_address_to_error(error: CitewellError, url: str) -> CitewellError:
    """The same error with the address in its message, in the form that other page errors have."""
    said = f"No content extracted from {mask_secrets(url)}. {error.message}"
    return type(error)(said, detail=error.message.rstrip("."), reason=error.reason)
