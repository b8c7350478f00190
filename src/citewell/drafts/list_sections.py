"""Finds the lists of references of a draft: under their headings, or numbered without one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.citations.references.reference_splitting import (
    compile_joined_heading,
    is_list_heading,
    is_references_heading,
)
from citewell.drafts.draft import DraftBlock, DraftBlockKind, DraftHeading, DraftView, select_blocks

_RULE_PATTERN = re.compile(r"[\s|:-]{3,2000}")
_CELL_PATTERN = re.compile(r"(?<!\\)\|")
_NUMBER_PATTERN = re.compile(r"\W{0,4}(\d{1,4})\W{0,4}")
_AUTHOR_HEAD_PATTERN = re.compile(
    r"\W*(?:auth?or|autore?|auteur|verfasser|autorin|författare)", re.IGNORECASE
)
_YEAR_HEAD_PATTERN = re.compile(
    r"\W*(?:year|date|published|jahr|datum|ann[ée]e|año|fecha|anno|ano|jaar|år|rok)\b",
    re.IGNORECASE,
)
# Columns that say what a source is used for.
_REMARK_HEAD_PATTERN = re.compile(
    r"\W*(?:used|use|notes?|remarks?|comments?|supports?|claims?|relevance|key|verwendet|verwendung|bemerkung|anmerkung|notiz|remarques?|commentaire|utilis|notas?|comentario|uso)",
    re.IGNORECASE,
)

_NUMBERED_LINE_PATTERN = re.compile(
    r"[ \t]{0,8}(?:\\?\[(\d{1,4})\\?\]:?|(\d{1,4})[.)]|[⁰¹²³⁴-⁹]{1,4}|<sup>\d{1,4}</sup>|\^\d{1,4}\^|\[\^\d{1,4}\]:?)[ \t]{0,8}\S"
)
_BRACKETED_LINE_PATTERN = re.compile(r"[ \t]{0,8}\\?\[(\d{1,4})\\?\]:?[ \t]{1,8}\S")
_DOTTED_LINE_PATTERN = re.compile(r"[ \t]{0,8}(\d{1,4})[.)][ \t]{1,8}\S")
_CITED_NUMBER_PATTERN = re.compile(r"\[\d{1,4}(?:\s?[,–-]\s?\d{1,4}){0,20}\]|[¹²³]|<sup>\s?\d")
_REFERENCE_SIGN_PATTERN = re.compile(
    r"https?://|www\.|\bdoi\b|\b10\.\d{4,9}/|\barxiv\b|(?<!\d)(?:1[6-9]|20)\d\d(?!\d)",
    re.IGNORECASE,
)
_AFTER_LIST_PATTERN = re.compile(
    r"\W{0,6}(?:(?:[A-Z]|\d{1,2})\.?\s{1,3})?(?:appendi(?:x|ces)|acknowledge?ments?|supplement(?:ary|al)?|author contributions|about the authors?|figure legends|tables?|figures?"
    r"|chapter|kapitel|chapitre|capítulo|anhang|danksagung|annexes?|remerciements|anexos?|agradecimientos|agradecimentos|allegat[oi]|ringraziamenti|bijlagen?|dankwoord|bilag(?:a|or)|załączniki?|附录|附錄|致谢|謝辞|第)\b",
    re.IGNORECASE,
)
_LOOK_CHARS = 400
_MIN_HEADLESS_ENTRIES = 2
_MIN_PROSE_WORDS = 8
_MIN_PROSE_SHARE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSection:
    """A list of references: its heading, and its text from `start` to `end`."""

    start: int
    end: int
    heading_start: int
    title: str = ""


def find_list_sections(view: DraftView, *, is_plain: bool = False) -> tuple[ListSection, ...]:
    """The lists in the order of the text; a list without a heading only if nothing else is one."""
    found = [
        ListSection(start=start, end=end, heading_start=start) for start, end in view.list_spans
    ]
    if found:
        return tuple(found)
    for place, heading in enumerate(view.headings):
        if found and heading.start < found[-1].end:
            continue
        if not is_list_heading(heading.title) or _is_document_title(view, heading):
            continue
        end = _find_section_end(view, place, is_plain=is_plain)
        if end > heading.end and _holds_references(view, heading, end):
            found.append(
                ListSection(
                    start=heading.end,
                    end=end,
                    heading_start=heading.start,
                    title=heading.title,
                )
            )
    if found:
        return tuple(found)
    headless = _find_glued_list(view) or _find_headless_list(view)
    return () if headless is None else (headless,)


def _is_document_title(view: DraftView, heading: DraftHeading) -> bool:
    """Whether a heading such as "Note" opens a text, and no numbered list of notes follows it."""
    if view.text[: heading.start].strip("#= \t\n"):
        return False
    has_list = any(
        is_list_heading(later.title) for later in view.headings if later.start > heading.start
    )
    if is_references_heading(heading.title) and not has_list:
        return False
    following = view.text[heading.end : heading.end + _LOOK_CHARS].lstrip()
    return _NUMBERED_LINE_PATTERN.match(following) is None


def _find_section_end(view: DraftView, place: int, *, is_plain: bool) -> int:
    heading = view.headings[place]
    limit = len(view.text)
    for after in view.headings[place + 1 :]:
        if is_plain:
            if _ends_plain_list(view, heading, after):
                return after.start
        elif after.level <= heading.level or is_list_heading(after.title):
            return after.start
    return _cut_following_prose(view, heading, limit)


def _ends_plain_list(view: DraftView, first: DraftHeading, heading: DraftHeading) -> bool:
    """Whether a line that looks like a heading is one, and no short entry of the list."""
    if _AFTER_LIST_PATTERN.match(heading.title) or is_list_heading(heading.title):
        return True
    if _REFERENCE_SIGN_PATTERN.search(heading.title):
        return False
    following = view.text[heading.end : heading.end + _LOOK_CHARS].strip().partition("\n\n")[0]
    if not following or _NUMBERED_LINE_PATTERN.match(following):
        return False
    listed = view.text[first.end : first.end + _LOOK_CHARS].lstrip()
    if _NUMBERED_LINE_PATTERN.match(listed):
        return True
    return _REFERENCE_SIGN_PATTERN.search(following) is None


def _cut_following_prose(view: DraftView, heading: DraftHeading, limit: int) -> int:
    """The end of a list, if paragraphs without numbers and signs of a reference follow it."""
    blocks = select_blocks(view, heading.end, limit)
    last_listed = 0
    numbered = 0
    for place, block in enumerate(blocks):
        if _is_listed_block(view, block):
            last_listed = place + 1
            numbered += _is_numbered_block(view, block)
    rest = blocks[last_listed:]
    if not rest or rest[0].kind is not DraftBlockKind.PARAGRAPH:
        return limit
    shown = view.spoken[rest[0].start : rest[0].end].strip()
    is_prose = shown[:1].isupper() and (numbered or _reads_as_prose(shown))
    return rest[0].start if is_prose else limit


def _is_listed_block(view: DraftView, block: DraftBlock) -> bool:
    if _is_numbered_block(view, block):
        return True
    shown = view.text[block.start : min(block.end, block.start + _LOOK_CHARS)]
    return _REFERENCE_SIGN_PATTERN.search(shown) is not None and not _reads_as_prose(shown)


def _reads_as_prose(text: str) -> bool:
    """Whether nearly all words are in lower case, as in sentences and hardly ever in references."""
    words = [word for word in text.split() if word[:1].isalpha()]
    lower = sum(word[:1].islower() for word in words)
    return len(words) >= _MIN_PROSE_WORDS and lower >= len(words) * _MIN_PROSE_SHARE


def _is_numbered_block(view: DraftView, block: DraftBlock) -> bool:
    if block.kind in {DraftBlockKind.ITEM, DraftBlockKind.NOTE}:
        return True
    return _NUMBERED_LINE_PATTERN.match(view.text, block.start, block.end) is not None


def _holds_references(view: DraftView, heading: DraftHeading, end: int) -> bool:
    """Whether a section is a list: by its heading, or by the look of most of its blocks.

    Of several headings "References", those before the last may belong to a table of contents.
    """
    others = (later.title for later in view.headings if later.start > heading.start)
    if is_references_heading(heading.title) and not any(map(is_references_heading, others)):
        return bool(view.text[heading.end : end].strip())
    rows = read_table_rows(view.text[heading.end : end].split("\n"))
    sourced = [row for row in rows if _REFERENCE_SIGN_PATTERN.search(row.text)]
    named = sum(any(map(str.isalpha, row.text)) for row in sourced)
    if rows and 2 * named >= len(rows):
        return True
    blocks = select_blocks(view, heading.end, end)
    if not blocks:
        return any(heading.end <= place[0] < end for _, _, place in view.definitions)
    listed = sum(_is_listed_block(view, block) for block in blocks)
    signed = sum(
        _REFERENCE_SIGN_PATTERN.search(view.text[block.start : block.start + _LOOK_CHARS])
        is not None
        for block in blocks
    )
    return listed * 5 >= len(blocks) * 4 and signed * 2 >= len(blocks)


def _find_glued_list(view: DraftView) -> ListSection | None:
    """A list whose heading was joined with its first entry, as happens in text taken from a PDF."""
    for block in reversed(view.blocks):
        match = compile_joined_heading().match(view.text, block.start, block.end)
        if match is not None:
            return ListSection(start=match.end(), end=len(view.text), heading_start=block.start)
    return None


def _find_headless_list(view: DraftView) -> ListSection | None:
    """Lines at the end of the text that are numbered from 1 on and have signs of references."""
    run = _take_last_run(_list_numbered_lines(view, _BRACKETED_LINE_PATTERN))
    if len(run) >= _MIN_HEADLESS_ENTRIES and _count_signed(view, run) * 2 >= len(run):
        return _build_headless_section(view, run[0][0])
    # An ordered list is one of references only if all of it looks so, and the text cites numbers.
    run = _take_last_run(_list_numbered_lines(view, _DOTTED_LINE_PATTERN))
    if len(run) < _MIN_HEADLESS_ENTRIES or _count_signed(view, run) < len(run):
        return None
    after = view.text.find("\n\n", run[-1][0])
    is_last = after < 0 or not view.text[after:].strip()
    is_cited = _CITED_NUMBER_PATTERN.search(view.text, 0, run[0][0]) is not None
    return _build_headless_section(view, run[0][0]) if is_last and is_cited else None


def _build_headless_section(view: DraftView, start: int) -> ListSection:
    return ListSection(start=start, end=len(view.text), heading_start=start)


def _list_numbered_lines(view: DraftView, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """The offset and the number of each line that begins with a number."""
    starts: list[tuple[int, int]] = []
    for block in view.blocks:
        if block.kind is DraftBlockKind.HEADING:
            continue
        at = view.text.rfind("\n", 0, block.start) + 1
        while at < block.end:
            stop = view.text.find("\n", at, block.end)
            stop = block.end if stop < 0 else stop
            if match := pattern.match(view.text, at, stop):
                starts.append((at, int(match[1])))
            at = stop + 1
    return starts


def _count_signed(view: DraftView, run: list[tuple[int, int]]) -> int:
    """How many of these lines have a sign of a reference, up to the next of them."""
    ends = [*(at for at, _ in run[1:]), len(view.text)]
    return sum(
        _REFERENCE_SIGN_PATTERN.search(view.text, at, min(end, at + _LOOK_CHARS)) is not None
        for (at, _), end in zip(run, ends, strict=True)
    )


def _take_last_run(starts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The last lines whose numbers rise by one from 1."""
    run: list[tuple[int, int]] = []
    for at, number in starts:
        if number == 1:
            run = [(at, number)]
        elif run and run[-1][1] + 1 == number:
            run.append((at, number))
        elif run:
            run = []
    return run


