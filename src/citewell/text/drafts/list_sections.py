"""Finds the lists of references of a draft: under their headings, or numbered without one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.text.drafts.draft_views import (
    DraftBlock,
    DraftBlockKind,
    DraftHeading,
    DraftView,
    select_blocks,
)
from citewell.text.drafts.table_rows import TableRow, read_table_rows
from citewell.text.references.list_headings import (
    compile_joined_heading,
    is_list_heading,
    is_references_heading,
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
    has_list = any(is_list_heading(one.title) for one in view.headings if one.start > heading.start)
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
    if not rest or not _is_prose_block(view, rest[0]):
        return limit
    shown = view.spoken[rest[0].start : rest[0].end]
    return rest[0].start if numbered or _reads_as_prose(shown) else limit


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


def _is_prose_block(view: DraftView, block: DraftBlock) -> bool:
    first = view.spoken[block.start : block.end].strip()
    return block.kind is DraftBlockKind.PARAGRAPH and first[:1].isupper()


def _holds_references(view: DraftView, heading: DraftHeading, end: int) -> bool:
    """Whether a section is a list: by its heading, or by the look of most of its blocks.

    Of several headings "References", those before the last may belong to a table of contents.
    """
    others = (one.title for one in view.headings if one.start > heading.start)
    if is_references_heading(heading.title) and not any(map(is_references_heading, others)):
        return bool(view.text[heading.end : end].strip())
    rows = read_table_rows(view.text[heading.end : end].split("\n"))
    if rows and 2 * sum(_is_table_entry(row) for row in rows) >= len(rows):
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


def _is_table_entry(row: TableRow) -> bool:
    return bool(_REFERENCE_SIGN_PATTERN.search(row.text)) and any(map(str.isalpha, row.text))


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
