"""The download of the recommended encoder: the pinned files, whole or not at all."""

from __future__ import annotations

import asyncio
import hashlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from citewell.core import config
from citewell.core.errors import CitewellError, InvalidInput
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.http.file_downloads import FileDownloader
from citewell.server.commands import data
from citewell.server.commands.data import (
    RECOMMENDED_MODEL,
    ModelDownload,
    PinnedFile,
    PinnedModel,
)
from tests.command_runs import Run, logs_restored, run
from tests.encoders import build_tiny_encoder
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

__all__ = ["logs_restored", "run"]  # fixtures of the commands

PLACE = "/site/models.example.org"
NAMES = ("model.onnx", "tokenizer.json")


async def silent(*_: Any) -> None: ...


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    folder = build_tiny_encoder(tmp_path / "published")
    return {name: (folder / name).read_bytes() for name in NAMES}


@pytest.fixture
def model(files: dict[str, bytes]) -> PinnedModel:
    return PinnedModel(
        title="Tiny",
        license="Apache-2.0",
        repository="someone/tiny",
        revision="abc",
        files=tuple(
            PinnedFile(
                path=f"onnx/{name}",
                name=name,
                size=len(body),
                sha256=hashlib.sha256(body).hexdigest(),
            )
            for name, body in files.items()
        ),
    )


@pytest.fixture
def published(world: World, files: dict[str, bytes]) -> dict[str, bytes]:
    for name, body in files.items():
        publish(world, name, body)
    return files


def publish(world: World, name: str, body: bytes, status: int = 200) -> None:
    fault = Fault(status=status, body=body, headers={"content-type": "application/octet-stream"})
    world.fail(f"{PLACE}/someone/tiny/resolve/abc/onnx/{name}", fault, times=ALWAYS)


@pytest.fixture
def download(
    internet: Internet, environ: dict[str, str], model: PinnedModel, tmp_path: Path
) -> ModelDownload:
    settings = config.load_settings(environ)
    downloads = FileDownloader(Guard(GuardRules.from_settings(settings)), settings)
    return ModelDownload(
        downloads, base_url=internet.url + PLACE, folder=tmp_path / "data" / "encoder", model=model
    )


def install(download: ModelDownload) -> None:
    asyncio.run(download.install_model(report=silent))


def list_folder(download: ModelDownload) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in download.folder.glob("*")}


def test_the_files_arrive_as_published(
    download: ModelDownload, published: dict[str, bytes]
) -> None:
    before = download.has_model()

    install(download)

    assert (before, download.has_model()) == (False, True)
    assert list_folder(download) == published


@pytest.mark.parametrize(
    ("body", "status"), [(b"x", 200), (b"", 404), (b"", 500), (b"x" * 100_000, 200)]
)
def test_another_file_changes_nothing(
    download: ModelDownload, published: dict[str, bytes], world: World, body: bytes, status: int
) -> None:
    install(download)
    (download.folder / "model.onnx").write_bytes(b"an older model")
    publish(world, "tokenizer.json", body, status)

    with pytest.raises(CitewellError):
        install(download)

    assert list_folder(download)["model.onnx"] == b"an older model"
    assert [path.name for path in download.folder.parent.iterdir()] == ["encoder"]


@requires("encoder.pinned")
def test_a_file_of_the_right_size_and_another_hash_is_refused(
    download: ModelDownload, published: dict[str, bytes], world: World
) -> None:
    publish(world, "model.onnx", bytes(len(published["model.onnx"])))

    with pytest.raises(InvalidInput, match="SHA-256"):
        install(download)

    assert not download.folder.exists()


def test_a_second_download_replaces_a_damaged_one(
    download: ModelDownload, published: dict[str, bytes]
) -> None:
    install(download)
    (download.folder / "tokenizer.json").write_bytes(b"")

    install(download)

    assert list_folder(download) == published


def test_the_recommended_model_is_pinned_by_revision_size_and_hash() -> None:
    assert re.fullmatch(r"[0-9a-f]{40}", RECOMMENDED_MODEL.revision)
    assert {file.name for file in RECOMMENDED_MODEL.files} == {
        "model_quantized.onnx",
        "tokenizer.json",
    }
    assert all(re.fullmatch(r"[0-9a-f]{64}", file.sha256) for file in RECOMMENDED_MODEL.files)
    assert "23.7 MB" in RECOMMENDED_MODEL.describe_model()


@requires("encoder.pinned")
def test_the_command_says_the_size_and_downloads_nothing_unasked(run: Run, world: World) -> None:
    ran = run("data", "encoder")

    assert ran.code == 2
    assert "23.7 MB" in ran.err
    assert "--yes" in ran.err
    assert not world.requests


@pytest.mark.process
def test_the_command_downloads_uses_and_removes_the_model(
    run: Run,
    internet: Internet,
    published: dict[str, bytes],
    model: PinnedModel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(data, "RECOMMENDED_MODEL", model)
    place = {"CITEWELL_ENCODER_DOWNLOAD_URL": internet.url + PLACE}

    first = run("data", "encoder", "--yes", **place)
    again = run("data", "encoder", "--json", **place).json()
    removed = run("data", "encoder", "--remove", "--json", **place).json()

    assert (first.code, again["downloaded"], removed["removed"]) == (0, False, True)
    assert "works: 8 dimensions" in first.out


@pytest.mark.parametrize(("answer", "code"), [(True, 0), (False, 2)])
def test_a_person_at_a_terminal_is_asked(
    run: Run,
    internet: Internet,
    published: dict[str, bytes],
    model: PinnedModel,
    monkeypatch: pytest.MonkeyPatch,
    answer: bool,
    code: int,
) -> None:
    asked: list[str] = []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr(data, "RECOMMENDED_MODEL", model)
    monkeypatch.setattr(typer, "confirm", confirm)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)

    ran = run(
        "data",
        "encoder",
        CITEWELL_ENCODER_DOWNLOAD_URL=internet.url + PLACE,
        CITEWELL_ENCODER="off",
    )

    assert ran.code == code
    assert "Tiny (Apache-2.0)" in asked[0]
