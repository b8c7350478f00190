"""Scanned pages are read by tesseract where it is installed, always with a word that they were."""

from __future__ import annotations

import asyncio
import contextlib
import stat
import zlib
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from citewell.reading.documents.document_reader import read_document
from citewell.reading.documents.document_text import (
    DocumentLimits,
    DocumentRequest,
    DocumentText,
    RecognizedPage,
    RecognizedText,
    ScannedDocument,
)
from citewell.reading.documents.pdf.pdf_reader import render_page_image
from citewell.reading.documents.readers_by_kind import read_document_request
from citewell.reading.documents.text_recognition import (
    PagePicture,
    RecognitionFailure,
    RecognitionLimits,
    RecognizingRunner,
    TextRecognizer,
    choose_script_languages,
    is_script_known,
)
from tests.conditions import wait_until
from tests.documents import Pdf
from tests.task_thread import ThreadTasks

HEAD = "level page_num block_num par_num line_num word_num left top width height conf text"
PICTURE = PagePicture(2, 1, 300, b64encode(zlib.compress(b"\x00\xff")).decode())


def build_table(*lines: str, block: int = 1, height: int = 30, sure: float = 90.0) -> str:
    """Tesseract's table for lines of one paragraph."""
    rows = ["\t".join(HEAD.split())]
    for number, line in enumerate(lines, 1):
        for place, word in enumerate(line.split(), 1):
            row = (5, 1, block, 1, number, place, 10, 10, 10, height, sure, word)
            rows.append("\t".join(map(str, row)))
    return "\n".join(rows)


class FakeRecognizer(TextRecognizer):
    """Says the same words about every page; `failing` pages fail, `late` ones never end."""

    def __init__(
        self,
        words: str = "Words that were seen",
        *,
        languages: str = "eng",
        limits: RecognitionLimits | None = None,
        failing: Sequence[int] = (),
        late: Sequence[int] = (),
    ) -> None:
        super().__init__(limits)
        self._words, self._installed = words, languages
        self._failing, self._late = failing, late
        self.seen = 0

    async def find_languages(self) -> str:
        return self._installed

    async def recognize_image(self, image: PagePicture) -> str:
        place, self.seen = self.seen, self.seen + 1
        if place in self._failing:
            raise RecognitionFailure("ended badly")
        if place in self._late:
            await asyncio.Event().wait()
        return build_table(f"{self._words} {place}.")


def read_scanned(made: Pdf, recognizer: FakeRecognizer) -> DocumentText:
    async def run() -> DocumentText:
        workers = RecognizingRunner(ThreadTasks(), recognizer)
        return await read_document(
            made.build(),
            url="https://example.org/scan.pdf",
            content_type="",
            limits=DocumentLimits(),
            workers=workers,
        )

    return asyncio.run(run())


def test_a_scanned_page_is_recognized_and_says_so() -> None:
    found = read_scanned(Pdf().image(), FakeRecognizer())

    assert found.markdown == "Words that were seen 0."
    assert found.notes == (
        "Scanned pages were read by text recognition (tesseract), which makes mistakes: 1.",
    )
    assert found.is_partial


def test_only_pages_without_text_are_recognized() -> None:
    made = Pdf().text(60, 80, "A page of text.").page().image().page().text(60, 80, "The last.")
    recognizer = FakeRecognizer()

    found = read_scanned(made, recognizer)

    assert found.markdown == "A page of text.\n\nWords that were seen 0.\n\nThe last."
    assert recognizer.seen == 1


def test_a_page_number_printed_on_a_scan_does_not_make_it_text() -> None:
    found = read_scanned(Pdf().image().text(290, 820, "17"), FakeRecognizer())

    assert "Words that were seen" in found.markdown


def test_a_scan_with_a_text_layer_is_not_recognized() -> None:
    made = (
        Pdf().image().text(60, 100, "Words from an earlier recognition of it. " * 2, extra="3 Tr")
    )
    recognizer = FakeRecognizer()

    read_scanned(made, recognizer)

    assert recognizer.seen == 0


def test_a_document_of_text_is_read_once_and_whole() -> None:
    recognizer = FakeRecognizer()

    found = read_scanned(Pdf().text(60, 80, "A page of text."), recognizer)

    assert (found.markdown, found.notes, found.is_partial) == ("A page of text.", (), False)
    assert recognizer.seen == 0


def test_pages_over_the_limit_are_named() -> None:
    made = Pdf().image().page().image().page().image()

    found = read_scanned(made, FakeRecognizer(limits=RecognitionLimits(max_pages=2)))

    assert found.notes[1] == (
        "Pages with images but no text layer: 3. "
        "Text recognition is limited to 2 pages of a document."
    )


def test_a_page_that_cannot_be_recognized_is_named() -> None:
    found = read_scanned(Pdf().image().page().image(), FakeRecognizer(failing=[0]))

    # Pages are drawn two at once, so either may come first.
    named = {f"Pages with images but no text layer: {number}." for number in (1, 2)}
    assert found.notes[1] in named
    assert found.markdown.count("Words that were seen") == 1


def test_what_takes_too_long_is_stopped() -> None:
    limits = RecognitionLimits(total_seconds=0.05)

    with pytest.raises(ScannedDocument, match=r"stopped after 0\.05 seconds"):
        read_scanned(Pdf().image(), FakeRecognizer(late=[0], limits=limits))


def test_a_scan_without_any_words_says_so() -> None:
    with pytest.raises(ScannedDocument, match="found no text"):
        read_scanned(Pdf().image(), FakeRecognizer(failing=[0]))


