from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from citewell.core.errors import Misconfigured
from citewell.library import library_documents as library_export
from citewell.library.library_access import (
    DocumentSelection,
    OwnerLibrary,
)
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.server.state.state_store import StateStore
from citewell.store.failures import StoreFull
from tests.library.library import ME, Shelf
from tests.library.test_library_access import PAGE
from tests.reading.reading import page


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def filled(shelf: Shelf, tmp_path: Path) -> Shelf:
    """A file tagged `mine` and a page."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "notes.md").write_text("# Harbour lights\n\nThe keeper wrote about the beacon.\n")
    shelf.web[PAGE] = page(
        PAGE, "How to light a beacon and keep it.", title="Guide", published="2026-10-05"
    )
    shelf.add(folder, tags=("mine",))
    shelf.add(PAGE)
    return shelf


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (DocumentSelection(), {"Harbour lights", "Guide"}),
        (DocumentSelection(tag="Mine"), {"Harbour lights"}),
        (DocumentSelection(site="example.org"), {"Guide"}),
        (DocumentSelection(kind="markdown"), {"Harbour lights"}),
        (DocumentSelection(names=("https://docs.example.org/guide",)), {"Guide"}),
        (DocumentSelection(names=("library:",)), set()),
        (DocumentSelection(names=("/nowhere",)), set()),
        (DocumentSelection(missing_files_only=True), set()),
        (DocumentSelection(tag="mine", kind="html"), set()),
    ],
)
def test_documents_are_chosen_by_what_they_are(filled: Shelf, chosen: Any, expected: Any) -> None:
    async def scenario(state: StateStore) -> Any:
        return {card.title async for card in OwnerLibrary(state.library, ME).iterate_cards(chosen)}

    assert filled.run(scenario) == expected


def test_a_file_is_chosen_by_path_directory_and_beginning_of_its_id(
    filled: Shelf, tmp_path: Path
) -> None:
    card = filled.cards()["Harbour lights"]

    for name in (tmp_path / "papers", tmp_path / "papers" / "notes.md", card.id, card.id[:16]):
        assert DocumentSelection(names=(str(name),)).covers_card(card)
    assert not DocumentSelection(names=(str(tmp_path / "pap"),)).covers_card(card)


def test_lines_hold_everything_known_and_the_text(filled: Shelf, tmp_path: Path) -> None:
    out = io.StringIO()

    count = filled.run(
        lambda state: library_export.export_json_lines(
            OwnerLibrary(state.library, ME).iterate_documents(), out
        )
    )

    records = [json.loads(line) for line in out.getvalue().splitlines()]
    assert count == len(records) == 2
    assert records[0]["path"] == str(tmp_path / "papers" / "notes.md")
    assert records[0]["tags"] == ["mine"]
    assert "keeper" in records[0]["text"]
    assert records[1]["url"] == "https://docs.example.org/guide"
    assert "stamp" not in records[0]


def test_a_directory_of_markdown_is_the_same_each_time(filled: Shelf, tmp_path: Path) -> None:
    out = tmp_path / "out" / "deep"

    for _ in range(2):
        filled.run(
            lambda state: library_export.export_to_directory(
                OwnerLibrary(state.library, ME).iterate_documents(), out
            )
        )

    files = sorted(out.iterdir())
    assert len(files) == 2
    assert files[1].name.startswith("Harbour-lights-")
    assert files[1].read_text().startswith('---\nid: "library:')
    assert files[1].read_text().endswith("beacon.\n")


@pytest.mark.parametrize("title", ["../../etc/passwd", "a/b\\c:d", "", ".", "x" * 500, "標題"])
def test_a_title_cannot_leave_the_directory(title: str) -> None:
    name = library_export.build_export_name(
        DocumentCard(id="library:0123456789abcdef", title=title)
    )

    assert Path(name).name == name
    assert not name.startswith(".")
    assert len(name) < 100


def test_an_export_that_fails_leaves_the_former_file(filled: Shelf, tmp_path: Path) -> None:
    path = tmp_path / "library.jsonl"
    path.write_text("former")

    async def failing() -> AsyncIterator[Any]:
        yield LibraryDocument(card=DocumentCard(id="library:1"), text="x")
        raise StoreFull("The disk is full.")

    with pytest.raises(StoreFull):
        asyncio.run(library_export.export_to_file(failing(), path))

    assert path.read_text() == "former"
    assert [file.name for file in tmp_path.iterdir() if "jsonl" in file.name] == ["library.jsonl"]


def test_a_place_that_cannot_be_written_is_named(filled: Shelf, tmp_path: Path) -> None:
    async def scenario(state: StateStore) -> None:
        await library_export.export_to_file(
            OwnerLibrary(state.library, ME).iterate_documents(), tmp_path / "no" / "x.jsonl"
        )

    with pytest.raises(Misconfigured, match="cannot be written"):
        filled.run(scenario)
