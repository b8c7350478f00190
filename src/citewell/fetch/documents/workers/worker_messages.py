"""The wire format between the server and a worker: a JSON header, then the document's bytes."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any

from citewell.errors import CitewellError, InvalidInput
from citewell.fetch.documents import document_text
from citewell.fetch.documents.document_text import DocumentLimits, DocumentText, UnreadableDocument
from citewell.fetch.documents.readers_by_kind import DocumentRequest

MESSAGE_SIZES = struct.Struct("<II")  # bytes of the header and of the body

_ERRORS_BY_NAME: dict[str, type[CitewellError]] = {
    kind.__name__: kind
    for kind in (
        document_text.EncryptedDocument, document_text.ScannedDocument, document_text.Broken, document_text.UnsupportedDocument,
        document_text.TookTooMuch, InvalidInput,
    )
}  # fmt: skip


def encode_read_request(job: DocumentRequest) -> bytes:
    head = {
        "url": job.url,
        "content_type": job.content_type,
        "pages": job.pages,
        "limits": asdict(job.limits),
    }
    encoded = json.dumps(head).encode()
    return MESSAGE_SIZES.pack(len(encoded), len(job.body)) + encoded


def decode_read_request(head: bytes, body: bytes) -> DocumentRequest:
    said = json.loads(head)
    return DocumentRequest(
        body, said["url"], said["content_type"], DocumentLimits(**said["limits"]), said["pages"]
    )


def encode_document_text(text: DocumentText) -> bytes:
    return _encode_worker_message({"text": asdict(text)})


def encode_worker_error(name: str, message: str) -> bytes:
    return _encode_worker_message({"error": name, "message": message})


def _encode_worker_message(value: dict[str, Any]) -> bytes:
    encoded = json.dumps(value).encode()
    return MESSAGE_SIZES.pack(len(encoded), 0) + encoded


def decode_worker_answer(raw: bytes) -> DocumentText:
    """The document's text; raises the error that the worker reported."""
    said = json.loads(raw)
    if "text" in said:
        fields = said["text"]
        return DocumentText(**(fields | {"notes": tuple(fields["notes"])}))
    raise _ERRORS_BY_NAME.get(said["error"], UnreadableDocument)(said["message"])
