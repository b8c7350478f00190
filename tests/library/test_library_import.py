from __future__ import annotations

import asyncio
import errno
import itertools
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from citewell.library import library_documents
from citewell.library.library_import import ImportReport
from citewell.server.state.state_store import StateStore
from citewell.store.failures import StoreFull
from tests.clocks import Clock
from tests.documents import sound
from tests.library.library import Shelf, reasons
from tests.reading.reading import page

pytestmark = pytest.mark.process  # documents are read by workers

PAGE = "https://docs.example.org/guide"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    return made


def test_a_file_is_found_by_its_words_and_named_by_its_heading(shelf: Shelf, folder: Path) -> None:
    (folder / "notes.md").write_text("# Harbour lights\n\nThe keeper wrote about storms.\n")

    report = shelf.add(folder / "notes.md", tags=("Coast",))

    card = shelf.cards()["Harbour lights"]
    assert report == ImportReport(added=1)
    assert (card.kind, card.tags, card.url) == ("markdown", ("coast",), "")
    assert shelf.found("storm") == ["Harbour lights"]


def test_a_second_run_passes_over_what_has_not_changed(shelf: Shelf, folder: Path) -> None:
    for number in range(5):
        (folder / f"{number}.txt").write_text(f"The text of file {number}.")
    shelf.add(folder)
    (folder / "3.txt").write_text("Something else altogether.")

    report = shelf.add(folder)

    assert report == ImportReport(replaced=1, unchanged=4)
    assert shelf.found("altogether") == ["3.txt"]


def test_a_touched_file_with_the_same_bytes_counts_as_unchanged(shelf: Shelf, folder: Path) -> None:
    file = folder / "a.txt"
    file.write_text("The same words as ever.")
    shelf.add(file)
    before = shelf.cards()["a.txt"]
    os.utime(file, (1, 1))

    report = shelf.add(file)

    after = shelf.cards()["a.txt"]
    assert report == ImportReport(unchanged=1)
    assert after.id == before.id
    assert after.extra["stamp"] != before.extra["stamp"]


def test_a_tag_given_later_joins_those_given_before(shelf: Shelf, folder: Path) -> None:
    file = folder / "a.txt"
    file.write_text("Words.")
    shelf.add(file, tags=("one",))

    shelf.add(file, tags=("two",))
    file.write_text("Other words.")
    shelf.add(file)

    assert shelf.cards()["a.txt"].tags == ("one", "two")


def test_one_bad_file_is_told_and_the_rest_are_added(shelf: Shelf, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")
    (folder / "good.txt").write_text("Good words.")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    (folder / "empty.txt").touch()

    report = shelf.add(folder)

    assert report.added == 1
    assert {problem.source.rpartition("/")[2] for problem in report.problems if problem.failed} == {
        "broken.pdf"
    }
    assert set(reasons(report)) == {"broken.pdf", "picture.png", "empty.txt"}
    assert "image" in reasons(report)["picture.png"]


def test_a_picture_that_was_named_is_a_failure(shelf: Shelf, folder: Path) -> None:
    picture = folder / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))

    (problem,) = shelf.add(picture).problems

    assert problem.failed


def test_a_file_beyond_the_bound_is_never_opened(tmp_path: Path, folder: Path) -> None:
    with (folder / "huge.pdf").open("wb") as file:
        file.truncate(10 * 2**30)

    report = Shelf(tmp_path, max_document_bytes=1000).add(folder)

    assert reasons(report) == {"huge.pdf": "It is larger than 1000 bytes (MAX_DOCUMENT_BYTES)."}


def test_sockets_and_pipes_are_passed_over(
    shelf: Shelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)  # a socket's path may not be long
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("sock")
        report = shelf.add(folder)

    assert reasons(report) == {"pipe": "It is a pipe.", "sock": "It is a socket."}
    assert not any(problem.failed for problem in report.problems)


def test_links_in_a_circle_end_and_a_file_counts_once(shelf: Shelf, folder: Path) -> None:
    (folder / "below").mkdir()
    (folder / "below" / "a.txt").write_text("Words.")
    (folder / "below" / "up").symlink_to(folder)
    (folder / "again.txt").symlink_to(folder / "below" / "a.txt")
    (folder / "self").symlink_to("self")
    (folder / "nowhere").symlink_to("gone")

    report = shelf.add(folder, recursive=True)

    assert report.added == 1
    assert set(reasons(report)) == {"self", "nowhere"}


