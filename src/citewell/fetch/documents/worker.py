"""The process that reads documents: fenced in before it sees the first byte of one."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from citewell.errors import CitewellError
from citewell.fetch.documents import fence, frames
from citewell.fetch.documents.readers import read

_OUT_OF_MEMORY = "Reading the document takes more memory than is allowed; it may be a bomb."
_TOO_DEEP = "The document is nested beyond all measure."
_FAILED = "The document is damaged or malformed: reading it failed"


def main() -> None:
    memory, parent = int(sys.argv[1]), int(sys.argv[2])
    source, sink = _own_pipes()
    fence.close(memory=memory, parent=parent)
    while _serve(source, sink):
        pass


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the server under other numbers: whatever a library prints goes nowhere."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    return source, sink


def _serve(source: BinaryIO, sink: BinaryIO) -> bool:
    """One document; False when the server has closed the pipe or is gone."""
    sizes = source.read(frames.SIZES.size)
    if len(sizes) < frames.SIZES.size:
        return False
    head_size, body_size = frames.SIZES.unpack(sizes)
    head, body = source.read(head_size), source.read(body_size)
    if len(body) < body_size:
        return False
    sink.write(_answer(head, body))
    sink.flush()
    return True


def _answer(head: bytes, body: bytes) -> bytes:
    """The text or what went wrong, said only once the failed attempt's memory is free again."""
    try:
        return frames.pack_text(read(frames.unpack_job(head, body)))
    except CitewellError as error:
        said = (type(error).__name__, error.message)
    except MemoryError:
        said = ("TookTooMuch", _OUT_OF_MEMORY)
    except RecursionError:
        said = ("TookTooMuch", _TOO_DEEP)
    except Exception as error:  # noqa: BLE001 - parsers of others raise anything on a hostile file
        said = ("Broken", f"{_FAILED} ({type(error).__name__}).")
    return frames.pack_error(*said)


if __name__ == "__main__":
    main()
