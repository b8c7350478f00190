"""PDFs of known text, printed by Chromium from translations that packages install on the machine.

Messages of programs are real sentences in many languages, with Latin names, figures and brackets in
them. Manuals that a package installs both as PDF and as plain text are added where they are found.
"""

from __future__ import annotations

import gettext
import gzip
import html
import io
import random
import re
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell.reading.documents.pdf import PdfiumDocument

CATALOGUES = ("glib20", "gtk30", "gtk20", "gtk30-properties", "gsettings-desktop-schemas")
RTL_LANGUAGES = ("ar", "fa", "he")
LANGUAGES = ("de", "fr", "ru")
RENDER_SCALE = 3.0  # of 72 dots an inch, for scans
_PLACEHOLDER = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[\w$]+|[_|<>{}\\*`#\[\]]|\s+")
_RTL_LETTER = re.compile("[\u0590-\u06ff]")
_CONTROLS = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\u0640]")
_STYLE = "body{font:11pt DejaVu Sans,sans-serif}td,th{border:1px solid;padding:2pt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One PDF with what is written in it."""

    name: str
    kind: str
    path: Path
    truth: str
    headings: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()


class Writer:
    """Sentences of one language, put into pages one after another."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._sentences = _sentences(language)
        random.Random(language).shuffle(self._sentences)
        self._place = 0
        self.lines: list[str] = []
        self.headings: list[str] = []
        self.cells: list[str] = []

    def sentence(self) -> str:
        self._place += 1
        return self._sentences[self._place % len(self._sentences)]

    def heading(self, level: int) -> str:
        text = " ".join(self.sentence().split()[:5]).rstrip(".:,;")
        self.lines.append(text)
        self.headings.append(text)
        return f"<h{level}>{html.escape(text)}</h{level}>"

    def paragraph(self, sentences: int = 4) -> str:
        text = " ".join(self.sentence() for _ in range(sentences))
        self.lines.append(text)
        return f"<p>{html.escape(text)}</p>"

    def table(self, rows: int, columns: int, *, ruled: bool) -> str:
        made = []
        for row in range(rows):
            cells = [" ".join(self.sentence().split()[:2])] + [
                str(row * 37 + column * 11) for column in range(1, columns)
            ]
            self.cells += cells
            self.lines += cells
            made.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
        style = "" if ruled else " style='border:0;padding:2pt 14pt'"
        body = "".join(f"<tr>{row}</tr>" for row in made).replace("<td>", f"<td{style}>")
        return f"<table style='border-collapse:collapse'>{body}</table>"


def _sentences(language: str) -> list[str]:
    found: dict[str, None] = {}
    for name in CATALOGUES:
        path = Path(f"/usr/share/locale/{language}/LC_MESSAGES/{name}.mo")
        if not path.exists():
            continue
        with path.open("rb") as file:
            # There is no public list of a catalogue's messages.
            catalogue: dict[Any, Any] = vars(gettext.GNUTranslations(file))["_catalog"]
        for said, text in catalogue.items():
            plain = " ".join(_PLACEHOLDER.sub(" ", _CONTROLS.sub("", str(text))).split())
            foreign = language in RTL_LANGUAGES and not _RTL_LETTER.search(plain)
            if said and isinstance(said, str) and len(plain) > 25 and not foreign:
                found[plain] = None
    if len(found) < 100:
        raise SystemExit(f"too few translations into {language} are installed")
    return list(found)


def _manual(write: Writer) -> str:
    parts = [write.heading(1)]
    for _ in range(4):
        parts += [write.heading(2), write.paragraph(6)]
        for _ in range(2):
            parts += [write.heading(3), write.paragraph(5), write.paragraph(3)]
    return "".join(parts)


def _paper(write: Writer) -> str:
    parts = [
        f"<div>{write.heading(1)}</div><main style='columns:2;text-align:justify;font-size:9pt'>"
    ]
    for place in range(6):
        parts += [write.heading(2), write.paragraph(8), write.paragraph(8)]
        if place % 2:
            parts.append(write.table(5, 3, ruled=False))
    return "".join(parts) + "</main>"


def _slides(write: Writer) -> str:
    parts = ["<style>@page{size:10in 7.5in}li{font-size:18pt}section{break-after:page}</style>"]
    for _ in range(8):
        items = []
        title = write.heading(1)
        for _ in range(4):
            items.append(write.sentence())
            write.lines.append(items[-1])
        listed = "".join(f"<li>{html.escape(item)}</li>" for item in items)
        parts.append(f"<section>{title}<ul>{listed}</ul></section>")
    return "".join(parts)


def _tables(write: Writer) -> str:
    parts = [write.heading(1)]
    for place in range(6):
        parts += [write.heading(2), write.paragraph(2), write.table(12, 5, ruled=place % 2 == 0)]
    return "".join(parts)


PAGES: dict[str, Callable[[Writer], str]] = {
    "manual": _manual,
    "paper": _paper,
    "slides": _slides,
    "tables": _tables,
}


def _print_page(write: Writer, body: str, path: Path, *, tagged: bool) -> None:
    direction = "rtl" if write.language in RTL_LANGUAGES else "ltr"
    page = path.with_suffix(".html")
    page.write_text(
        f"<!doctype html><html lang={write.language} dir={direction}><meta charset=utf-8>"
        f"<style>{_STYLE}</style><body>{body}</body></html>",
        encoding="utf-8",
    )
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("printing PDFs needs chromium")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    options += [] if tagged else ["--disable-pdf-tagging"]
    command = [chromium, *options, f"--print-to-pdf={path}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


def printed(folder: Path) -> Iterable[Sample]:
    """One PDF for every kind and language; every second one is tagged."""
    made = 0
    for kind, build in PAGES.items():
        for language in LANGUAGES + RTL_LANGUAGES:
            write = Writer(language)
            body = build(write)
            path = folder / f"{kind}-{language}.pdf"
            made += 1
            if not path.exists():
                _print_page(write, body, path, tagged=bool(made % 2))
            yield Sample(
                name=path.stem,
                kind="right to left" if language in RTL_LANGUAGES else kind,
                path=path,
                truth="\n".join(write.lines),
                headings=tuple(write.headings),
                cells=tuple(write.cells),
            )


def scanned(samples: Iterable[Sample], folder: Path) -> Iterable[Sample]:
    """The same pages as pictures, without a text layer."""
    for sample in samples:
        path = folder / f"scan-{sample.path.name}"
        if not path.exists():
            document, pages = PdfiumDocument(sample.path), []
            for page in document:
                bitmap = page.render(scale=RENDER_SCALE, grayscale=True)
                pages.append((bitmap.width, bitmap.height, _packed_rows(bitmap)))
            path.write_bytes(_picture_book(pages))
        yield Sample(name=path.stem, kind="scanned", path=path, truth=sample.truth)


def _packed_rows(bitmap: Any) -> bytes:
    raw = bytes(bitmap.buffer)
    return b"".join(
        raw[row * bitmap.stride : row * bitmap.stride + bitmap.width]
        for row in range(bitmap.height)
    )


def _picture_book(pages: list[tuple[int, int, bytes]]) -> bytes:
    """A PDF whose pages are pictures."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    for width, height, pixels in pages:
        packed = zlib.compress(pixels)
        objects.append(
            f"<< /Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray "
            f"/BitsPerComponent 8 /Filter /FlateDecode /Length {len(packed)} >>\nstream\n".encode()
            + packed
            + b"\nendstream"
        )
        wide, high = width / RENDER_SCALE, height / RENDER_SCALE
        drawn = f"q {wide} 0 0 {high} 0 0 cm /I Do Q".encode()
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n".encode() + drawn + b"\nendstream")
        picture, content = len(objects) - 1, len(objects)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide} {high}] /Contents {content} 0 R "
            f"/Resources << /XObject << /I {picture} 0 R >> >> >>".encode()
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode()
    out, places = io.BytesIO(b"%PDF-1.5\n"), []
    out.seek(0, io.SEEK_END)
    for number, held in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n" % number + held + b"\nendobj\n")
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    )
    return out.getvalue()


def installed(root: Path, folder: Path) -> Iterable[Sample]:
    """Manuals under `root`/usr/share that are there as PDF and, of the same name, as plain text."""
    for pdf in sorted((root / "usr" / "share").glob("**/*.pdf*")):
        stem = pdf.name.removesuffix(".gz").removesuffix(".pdf")
        for text in (pdf.with_name(f"{stem}.txt"), pdf.with_name(f"{stem}.txt.gz")):
            if pdf.is_file() and text.is_file() and not pdf.is_symlink():
                path = folder / f"{stem}.pdf"
                path.write_bytes(_unpacked(pdf))
                truth = _unpacked(text).decode("utf-8", "replace")
                yield Sample(name=stem, kind="installed manual", path=path, truth=truth)


def _unpacked(path: Path) -> bytes:
    body = path.read_bytes()
    return gzip.decompress(body) if path.suffix == ".gz" else body