def test_what_may_not_be_read_is_told(
    shelf: Shelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's own refusal, which root would never meet."""
    (folder / "secret.txt").write_text("Words.")
    open_file = os.open

    def refuse_secret(path: str, *rest: Any, **more: Any) -> int:
        if str(path).endswith("secret.txt"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return open_file(path, *rest, **more)

    monkeypatch.setattr(os, "open", refuse_secret)

    assert reasons(shelf.add(folder)) == {"secret.txt": "Permission denied."}


def test_directories_below_need_recursive_and_hidden_ones_stay_out(
    shelf: Shelf, folder: Path
) -> None:
    for name in ("a.txt", "below/b.txt", ".git/c.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"Words of {name}.")

    shallow = shelf.add(folder)
    deep = shelf.add(folder, recursive=True)

    assert (shallow.added, deep.added) == (1, 1)
    assert set(shelf.cards()) == {"a.txt", "b.txt"}


def test_a_pattern_stands_for_the_files_that_fit(shelf: Shelf, folder: Path) -> None:
    for name in ("a.md", "b.md", "c.txt"):
        (folder / name).write_text(f"Words of {name}.")

    report = shelf.add(folder / "*.md", folder / "*.doc")

    assert report.added == 2
    assert reasons(report) == {"*.doc": "No file matches this pattern."}


def test_a_limit_leaves_the_rest_for_the_next_run(shelf: Shelf, folder: Path) -> None:
    for number in range(5):
        (folder / f"{number}.txt").write_text(f"The text of file {number}.")

    first = shelf.add(folder, limit=3)

    assert first.added == 3
    assert len(shelf.cards()) == 3


def test_documents_of_every_kind_give_their_text(shelf: Shelf, folder: Path) -> None:
    for name, body in sound().items():
        (folder / f"file.{name}").write_bytes(body)
    (folder / "page.html").write_text(
        "<html lang=en><head><title>A page</title></head><body><p>A beacon, briefly.</p></body></html>"
    )

    report = shelf.add(folder)

    assert reasons(report) == {}
    assert report.added == len(sound()) + 1
    assert shelf.found("beacon") == ["A page"]


def test_a_polish_file_is_listed_as_polish(shelf: Shelf, folder: Path) -> None:
    text = "Pływy to regularne zmiany poziomu wody w morzu, które są wywołane przez Księżyc i Słońce, a nie przez wiatr. "
    (folder / "pływy.txt").write_text(text * 3, encoding="utf-8")

    shelf.add(folder)

    assert shelf.cards()["pływy.txt"].language == "pl"


def test_text_in_another_charset_and_language_is_found(shelf: Shelf, folder: Path) -> None:
    text = (
        "Viele Häuser stehen leer, und die Katze sitzt auf dem Dach und wartet auf den Regen,"
        " der nicht kommt, weil der Wind aus dem Osten weht."
    )
    (folder / "latin.txt").write_bytes(text.encode("latin-1"))
    (folder / "東京.txt").write_text("東京都に住んでいます。水が好きです。")

    shelf.add(folder)

    assert shelf.cards()["latin.txt"].language == "de"
    assert shelf.found("Haus") == ["latin.txt"]
    assert shelf.found("東京") == ["東京.txt"]


def test_a_page_keeps_its_address_and_goes_by_one_name(shelf: Shelf) -> None:
    shelf.web[PAGE] = page(PAGE, "How to light a beacon.", title="Guide", published="2024-03-05")

    report = shelf.add(PAGE)

    card = shelf.cards()["Guide"]
    assert report.added == 1
    assert (card.id, card.url, card.site) == (
        library_documents.build_address_id(PAGE),
        PAGE,
        "docs.example.org",
    )
    assert card.published is not None


def test_a_page_that_fails_is_told(shelf: Shelf) -> None:
    (problem,) = shelf.add(PAGE).problems

    assert (problem.source, problem.reason, problem.failed) == (PAGE, "HTTP 404.", True)


def sitemap(*entries: str) -> bytes:
    body = "".join(f"<url>{entry}</url>" for entry in entries)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'.encode()


def test_a_sitemap_killed_halfway_goes_on_with_what_is_missing(shelf: Shelf) -> None:
    addresses = [f"https://example.org/{number}" for number in range(4)]
    shelf.web = {url: page(url, f"Page {url}.", title=url) for url in addresses}
    shelf.maps["https://example.org/sitemap.xml"] = sitemap(*(f"<loc>{u}</loc>" for u in addresses))
    shelf.add("https://example.org/sitemap.xml", limit=2)
    shelf.asked.clear()

    report = shelf.add("https://example.org/sitemap.xml")

    assert report == ImportReport(added=2, unchanged=2)
    assert sorted(shelf.asked) == addresses[2:]


def test_a_page_that_its_sitemap_says_has_changed_is_read_again(shelf: Shelf) -> None:
    url, place = "https://example.org/a", "https://example.org/sitemap.xml"
    shelf.web[url] = page(url, "Before.", title="A")
    shelf.maps[place] = sitemap(f"<loc>{url}</loc><lastmod>2020-01-01</lastmod>")
    shelf.add(place)
    shelf.web[url] = page(url, "Afterwards.", title="A")
    shelf.add(place)
    assert shelf.found("afterwards") == []

    shelf.maps[place] = sitemap(f"<loc>{url}</loc><lastmod>2200-01-01</lastmod>")
    report = shelf.add(place)

    assert report == ImportReport(replaced=1)
    assert shelf.found("afterwards") == ["A"]


def test_the_same_file_of_two_owners_is_two_documents(shelf: Shelf, folder: Path) -> None:
    (folder / "a.txt").write_text("Words.")

    shelf.add(folder, owner="one/user")

    assert shelf.found("words", owner="one/user") == ["a.txt"]
    assert shelf.found("words", owner="two/user") == []
    assert shelf.found("words") == []


def test_a_store_that_fails_ends_the_run_with_its_own_error(shelf: Shelf, folder: Path) -> None:
    (folder / "a.txt").write_text("Words.")

    class Brimming:
        async def find_cards(self, owner: Any, ids: Any) -> Any:
            return ()

        async def store_documents(self, owner: Any, documents: Any) -> None:
            raise StoreFull("The disk is full.")

    class State:
        library = Brimming()

    full: Any = State()
    with pytest.raises(StoreFull, match="full"):
        asyncio.run(shelf.added(full, folder))


def test_a_document_is_written_within_seconds_of_being_read(shelf: Shelf, folder: Path) -> None:
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"The text of file {number}.")
    groups: list[int] = []

    async def scenario(state: StateStore) -> Any:
        library: Any = state.library
        put = library.store_documents

        async def noted(owner: Any, documents: Any) -> Any:
            groups.append(len(documents))
            return await put(owner, documents)

        library.store_documents = noted
        ticks = itertools.count(0.0, 10.0)

        class Ticking(Clock):
            def __call__(self) -> float:
                return next(ticks)

        shelf.clock = Ticking()
        return await shelf.added(state, folder)

    shelf.run(scenario)

    assert groups == [1, 1, 1]