# Reads lists of references that are tables, a source in each row.


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    line: int  # its place among the lines
    number: str
    text: str  # the cells as one reference: authors, year, and the rest


def read_table_rows(lines: Sequence[str]) -> list[TableRow]:
    """The rows of the tables among these lines, without their heads."""
    return [
        row
        for at, line in enumerate(lines)
        if at and _is_rule(line) and "|" in lines[at - 1]
        for row in _iterate_rows(lines, at)
    ]


def list_table_lines(lines: Sequence[str]) -> set[int]:
    """The places of the lines that belong to such a table, with its head and its rule."""
    rows = {row.line for row in read_table_rows(lines)}
    heads = {at for at, line in enumerate(lines) if at + 1 in rows and _is_rule(line)}
    return rows | heads | {at - 1 for at in heads}


def _is_rule(line: str) -> bool:
    """Whether the line stands between the head of a table and its rows."""
    return "|" in line and "-" in line and _RULE_PATTERN.fullmatch(line) is not None


def _iterate_rows(lines: Sequence[str], rule: int) -> Iterator[TableRow]:
    head = _split_source_cells(lines[rule - 1])
    for at in range(rule + 1, len(lines)):
        if "|" not in lines[at]:
            return
        cells = _split_source_cells(lines[at])
        number = _NUMBER_PATTERN.fullmatch(cells[0]) if len(cells) > 1 else None
        if number is not None:
            cells[0] = ""
        yield TableRow(
            line=at, number=number[1] if number else "", text=_join_source_cells(head, cells)
        )


def _split_source_cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL_PATTERN.split(line.strip().strip("|"))]


def _join_source_cells(head: Sequence[str], cells: Sequence[str]) -> str:
    """The cells in the order in which references are written."""
    ranked: list[tuple[int, str]] = []
    for place, cell in enumerate(cells):
        name = head[place] if place < len(head) else ""
        if not cell or _REMARK_HEAD_PATTERN.match(name):
            continue
        if _AUTHOR_HEAD_PATTERN.match(name):
            ranked.append((0, cell))
        elif _YEAR_HEAD_PATTERN.match(name):
            ranked.append((1, f"({cell})"))
        else:
            ranked.append((2, cell))
    if not any(rank == 0 for rank, _ in ranked):  # the year belongs behind what names the source
        ranked = [(2 - rank, cell) for rank, cell in ranked]
    return " ".join(
        cell if cell.endswith((".", "!", "?")) or "://" in cell else f"{cell}."
        for _, cell in sorted(ranked, key=lambda row: row[0])
    )
