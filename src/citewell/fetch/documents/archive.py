"""Opens a document that is a ZIP archive, and refuses one that is made to blow up."""

from __future__ import annotations

import io
import zipfile
import zlib

from citewell.fetch.documents.document import Broken, Encrypted, Limits, TookTooMuch

_WORTH_A_LOOK = 2**20  # a member smaller than this cannot hurt, however well it packs
_CHUNK = 2**16


class Archive:
    """Members by name, read within the limits whatever the directory claims about their sizes."""

    def __init__(self, body: bytes, limits: Limits) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise Broken("The file is a damaged ZIP archive; it may have been cut off.") from error
        self._left = limits.max_unpacked
        self._members = {info.filename: info for info in self._zip.infolist()}
        self._check(limits)

    def _check(self, limits: Limits) -> None:
        infos = self._zip.infolist()
        if len(infos) > limits.max_members:
            raise TookTooMuch(f"The archive holds {len(infos)} files, which no document needs.")
        total = sum(info.file_size for info in infos)
        if total > limits.max_unpacked:
            raise TookTooMuch(f"The archive would unpack to {total} bytes; it is taken for a bomb.")
        for info in infos:
            packed = max(info.compress_size, 1)
            if info.file_size > _WORTH_A_LOOK and info.file_size / packed > limits.max_ratio:
                raise TookTooMuch("A part of the archive is packed beyond all measure: a ZIP bomb.")
        if any(info.flag_bits & 1 for info in infos):
            raise Encrypted("The archive is encrypted and opens only with a password.")

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self) -> list[str]:
        return list(self._members)

    def read(self, name: str) -> bytes:
        """One member; Broken when it is missing or damaged."""
        info = self._members.get(name) or self._members.get(name.lstrip("/"))
        if info is None:
            raise Broken(f"The document lacks its part {name[:100]}.")
        pieces: list[bytes] = []
        try:
            with self._zip.open(info) as stream:
                while piece := stream.read(_CHUNK):
                    self._left -= len(piece)
                    if self._left < 0:
                        raise TookTooMuch("The archive unpacks to more than it claims: a ZIP bomb.")
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

    def read_or_none(self, name: str) -> bytes | None:
        """One member that a document may do without."""
        return self.read(name) if name in self._members else None
