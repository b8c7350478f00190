"""Downloads the encoder that we recommend: files of a known hash, whole or not at all."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from citewell.errors import InvalidInput, Misconfigured
from citewell.net.http.file_downloads import FileDownloader
from citewell.net.http.messages import HttpRequest
from citewell.tooling import ProgressCallback

DOWNLOAD_SECONDS = 900.0  # seconds for one file
_REPORT_SECONDS = 0.5
_BYTES_PER_MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedFile:
    path: str  # in the publisher's repository
    name: str  # in our folder
    size: int  # bytes
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedModel:
    """A model at one revision of its repository, and what its files must be."""

    title: str
    license: str
    repository: str
    revision: str
    files: tuple[PinnedFile, ...]

    @property
    def total_bytes(self) -> int:
        return sum(file.size for file in self.files)

    def describe_model(self) -> str:
        size = f"{self.total_bytes / _BYTES_PER_MB:.1f} MB"
        return f"{self.title} ({self.license}), {size}"


# docs/decisions/0013-encoder.md says why this one, and where the hashes were compared.
RECOMMENDED_MODEL = PinnedModel(
    title="all-MiniLM-L6-v2, quantized to 8 bits",
    license="Apache-2.0",
    repository="Xenova/all-MiniLM-L6-v2",
    revision="751bff37182d3f1213fa05d7196b954e230abad9",
    files=(
        PinnedFile(
            path="onnx/model_quantized.onnx",
            name="model_quantized.onnx",
            size=22_972_370,
            sha256="afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
        ),
        PinnedFile(
            path="tokenizer.json",
            name="tokenizer.json",
            size=711_661,
            sha256="da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
        ),
    ),
)


class ModelDownload:
    """Puts a model into a folder; until all of its files are there and right, the folder is as it was."""

    def __init__(
        self,
        downloads: FileDownloader,
        *,
        base_url: str,
        folder: Path,
        model: PinnedModel | None = None,
    ) -> None:
        self.model = model or RECOMMENDED_MODEL
        self.folder = folder
        self._downloads = downloads
        self._base_url = base_url.rstrip("/")

    def has_model(self) -> bool:
        """Whether the folder holds exactly this model."""
        return all(_has_content(self.folder / file.name, file) for file in self.model.files)

    async def install_model(self, *, report: ProgressCallback) -> None:
        """Download the model. Raises InvalidInput for a file with another hash, and NetworkFailed."""
        scratch = await asyncio.to_thread(_make_scratch_folder, self.folder)
        try:
            for file in self.model.files:
                await self._download_file(file, scratch / file.name, report)
            await asyncio.to_thread(_replace_folder, self.folder, scratch)
        finally:
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)

    def remove_model(self) -> bool:
        """Delete the folder; False if there was none."""
        if not self.folder.is_dir():
            return False
        shutil.rmtree(self.folder)
        return True

    def build_file_address(self, file: PinnedFile) -> str:
        model = self.model
        return f"{self._base_url}/{model.repository}/resolve/{model.revision}/{file.path}"

    async def _download_file(
        self, wanted: PinnedFile, path: Path, report: ProgressCallback
    ) -> None:
        done = 0

        def count_bytes(so_far: int, _total: int | None) -> None:
            nonlocal done
            done = so_far

        address = self.build_file_address(wanted)
        request = HttpRequest(url=address, timeout=DOWNLOAD_SECONDS, max_bytes=wanted.size)
        with await asyncio.to_thread(path.open, "wb") as target:
            fetching = asyncio.create_task(
                self._downloads.download_file(request, target, progress=count_bytes)
            )
            try:
                while not (await asyncio.wait([fetching], timeout=_REPORT_SECONDS))[0]:
                    so_far, total = done / _BYTES_PER_MB, wanted.size / _BYTES_PER_MB
                    await report(so_far, total, f"Fetching {wanted.name}, in MB")
            finally:
                fetching.cancel()
            await fetching
        if not await asyncio.to_thread(_has_content, path, wanted):
            raise InvalidInput(
                f"{address} is another file than expected: its SHA-256 is not"
                f" {wanted.sha256[:12]}…. Nothing was changed."
            )


def _has_content(path: Path, wanted: PinnedFile) -> bool:
    if not path.is_file() or path.stat().st_size != wanted.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == wanted.sha256


def _make_scratch_folder(folder: Path) -> Path:
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise Misconfigured(
            f"Nothing can be written into {folder.parent}: {error.strerror}.",
            action="inform_user",
            settings=("CITEWELL_DATA_DIR",),
        ) from None


def _replace_folder(folder: Path, scratch: Path) -> None:
    """Move the new folder to its place; a program that reads the old one meanwhile keeps its files."""
    if folder.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        folder.replace(old / folder.name)
        scratch.replace(folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        scratch.replace(folder)
