"""Word and PDF files of the evaluation's texts."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from xml.sax.saxutils import escape

from tests.documents import Pdf, docx

_TOKEN_PATTERN = re.compile(r"⟦note:([^⟧]*)⟧|⟦field:([^⟧]*)⟧([^⟦]*)⟦/field⟧")
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_LINE_CHARS = 92
_PAGE_LINES = 56


def build_docx(body: str) -> bytes:
    """Of markdown headings and paragraphs; `⟦note:…⟧` is a footnote, `⟦field:…⟧…⟦/field⟧` a field."""
    notes: list[str] = []
    blocks = [block for block in re.split(r"\n\s*\n|\n(?=\d+\. )", body.strip()) if block.strip()]
    content = "".join(_write_block(block.replace("\n", " "), notes) for block in blocks)
    written = "".join(
        f'<w:footnote w:id="{number}"><w:p><w:r><w:footnoteRef/></w:r>{_write_run(" " + note)}</w:p></w:footnote>'
        for number, note in enumerate(notes, 1)
    )
    related = {"footnotes": f"<w:footnotes {_WORD}>{written}</w:footnotes>"} if notes else {}
    return docx(content, related=related)


def build_pdf(body: str) -> bytes:
    """Of plain text: lines of one column, a blank line between paragraphs."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", body.strip()):
        for line in block.splitlines():
            lines += textwrap.wrap(
                line, _LINE_CHARS, break_long_words=False, break_on_hyphens=False
            )
        lines.append("")
    made = Pdf(title="A draft")
    for start in range(0, len(lines), _PAGE_LINES):
        page = lines[start : start + _PAGE_LINES]
        if start:
            made.page()
        # The fonts read bytes as Windows-1252, and the writer of the file gives bytes as Latin-1.
        made.lines(60, 70, [_fit_font(line).decode("latin-1") for line in page])
    return made.build()


def _fit_font(line: str) -> bytes:
    """The line in Windows-1252; letters that it does not have lose their marks."""
    try:
        return line.encode("cp1252")
    except UnicodeEncodeError:
        plain = "".join(
            letter if letter.isascii() else unicodedata.normalize("NFKD", letter)[0]
            for letter in line
        )
        return plain.encode("cp1252", "ignore")


def _write_block(block: str, notes: list[str]) -> str:
    level = len(block) - len(block.lstrip("#"))
    style = f'<w:pPr><w:pStyle w:val="Heading{level}"/></w:pPr>' if level else ""
    return f"<w:p>{style}{_write_runs(block[level:].strip(), notes)}</w:p>"


def _write_runs(text: str, notes: list[str]) -> str:
    parts: list[str] = []
    end = 0
    for found in _TOKEN_PATTERN.finditer(text):
        parts.append(_write_run(text[end : found.start()]))
        end = found.end()
        if found[1] is not None:
            notes.append(found[1])
            parts.append(f'<w:r><w:footnoteReference w:id="{len(notes)}"/></w:r>')
        else:
            parts.append(_write_field(found[2], found[3]))
    return "".join([*parts, _write_run(text[end:])])


def _write_field(code: str, shown: str) -> str:
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f'<w:r><w:instrText xml:space="preserve"> {escape(code)} </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        f'{_write_run(shown)}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def _write_run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>' if text else ""