def test_without_tesseract_the_error_says_how_to_get_it() -> None:
    with pytest.raises(ScannedDocument, match="tesseract is installed"):
        read_scanned(Pdf().image(), FakeRecognizer(languages=""))


def read_recognized(*tables: str) -> str:
    made = Pdf()
    pages = [made.image() if place == 0 else made.page().image() for place in range(len(tables))]
    text = RecognizedText(pages=tuple(RecognizedPage(n, table) for n, table in enumerate(tables)))
    limits = DocumentLimits(recognized=text)
    return read_document_request(DocumentRequest(pages[-1].build(), "", "", limits, None)).markdown


def test_recognized_lines_become_paragraphs_with_words_made_whole() -> None:
    table = build_table("The first line ends in a hyphen-", "ated word.")
    table += "\n" + "\n".join(build_table("Another one.", block=2).splitlines()[1:])

    assert read_recognized(table) == "The first line ends in a hyphenated word.\n\nAnother one."


def test_tall_lines_are_headings_and_stains_are_nothing() -> None:
    table = build_table("A Title", height=60)
    for block, (words, sure) in enumerate(
        (("Text of the page.", 90.0), ("~|", 5.0), ("More of it.", 90.0), ("And more.", 90.0)), 2
    ):
        table += "\n" + "\n".join(build_table(words, block=block, sure=sure).splitlines()[1:])

    assert read_recognized(table) == "# A Title\n\nText of the page.\n\nMore of it.\n\nAnd more."


@pytest.mark.parametrize("table", ["", "nonsense", HEAD, "level\ttext\n5\tword", "\x00\n\t\t\t"])
def test_a_table_that_makes_no_sense_is_no_text(table: str) -> None:
    with pytest.raises(ScannedDocument):
        read_recognized(table)


def test_a_page_is_drawn_in_shades_of_grey() -> None:
    image = render_page_image(Pdf().text(60, 80, "Text").build(), 0)

    assert image.dots_per_inch == 300
    assert abs(image.width - 595 * 300 / 72) < 2


@pytest.mark.parametrize(
    ("installed", "report", "chosen"),
    [
        (["eng", "ara", "heb"], "Script: Arabic\n", "ara"),
        (["eng", "ara", "deu"], "Script: Latin\n", "eng+deu"),
        (["eng", "deu"], "", "eng+deu"),
        (["eng", "deu"], "Script: Thai\n", "eng+deu"),
        (["eng", "a_b", "deu", "fra", "ita"], "Script: Latin\n", "eng+a_b+deu"),
    ],
)
def test_languages_follow_the_script_of_the_page(
    installed: list[str], report: str, chosen: str
) -> None:
    assert choose_script_languages(installed, report) == chosen


def test_the_script_is_asked_for_only_where_it_matters() -> None:
    assert is_script_known(["ara"])
    assert is_script_known(["eng", "deu"])
    assert not is_script_known(["eng", "ara"])


@pytest.fixture
def fake_program(tmp_path: Path) -> Callable[[str], str]:
    """A program in tesseract's place that runs these lines of shell."""

    def write(script: str) -> str:
        path = tmp_path / "tesseract"
        path.write_text(
            '#!/bin/sh\nif [ "$1" = --list-langs ]; then echo "List (2):"; echo eng; echo osd; exit; fi\n'
            + script,
            encoding="utf-8",
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return write


def list_child_commands() -> list[str]:
    commands = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            commands.append(" ".join(child.cmdline()))
    return commands


def run_recognizer(program: str, **limits: Any) -> str:
    recognizer = TextRecognizer(RecognitionLimits(**limits), program=program)
    return asyncio.run(recognizer.recognize_image(PICTURE))


@pytest.mark.process
def test_the_program_gets_plain_pixels_and_its_answer_is_returned(
    fake_program: Callable[[str], str],
) -> None:
    program = fake_program('head -c 13 | od -An -c | tr -d " \\n"; echo " $@"')

    assert run_recognizer(program) == "P521255\\n\\0377 stdin stdout -l eng --dpi 300 tsv\n"


@pytest.mark.process
def test_a_program_that_hangs_is_killed(fake_program: Callable[[str], str]) -> None:
    with pytest.raises(RecognitionFailure, match="longer"):
        run_recognizer(fake_program("exec sleep 613"), page_seconds=1.0)

    # One that was killed has no command; it may take a moment to end.
    wait_until(lambda: not any("613" in command for command in list_child_commands()))


@pytest.mark.process
def test_a_program_that_fails_is_a_failure(fake_program: Callable[[str], str]) -> None:
    with pytest.raises(RecognitionFailure, match="status 3"):
        run_recognizer(fake_program("exit 3"))


@pytest.mark.process
def test_the_program_sees_no_secrets_and_writes_no_files(
    fake_program: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXA_API_KEY", "secret")
    program = fake_program(
        f"env | grep -c SECRET; env | grep -c EXA; echo x > {tmp_path}/made; true"
    )

    assert run_recognizer(program) == "0\n0\n"
    assert not (tmp_path / "made").exists() or (tmp_path / "made").stat().st_size == 0


def test_without_the_program_there_are_no_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    assert asyncio.run(TextRecognizer().find_languages()) == ""


def test_a_picture_that_is_too_short_is_a_failure() -> None:
    short = PagePicture(50, 50, 300, PICTURE.pixels)

    with pytest.raises(RecognitionFailure, match="incomplete"):
        asyncio.run(TextRecognizer(program="/bin/true").recognize_image(short))
