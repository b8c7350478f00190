"""Opens the containers of old Office documents, with the errors of documents."""

from __future__ import annotations

from citewell.fetch.decoding.compound_file import CompoundFile, DamagedContainer
from citewell.fetch.documents.document_text import Broken


def open_ole_document(body: bytes) -> CompoundFile:
    try:
        return CompoundFile(body)
    except DamagedContainer as error:
        raise Broken(str(error)) from error
