"""Opens a PDF, says what is wrong with one that cannot be read, and reads the pages asked for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

from citewell.fetch.documents.document import Broken, Encrypted, Limits, Parsed, Scanned
from citewell.fetch.documents.pages import choose_pages
from citewell.fetch.documents.pdf.blocks import Block, region_blocks, table_block
from citewell.fetch.documents.pdf.engine import Document, Failure
from citewell.fetch.documents.pdf.flow import strip_running, write_pages
from citewell.fetch.documents.pdf.glyphs import Glyphs, Word
from citewell.fetch.documents.pdf.lines import Line, reading_order, split_lines
from citewell.fetch.documents.pdf.shapes import read_shapes
from citewell.fetch.documents.pdf.tables import Table, aligned_tables, ruled_tables

_PASSWORD = 4  # pdfium's FPDF_ERR_PASSWORD
_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?")


class _Page(NamedTuple):
    lines: list[Line]
    tables: list[Table]
    height: float
    hidden: int
    images: int


def read_pdf(body: bytes, limits: Limits, pages: str | None) -> Parsed:
    document = _open(body)
    try:
        return _read(document, limits, pages)
    finally:
        document.close()


def _open(body: bytes) -> Any:
    start = body.find(b"%PDF-", 0, 1024)
    try:
        return Document(body[start:] if start > 0 else body)
    except Failure as error:
        if getattr(error, "err_code", None) == _PASSWORD:
            raise Encrypted("The PDF is encrypted and opens only with a password.") from None
        raise Broken("The file begins like a PDF but is damaged and cannot be opened.") from None


def _read(document: Any, limits: Limits, pages: str | None) -> Parsed:
    total = len(document)
    if total == 0:
        raise Broken("The PDF has no pages.")
    chosen = choose_pages(pages, total)
    notes: list[str] = []
    if len(chosen) > limits.max_pages:
        chosen = chosen[: limits.max_pages]
        notes.append(f"Only the first {limits.max_pages} of the pages were read.")
    read, damaged = _all_pages(document, chosen)
    if damaged:
        notes.append(f"Damaged pages were left out: {_listed(damaged)}.")
    if not any(page.lines or page.tables for page in read):
        raise _nothing(read, total, damaged)
    hidden = sum(page.hidden for page in read)
    if hidden:
        notes.append(f"{hidden} words that a reader of the page cannot see were left out.")
    blank = [n for n, page in zip(chosen, read, strict=False) if page.images and not page.lines]
    if blank and not damaged:
        notes.append(f"Pages with images but no text layer: {_listed(n + 1 for n in blank)}.")
    about = document.get_metadata_dict()
    markdown = _write(read)
    heading = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return Parsed(
        markdown=markdown,
        title=_said(about.get("Title")) or (heading[1] if heading else None),
        author=_said(about.get("Author")),
        created=read_date(about.get("CreationDate") or ""),
        page_count=total,
        notes=tuple(notes),
    )


def _all_pages(document: Any, chosen: Sequence[int]) -> tuple[list[_Page], list[int]]:
    read: list[_Page] = []
    damaged: list[int] = []
    for number in chosen:
        try:
            page = document[number]
        except Failure:
            damaged.append(number + 1)
            continue
        try:
            read.append(_read_page(page))
        finally:
            page.close()
    return read, damaged


def _nothing(read: list[_Page], total: int, damaged: list[int]) -> Exception:
    if any(page.images for page in read):
        return Scanned(
            f"The PDF is scanned: its {total} pages are images without a text layer, "
            "and recognising text in images is not built in."
        )
    if damaged and not read:
        return Broken("The PDF is damaged: none of its pages can be opened.")
    return Scanned("The PDF has no text layer: nothing on its pages is stored as text.")


def _read_page(page: Any) -> _Page:
    shapes = read_shapes(page)
    words, hidden = Glyphs(page).words(shapes)
    height = page.get_cropbox()[3] - page.get_cropbox()[1]
    words, shapes, height = _upright(words, shapes, height)
    tables, rest = ruled_tables(words, shapes)
    return _Page(split_lines(rest), tables, height, hidden, shapes.images)


def _upright(words: list[Word], shapes: Any, height: float) -> tuple[list[Word], Any, float]:
    """Words of the commonest direction; stamps and watermarks at other angles go."""
    angles = Counter[int]()
    for word in words:
        angles[word.style.angle] += len(word.text)
    if not angles or set(angles) == {0}:
        return words, shapes, height
    main = angles.most_common(1)[0][0]
    kept = [word for word in words if abs(word.style.angle - main) <= 2]
    if main == 0:
        return kept, shapes, height
    # No edge of such a page is known, so nothing on it counts as a running header.
    return kept, shapes._replace(across=(), down=()), math.nan


def _write(pages: list[_Page]) -> str:
    body = _body_size(pages)
    stripped = strip_running([page.lines for page in pages], [page.height for page in pages], body)
    made = [_page_blocks(page, lines, body) for page, lines in zip(pages, stripped, strict=True)]
    return write_pages(made, body=body)


def _body_size(pages: list[_Page]) -> float:
    sizes = Counter[float]()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += sum(len(word.text) for word in line.words if not word.style.mono)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _page_blocks(page: _Page, lines: list[Line], body: float) -> list[Block]:
    """Regions in reading order, with each ruled table where it stands on the page."""
    waiting = sorted(page.tables, key=lambda table: table.box.y0)
    blocks: list[Block] = []
    for region in reading_order(lines):
        pending: list[Line] = []
        for line in region:
            while waiting and _precedes(waiting[0], line):
                blocks += region_blocks(aligned_tables(pending), body=body)
                pending = []
                blocks.append(table_block(waiting.pop(0)))
            pending.append(line)
        blocks += region_blocks(aligned_tables(pending), body=body)
    return blocks + [table_block(table) for table in waiting]


def _precedes(table: Table, line: Line) -> bool:
    overlaps = table.box.x0 < line.x1 and line.x0 < table.box.x1
    return overlaps and table.box.y0 < line.y


def _said(value: str | None) -> str | None:
    text = " ".join((value or "").replace("\x00", "").split())
    return (
        text
        if text and text.lower() not in {"untitled", "(unspecified)", "anonymous", "(anonymous)"}
        else None
    )


def _listed(numbers: Iterable[int]) -> str:
    shown = list(numbers)
    return ", ".join(map(str, shown[:20])) + (" and more" if len(shown) > 20 else "")


def read_date(text: str) -> str | None:
    """A PDF date as ISO 8601; what is no date is None."""
    match = _DATE.match(text.strip())
    if match is None:
        return None
    year, *rest = (int(part) if part else None for part in match.groups()[:6])
    month, day, hour, minute, second = rest
    try:
        made = datetime(
            year or 1,
            month or 1,
            day or 1,
            hour or 0,
            minute or 0,
            second or 0,
            tzinfo=_zone(match),
        )
    except ValueError:
        return None
    return made.isoformat() if hour is not None else made.date().isoformat()


def _zone(match: re.Match[str]) -> timezone:
    if not match[8]:
        return UTC
    offset = timedelta(hours=int(match[9]), minutes=int(match[10] or 0))
    if offset >= timedelta(hours=24):
        return UTC
    return timezone(offset if match[8] == "+" else -offset)
