"""Opens documents that are ZIP archives, and refuses ZIP bombs."""

from __future__ import annotations

import io
import zipfile
import zlib

from citewell.fetch.decoding.zip_directory import list_zip_names
from citewell.fetch.documents.document_text import (
    Broken,
    DocumentLimits,
    EncryptedDocument,
    TookTooMuch,
)
from citewell.model.counted_words import pluralize

_RATIO_CHECK_BYTES = 2**20  # smaller members are harmless at any compression ratio
_READ_CHUNK_BYTES = 2**16


class ZipDocument:
    """Members by name. Bytes are counted while unpacking, since the directory may give wrong sizes."""

    def __init__(self, body: bytes, limits: DocumentLimits) -> None:
        _check_member_count(body, limits)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise Broken("The file is a damaged ZIP archive; it may have been cut off.") from error
        self._left = limits.max_unpacked
        self._members = {info.filename: info for info in self._zip.infolist()}
        self._check_limits(limits)

    def _check_limits(self, limits: DocumentLimits) -> None:
        infos = self._zip.infolist()
        total = sum(info.file_size for info in infos)
        if total > limits.max_unpacked:
            raise TookTooMuch(
                f"The archive would unpack to {total} {pluralize(total, 'byte')}; it may be a ZIP bomb."
            )
        for info in infos:
            packed = max(info.compress_size, 1)
            if info.file_size > _RATIO_CHECK_BYTES and info.file_size / packed > limits.max_ratio:
                raise TookTooMuch("An archive member is compressed too far; it may be a ZIP bomb.")
        if any(info.flag_bits & 1 for info in infos):
            raise EncryptedDocument("The archive is encrypted and opens only with a password.")

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def read_member(self, name: str) -> bytes:
        """One member's bytes; raises Broken if missing or damaged, TookTooMuch if over the limit."""
        info = self._members.get(name) or self._members.get(name.lstrip("/"))
        if info is None:
            raise Broken(f"The document has no part {name[:100]}.")
        pieces: list[bytes] = []
        try:
            with self._zip.open(info) as stream:
                while piece := stream.read(_READ_CHUNK_BYTES):
                    self._left -= len(piece)
                    if self._left < 0:
                        raise TookTooMuch("The unpacked archive is too big; it may be a ZIP bomb.")
                    pieces.append(piece)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise Broken(f"The document's part {name[:100]} is damaged.") from error
        return b"".join(pieces)

    def find_member(self, name: str) -> bytes | None:
        """One member's bytes, or None if the archive does not have it."""
        return self.read_member(name) if name in self._members else None


def _check_member_count(body: bytes, limits: DocumentLimits) -> None:
    """Refuse an archive of too many members before any of them is looked at."""
    listing = list_zip_names(body, most=limits.max_members)
    if listing is not None and not listing.is_whole:
        count = max(listing.declared_count, limits.max_members + 1)
        raise TookTooMuch(
            f"The archive holds {count} {pluralize(count, 'file')}, more than are allowed."
        )
