"""The worker process that reads documents; it enters its sandbox before it reads any input."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from citewell.errors import CitewellError
from citewell.fetch.documents.document_text import Broken, TookTooMuch
from citewell.fetch.documents.readers_by_kind import read_document_request
from citewell.fetch.documents.workers import sandbox, worker_messages

_OUT_OF_MEMORY_MESSAGE = "Reading the document takes more memory than is allowed; it may be a bomb."
_TOO_DEEP_MESSAGE = "The document is nested too deeply."
_READING_FAILED_MESSAGE = "The document is damaged or malformed: reading it failed"


def run_worker() -> None:
    memory, parent = int(sys.argv[1]), int(sys.argv[2])
    source, sink = _take_over_pipes()
    sandbox.enter_sandbox(memory_bytes=memory, parent_pid=parent)
    while _serve_request(source, sink):
        pass


def _take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the server on new descriptors; output of libraries is discarded."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    return source, sink


def _serve_request(source: BinaryIO, sink: BinaryIO) -> bool:
    """Answer one request; False once the server has closed the pipe."""
    sizes = source.read(worker_messages.MESSAGE_SIZES.size)
    if len(sizes) < worker_messages.MESSAGE_SIZES.size:
        return False
    head_size, body_size = worker_messages.MESSAGE_SIZES.unpack(sizes)
    head, body = source.read(head_size), source.read(body_size)
    if len(body) < body_size:
        return False
    sink.write(_build_answer(head, body))
    sink.flush()
    return True


def _build_answer(head: bytes, body: bytes) -> bytes:
    """The encoded text or error; an error is encoded after the failed attempt's memory is freed."""
    try:
        return worker_messages.encode_document_text(
            read_document_request(worker_messages.decode_read_request(head, body))
        )
    except CitewellError as error:
        said = (type(error).__name__, error.message)
    except MemoryError:
        said = (TookTooMuch.__name__, _OUT_OF_MEMORY_MESSAGE)
    except RecursionError:
        said = (TookTooMuch.__name__, _TOO_DEEP_MESSAGE)
    except Exception as error:  # noqa: BLE001 - third-party parsers raise anything on a bad file
        said = (Broken.__name__, f"{_READING_FAILED_MESSAGE} ({type(error).__name__}).")
    return worker_messages.encode_worker_error(*said)


if __name__ == "__main__":
    run_worker()
