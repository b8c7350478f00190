"""Turns the bytes of a document into text: the door of this package."""

from __future__ import annotations

from citewell.errors import CitewellError
from citewell.fetch.documents.document import DocumentText, Limits, TookTooMuch, Unreadable
from citewell.fetch.documents.pool import Workers
from citewell.fetch.documents.readers import Job
from citewell.text.secrets import masked


async def read_document(
    body: bytes,
    *,
    url: str,
    content_type: str,
    limits: Limits,
    pages: str | None = None,
    workers: Workers | None = None,
) -> DocumentText:
    """The text as markdown. Without `workers` a process is started for this document alone.

    Raises Encrypted, Scanned, Broken, Unsupported or TookTooMuch (kinds of ContentEmpty and
    TooLarge), and InvalidInput for page ranges that cannot be used.
    """
    if not body:
        raise Unreadable(
            f"No content extracted from {masked(url)}. The file is empty.", detail="empty"
        )
    if len(body) > limits.max_bytes:
        raise TookTooMuch(
            f"No content extracted from {masked(url)}. It is larger than {limits.max_bytes} bytes (MAX_DOCUMENT_BYTES).",
            detail=f"over {limits.max_bytes} bytes",
        )
    job = Job(body, url, content_type, limits, pages)
    try:
        if workers is not None:
            return await workers.read(job)
        async with Workers(limits, most=1) as alone:
            return await alone.read(job)
    except (Unreadable, TookTooMuch) as error:
        raise _about(error, url) from None


def _about(error: CitewellError, url: str) -> CitewellError:
    """The same complaint with the address in front, as the other readers of pages say it."""
    said = f"No content extracted from {masked(url)}. {error.message}"
    return type(error)(said, detail=error.message.rstrip("."))
