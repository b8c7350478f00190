"""Views of markdown and of plain text: blocks, headings, notes, and what is markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.citations.references.reference_splitting import is_list_heading
from citewell.drafts.draft import (
    DraftBlock,
    DraftBlockKind,
    DraftHeading,
    DraftView,
    NoteEntry,
    TextSpan,
    blank_spans,
    build_note_block,
    list_mark_spans,
)
from citewell.drafts.marks.number_marks import build_note_mark
from citewell.drafts.marks.wiki_marks import read_wikitext
from citewell.text.passages.markdown_blocks import render_plain_text

_CHAPTER_PATTERN = re.compile(
    r"\s{0,8}(?:(?:chapter|kapitel|chapitre|capítulo|capitolo|part|teil|section|appendix|anhang|annexe)\s{1,3}[\dIVXA-Z]{1,5}\b"
    r"|第\s?[\d一二三四五六七八九十]{1,4}\s?[章节節])",
    re.IGNORECASE,
)
_NUMBERED_HEADING_PATTERN = re.compile(r"\s{0,8}\d{1,2}(?:\.\d{1,2}){0,3}\.?\s{1,4}[^\W\d_a-z]")
_WORD_HEADING_PATTERN = re.compile(r"\s{0,8}[^\W\d_a-z]")
_ENDING_MARKS = (".", "!", "?", ";", ",", "。", "！", "？", "…", "]", ")", "”", '"', "、")
# A superscript pasted as digits behind the stop of a sentence: "in two trials.1,2".
_RAISED_END_PATTERN = re.compile(r"[.!?][\"”’»)]?\d{1,3}(?:[,–-]\s?\d{1,3}){0,20}\Z")
_MAX_HEADING_CHARS = 100
_MAX_HEADING_WORDS = 12
_MIN_WRAPPED_CHARS = 40
_MAX_WRAPPED_CHARS = 140

_HEADING_PATTERN = re.compile(r" {0,3}(#{1,6})[ \t]++(\S.*)")
_WIKI_HEADING_PATTERN = re.compile(r" {0,3}(={1,6})[ \t]{0,3}([^=\s][^=\n]{0,200})\1[ \t]*+$")
_UNDERLINE_PATTERN = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*+$")
_ITEM_PATTERN = re.compile(r"[ \t]*+(?:[-*+•▪–]|(\d{1,3})[.)])[ \t]++(?=\S)")
_FENCE_PATTERN = re.compile(r"[ \t]*+(?:```|~~~)")
_MATH_FENCE_PATTERN = re.compile(r"[ \t]*+\$\$[^$]*$")
_QUOTE_PATTERN = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_NOTE_PATTERN = re.compile(r" {0,3}\[\^([^\[\]\s]{1,60})\]:[ \t]*+")
_DEFINITION_PATTERN = re.compile(
    r" {0,3}\[([^\[\]\n]{1,200})\]:[ \t]{1,20}<?((?:https?://|doi:|www\.)[^\s<>]{1,2000})>?[ \t]*+"
    r"(?:[\"'(][^\n]{0,300}[\"')])?[ \t]*+$"
)
_RULE_CHARACTERS = frozenset("|:-+ \t=")
_FRONT_MATTER_ENDS = frozenset({"---", "..."})
_COMMENT_START, _COMMENT_END = "<!--", "-->"
_MAX_FRONT_MATTER_LINES = 400
_LIST_HEADING_LEVEL = 6  # any heading that follows ends the list
INLINE_NOTE_LABEL = "inline note"
_INLINE_NOTE_START = "^["
_MAX_NOTE_CHARS = 4000
_BRACKET_PATTERN = re.compile(r"[\[\]]|\n[ \t]*+\n")
# Marks of emphasis, code and escapes; a word such as snake_case keeps its line.
_MARKUP_PATTERN = re.compile(
    r"(?<!\\)\*{1,3}(?=\S)|(?<=[^\s\\])\*{1,3}|(?<![\w\\])_{1,3}(?=\w)|(?<=[\w.!?,”\"'’)])_{1,3}(?!\w)"
    r"|~~|`{1,2}|\\(?=[*_\[\]()#.!>-])|</?(?:b|i|em|strong|u|small|span|br|p|div|center|mark|kbd|code|cite|q)(?:\s[^<>]{0,200})?/?>"
)
_IMAGE_PATTERN = re.compile(
    r"!\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)|\[[^\[\]\n]{0,100}\])"
)
_ATTRIBUTE_PATTERN = re.compile(r"(?<=[\])}\w])\{[.#:][^{}\n]{0,200}\}")
_CAPTION_PATTERN = re.compile(
    r"[*_\s]{0,6}(?:(?:Supplementary |Extended Data )?(?:Fig(?:ure|\.)?|Table|Tab\.|Abb(?:ildung|\.)|Tabelle|Tableau|Tabla|Figura|Box|Scheme|Listing|Algorithm)"
    r"\s?[A-Z]?\d{1,3}[a-z]?\s?[.:|–—)*_]|[图表図]\s?\d{1,3})"
)


class _MarkdownReader:
    """Collects the blocks of a text line by line."""

    def __init__(self, text: str, *, is_plain: bool) -> None:
        self._text = text
        self._is_plain = is_plain
        self._open: tuple[DraftBlockKind, int, str] | None = None  # kind, start, number or label
        self._end = 0
        self._last_line: TextSpan = (0, 0)
        self._heading = ""
        self._fence = ""
        self._was_blank = True
        self.blocks: list[DraftBlock] = []
        self.headings: list[DraftHeading] = []
        self.notes: list[NoteEntry] = []
        self.definitions: list[tuple[str, str, TextSpan]] = []
        self.hidden: list[TextSpan] = []

    def read_lines(self) -> None:
        at = 0
        lines = self._text.split("\n")
        skipped = _count_front_matter_lines(lines)
        for row, line in enumerate(lines):
            if row < skipped:
                self.hidden.append((at, at + len(line)))
            else:
                self._read_view_line(at, line, lines[row + 1] if row + 1 < len(lines) else "")
            at += len(line) + 1
        self.close_block()

    def _read_view_line(self, start: int, line: str, following: str) -> None:
        end = start + len(line)
        if self._skip_fenced_line(start, line):
            return
        if not line.strip():
            if self._open is None or self._open[0] is not DraftBlockKind.NOTE:
                self.close_block()
            self._was_blank = True
            return
        if not (
            self._read_hash_heading(start, line)
            or self._read_list_heading(start, line, following)
            or self._read_definition(start, line)
            or self._read_marked_line(start, line)
        ):
            self._read_text_line(start, line, following)
        self._last_line = (start, end)
        self._was_blank = False

    def _skip_fenced_line(self, start: int, line: str) -> bool:
        mark = _FENCE_PATTERN.match(line) or _MATH_FENCE_PATTERN.match(line)
        kind = line.strip()[:2] if mark else ""
        if self._fence:
            if kind == self._fence:
                self._fence = ""
        elif kind:
            self.close_block()
            self._fence = kind
        else:
            return False
        self.hidden.append((start, start + len(line)))
        return True

    def _read_hash_heading(self, start: int, line: str) -> bool:
        if match := _HEADING_PATTERN.match(line) or _WIKI_HEADING_PATTERN.match(line):
            self.close_block()
            self._add_view_heading(start, start + len(line), len(match[1]), match[2].rstrip(" #"))
            return True
        if not _UNDERLINE_PATTERN.match(line):
            return False
        self.hidden.append((start, start + len(line)))
        is_single = self._open is not None and self._open[1] >= self._last_line[0]
        if self._open is not None and self._open[0] is DraftBlockKind.PARAGRAPH and is_single:
            first, last = self._last_line
            self._open = None
            level = 1 if line.lstrip().startswith("=") else 2
            self._add_view_heading(first, start + len(line), level, self._text[first:last])
        else:
            self.close_block()
        return True

    def _read_list_heading(self, start: int, line: str, following: str) -> bool:
        """The heading of a list of references, however it is written: bold, numbered, a bare line."""
        stripped = line.lstrip()
        if stripped.startswith("|") or _UNDERLINE_PATTERN.match(following):
            return False
        if (stripped[:1].islower() and not self._was_blank) or not is_list_heading(line):
            return False
        self.close_block()
        self._add_view_heading(start, start + len(line), _LIST_HEADING_LEVEL, stripped)
        return True

    def _read_definition(self, start: int, line: str) -> bool:
        """A note, or the address of a link that is named elsewhere."""
        if match := _DEFINITION_PATTERN.match(line):
            self.close_block()
            self.definitions.append((match[1], match[2], (start, start + len(line))))
            self.hidden.append((start, start + len(line)))
            return True
        if match := _NOTE_PATTERN.match(line):
            self._open_view_block(
                DraftBlockKind.NOTE, start + match.end(), start + len(line), match[1]
            )
            self.hidden.append((start, start + match.end()))
            return True
        return False

    def _read_marked_line(self, start: int, line: str) -> bool:
        """A line that shows by its first characters what it is: an item, a row, a quotation."""
        end = start + len(line)
        stripped = line.lstrip()
        if stripped.startswith(("|", "+-", "+=")):
            self._read_table_line(start, line)
            return True
        if match := _QUOTE_PATTERN.match(line):
            self.hidden.append((start, start + match.end()))
            if not line[match.end() :].strip():
                self.close_block()
            elif self._open is not None and self._open[0] is DraftBlockKind.QUOTE:
                self._end = end
            else:
                self._open_view_block(DraftBlockKind.QUOTE, start + match.end(), end)
            return True
        if match := _ITEM_PATTERN.match(line):
            self.hidden.append((start, start + match.end()))
            self._open_view_block(DraftBlockKind.ITEM, start + match.end(), end, match[1] or "")
            return True
        return False

    def _read_table_line(self, start: int, line: str) -> None:
        self.close_block()
        if _RULE_CHARACTERS.issuperset(line):
            self.hidden.append((start, start + len(line)))
            return
        self._open_view_block(DraftBlockKind.ROW, start, start + len(line))
        self.close_block()

    def _read_text_line(self, start: int, line: str, following: str) -> None:
        end = start + len(line)
        if self._open is not None and self._open[0] is DraftBlockKind.NOTE:
            if line.startswith(("    ", "\t")) or not self._was_blank:
                self._end = end
                return
            self.close_block()
        if self._is_plain and is_heading_line(line, was_blank=self._was_blank, following=following):
            self.close_block()
            self._add_view_heading(start, end, 2, line.strip())
            return
        if self._open is not None and self._is_plain:
            before = self._text[self._last_line[0] : self._last_line[1]]
            if not continues_line(before, line):
                self.close_block()
        if self._open is None:
            self._open_view_block(DraftBlockKind.PARAGRAPH, start, end)
        self._end = end

    def _add_view_heading(self, start: int, end: int, level: int, words: str) -> None:
        title = render_plain_text(words)
        self._heading = title or self._heading
        self.headings.append(DraftHeading(start=start, end=end, level=level, title=title))
        self.blocks.append(
            DraftBlock(kind=DraftBlockKind.HEADING, start=start, end=end, heading=title)
        )

    def _open_view_block(
        self, kind: DraftBlockKind, start: int, end: int, number: str = ""
    ) -> None:
        self.close_block()
        self._open, self._end = (kind, start, number), end

    def close_block(self) -> None:
        if self._open is None:
            return
        kind, start, number = self._open
        self._open = None
        if kind is DraftBlockKind.NOTE:
            self.notes.append(NoteEntry(label=number, start=start, end=self._end))
        elif kind is DraftBlockKind.PARAGRAPH and _CAPTION_PATTERN.match(
            self._text[start : min(start + 60, self._end)]
        ):
            kind = DraftBlockKind.CAPTION
        self.blocks.append(
            DraftBlock(kind=kind, start=start, end=self._end, heading=self._heading, number=number)
        )


def build_markdown_view(
    text: str, *, is_plain: bool = False, is_document: bool = False
) -> DraftView:
    """The view of a markdown text; of a plain one, whose headings show by their look only.

    With `is_document` a document reader wrote the text, and what it did not escape is a mark.
    """
    wiki = read_wikitext(text)
    comments = [*([] if is_document else _find_comments(text)), *wiki.hidden]
    bare = blank_spans(text, comments)
    reader = _MarkdownReader(bare, is_plain=is_plain)
    reader.read_lines()
    inline = [] if is_plain else list(_find_inline_notes(bare))
    hidden = [*comments, *reader.hidden]
    hidden += [span for note in inline for span in list_note_brackets(note)]
    hidden += [match.span() for match in _IMAGE_PATTERN.finditer(bare)]
    hidden += [match.span() for match in _ATTRIBUTE_PATTERN.finditer(bare)]
    unprinted = list_mark_spans(bare) if is_document else ()
    # The marks without brackets, which the readers of links and notes look for.
    emphasis = [(start, end) for start, end in unprinted if bare[start] in "*~`\\"]
    hidden += emphasis
    if not is_document:
        hidden += [match.span() for match in _MARKUP_PATTERN.finditer(bare)]
    return DraftView(
        text=blank_spans(text, wiki.templates),
        spoken=blank_spans(text, hidden),
        blocks=tuple(
            sorted((*reader.blocks, *map(build_note_block, inline)), key=lambda block: block.start)
        ),
        headings=tuple(reader.headings),
        note_entries=(*reader.notes, *inline),
        definitions=tuple(reader.definitions),
        works=wiki.works,
        unprinted=unprinted,
        marks=(
            *wiki.marks,
            *(
                build_note_mark(note.start - len(_INLINE_NOTE_START), note.start, note.label)
                for note in inline
            ),
        ),
    )


def _find_inline_notes(text: str) -> Iterator[NoteEntry]:
    """Notes that are written where they are meant, as pandoc has them: ^[Smith 2020, p. 3]."""
    at = 0
    while (start := text.find(_INLINE_NOTE_START, at)) >= 0:
        begin = at = start + len(_INLINE_NOTE_START)
        end = _find_closing_bracket(text, begin)
        if end > begin:
            yield NoteEntry(label=f"{INLINE_NOTE_LABEL} {start}", start=begin, end=end)
            at = end


def _find_closing_bracket(text: str, start: int) -> int:
    """Where the bracket closes whose text begins at `start`; -1 if it does not in its paragraph."""
    depth = 1
    for match in _BRACKET_PATTERN.finditer(text, start, start + _MAX_NOTE_CHARS):
        if match[0] == "[":
            depth += 1
        elif match[0] == "]":
            depth -= 1
        else:
            return -1
        if not depth:
            return match.start()
    return -1


def list_note_brackets(note: NoteEntry) -> tuple[TextSpan, ...]:
    """The signs around a note that is written where it is meant; none around any other."""
    if not note.label.startswith(INLINE_NOTE_LABEL):
        return ()
    return (note.start - len(_INLINE_NOTE_START), note.start), (note.end, note.end + 1)


def _find_comments(text: str) -> list[TextSpan]:
    found: list[TextSpan] = []
    at = 0
    while (start := text.find(_COMMENT_START, at)) >= 0:
        end = text.find(_COMMENT_END, start)
        if end < 0:
            break
        at = end + len(_COMMENT_END)
        found.append((start, at))
    return found


def _count_front_matter_lines(lines: list[str]) -> int:
    """How many lines the settings at the head of the text take; 0 if there are none."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for row, line in enumerate(lines[1:_MAX_FRONT_MATTER_LINES], start=2):
        if line.rstrip() in _FRONT_MATTER_ENDS:
            return row
    return 0


# Tells headings from text and wrapped lines from ends of paragraphs in text without markup.


def is_heading_line(line: str, *, was_blank: bool, following: str) -> bool:
    """Whether a line of plain text is a heading: it stands alone, is short and ends in no stop."""
    shown = line.strip()
    if not shown or len(shown) > _MAX_HEADING_CHARS or len(shown.split()) > _MAX_HEADING_WORDS:
        return False
    if shown.endswith(_ENDING_MARKS) or _RAISED_END_PATTERN.search(shown):
        return False
    if _CHAPTER_PATTERN.match(line):
        return was_blank
    if not was_blank or "http" in shown:
        return False
    if _NUMBERED_HEADING_PATTERN.match(line) or shown.isupper():
        return True
    return not following.strip() and _WORD_HEADING_PATTERN.match(line) is not None


def continues_line(before: str, line: str) -> bool:
    """Whether a paragraph goes on: the line before was broken because it was full."""
    length = len(before.rstrip())
    if length > _MAX_WRAPPED_CHARS:
        return False
    if line[:1].islower():
        return True
    return length >= _MIN_WRAPPED_CHARS
