"""The bytes that pass between the server and a worker: a JSON head, then the document itself."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any

from citewell.errors import CitewellError, InvalidInput
from citewell.fetch.documents import document
from citewell.fetch.documents.document import DocumentText, Limits, Unreadable
from citewell.fetch.documents.readers import Job

SIZES = struct.Struct("<II")  # of the head and of the body

_ERRORS: dict[str, type[CitewellError]] = {
    kind.__name__: kind
    for kind in (
        document.Encrypted, document.Scanned, document.Broken, document.Unsupported,
        document.TookTooMuch, InvalidInput,
    )
}  # fmt: skip


def pack_job(job: Job) -> bytes:
    head = {
        "url": job.url,
        "content_type": job.content_type,
        "pages": job.pages,
        "limits": asdict(job.limits),
    }
    encoded = json.dumps(head).encode()
    return SIZES.pack(len(encoded), len(job.body)) + encoded


def unpack_job(head: bytes, body: bytes) -> Job:
    said = json.loads(head)
    return Job(body, said["url"], said["content_type"], Limits(**said["limits"]), said["pages"])


def pack_text(text: DocumentText) -> bytes:
    return _answer({"text": asdict(text)})


def pack_error(name: str, message: str) -> bytes:
    return _answer({"error": name, "message": message})


def _answer(value: dict[str, Any]) -> bytes:
    encoded = json.dumps(value).encode()
    return SIZES.pack(len(encoded), 0) + encoded


def unpack_answer(raw: bytes) -> DocumentText:
    """The text, or the worker's error raised here."""
    said = json.loads(raw)
    if "text" in said:
        fields = said["text"]
        return DocumentText(**(fields | {"notes": tuple(fields["notes"])}))
    raise _ERRORS.get(said["error"], Unreadable)(said["message"])
