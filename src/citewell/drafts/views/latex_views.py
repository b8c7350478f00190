r"""Views of LaTeX: sections, items, rows of tables, footnotes, and the keys that \cite names."""

from __future__ import annotations

import re

from citewell.citations.references.formats.latex_text import convert_latex_text
from citewell.core.lazy_patterns import compile_on_use
from citewell.drafts.draft import (
    CitationForm,
    CitationMark,
    DraftBlock,
    DraftBlockKind,
    DraftHeading,
    DraftView,
    NoteEntry,
    TargetKind,
    TextSpan,
    blank_spans,
    build_mark,
    list_targets,
    mark_cells,
)
from citewell.drafts.marks.address_marks import build_link_mark
from citewell.drafts.marks.number_marks import build_note_mark
from citewell.text.data_tables import load_words

HEADING_LEVELS = {
    "part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5,
    "subparagraph": 6,
}  # fmt: skip
QUOTE_ENVIRONMENTS = frozenset({"quote", "quotation", "displayquote", "displaycquote", "verse"})
NOTE_COMMANDS = frozenset({"footnote", "footnotetext", "endnote"})
_NAME_REGEX = r"(?:auto|paren|text|foot|smart|super|full|footfull|short|no|Auto|Paren|Text|Smart|Foot)?[cC]ite(?:s|p|t|alp|alt|author|year|yearpar|title|text|num|url|date|online)?"
CITE_PATTERN = compile_on_use(
    rf"\\(?P<name>(?P<nocite>nocite)|{_NAME_REGEX})\*?(?:\s{{0,3}}(?:\([^(){{}}\n]{{0,300}}\)|\[[^\[\]]{{0,300}}\]){{0,2}}\s{{0,3}}\{{[^{{}}]{{1,5000}}\}}){{1,12}}"
)
_KEYS_PATTERN = compile_on_use(r"\{([^{}]{1,5000})\}")
_TEXTUAL_PATTERN = compile_on_use(r"(?:Text|text)cites?|[cC]ite(?:t|alt|author|year|title)")
_MAX_GROUP_CHARS = 60_000

_COMMENT_PATTERN = compile_on_use(r"(?<!\\)%[^\n]*+")
_TOKEN_PATTERN = compile_on_use(
    r"\\(?P<word>[a-zA-Z@]+)\*?|\\(?P<sign>[^a-zA-Z])|(?P<math>\$\$)|(?P<blank>\n[ \t]*+\n)|(?P<space>~)|(?P<cell>&)"
)
_OPTION_PATTERN = compile_on_use(r"\s{0,3}\[[^\[\]{}\n]{0,300}\]")
_ARGUMENT_PATTERN = compile_on_use(r"\s{0,3}\{")
_NAME_PATTERN = compile_on_use(r"\s{0,3}\{(([a-zA-Z]{1,40})\*?)\}")
_ACCENT_WORDS = frozenset("uvHcdbkrt")
_ACCENT_SIGNS = frozenset("\"'`^~=.")
# Braces; those of an accent are needed to know its letter.
_BRACE_PATTERN = compile_on_use(
    r"\{?\\(?:[\"'`^~=.]|[uvHcdbkrt](?![a-zA-Z]))\s{0,2}\{?\\?[a-zA-Z]{1,2}\}{0,2}|(?P<brace>(?<!\\)[{}])"
)
_DOCUMENT_START, _DOCUMENT_END = "\\begin{document}", "\\end{document}"
_MAX_DEPTH = 40
_TABLE_ENVIRONMENTS = frozenset({"tabular", "tabularx", "longtable", "tabulary", "array"})
_ITEM_ENVIRONMENTS = frozenset({"itemize", "enumerate", "description", "compactitem"})


class _LatexReader:
    """Goes through the commands of a text once, and collects blocks, marks and what is hidden."""

    def __init__(self, text: str, *, is_inner: bool = False) -> None:
        self._text = text
        self._is_inner = is_inner  # inside a note or a caption, which holds no further ones
        self._open: tuple[DraftBlockKind, int] | None = None
        self._heading = ""
        self._environments: list[str] = []
        self._at = 0
        self.blocks: list[DraftBlock] = []
        self.headings: list[DraftHeading] = []
        self.notes: list[NoteEntry] = []
        self.marks: list[CitationMark] = []
        self.hidden: list[TextSpan] = []
        self.cells: list[int] = []
        self.lists: list[TextSpan] = []
        self.listed_keys: list[str] = []

    def read_range(self, start: int, end: int) -> None:
        self._at = start
        begin = start
        while (match := _TOKEN_PATTERN.search(self._text, self._at, end)) is not None:
            self._begin_block(begin, match.start())
            self._at = match.end()
            kind = match.lastgroup
            if kind == "word":
                self._read_command(match["word"], match.start(), end)
            elif kind == "sign":
                self._read_sign(match["sign"], match.start(), end)
            else:
                self._read_mark(kind or "", match.start(), end)
            begin = self._at
        self._begin_block(begin, end)
        self.close_block(end)

    def _begin_block(self, start: int, end: int) -> None:
        """Opens a block at the first word of a part of the text, if none is open."""
        if self._open is not None:
            return
        piece = self._text[start:end]
        bare = piece.lstrip(" \t\n{}")
        if bare:
            self._open = (self._choose_kind(), start + len(piece) - len(bare))

    def _choose_kind(self) -> DraftBlockKind:
        for name in reversed(self._environments):
            if name in QUOTE_ENVIRONMENTS:
                return DraftBlockKind.QUOTE
            if name in _TABLE_ENVIRONMENTS:
                return DraftBlockKind.ROW
            if name in _ITEM_ENVIRONMENTS:
                return DraftBlockKind.ITEM
        return DraftBlockKind.PARAGRAPH

    def close_block(self, end: int) -> None:
        if self._open is None:
            return
        kind, start = self._open
        self._open = None
        if end > start:
            self.blocks.append(DraftBlock(kind=kind, start=start, end=end, heading=self._heading))

    def _read_mark(self, kind: str, start: int, end: int) -> None:
        if kind == "math":
            stop = self._text.find("$$", self._at, end)
            self._at = end if stop < 0 else stop + 2
            self.hidden.append((start, self._at))
        elif kind == "blank":
            self.close_block(start)
        elif kind == "space":
            self.hidden.append((start, start + 1))
        elif any(name in _TABLE_ENVIRONMENTS for name in self._environments):
            self.cells.append(start)

    def _read_sign(self, sign: str, start: int, end: int) -> None:
        if sign == "\\":
            self.hidden.append((start, self._at))
            if any(name in _TABLE_ENVIRONMENTS for name in self._environments):
                self.close_block(start)
        elif sign == "[":
            stop = self._text.find("\\]", self._at, end)
            self._at = end if stop < 0 else stop + 2
            self.hidden.append((start, self._at))
        elif sign in _ACCENT_SIGNS or sign in "%&#$_{}":
            self._begin_block(start, self._at)
        else:
            self.hidden.append((start, self._at))

    def _read_command(self, word: str, start: int, end: int) -> None:
        cite = CITE_PATTERN.match(self._text, start, end)
        if cite is not None:
            self._read_cite(cite)
        elif word in HEADING_LEVELS:
            self._read_section_heading(word, start, end)
        elif word in NOTE_COMMANDS and not self._is_inner:
            self._read_inner_part(DraftBlockKind.NOTE, start, end)
        elif word == "caption" and not self._is_inner:
            self.close_block(start)
            self._read_inner_part(DraftBlockKind.CAPTION, start, end)
        elif word in {"href", "url"}:
            self._read_link(word, start, end)
        elif word in {"begin", "end", "item", "par"}:
            self._read_structure(word, start, end)
        elif word in load_words(__package__, "latex_names", "argument_commands"):
            self._hide_arguments(start, end)
        elif word in _ACCENT_WORDS or convert_latex_text(f"\\{word} ").strip():
            self._begin_block(start, self._at)
        else:
            self._hide_command(start, end)

    def _read_structure(self, word: str, start: int, end: int) -> None:
        self.close_block(start)
        if word in {"begin", "end"}:
            self._read_environment(word, start, end)
            return
        self._hide_command(start, end)
        if word == "item":
            self._open = (DraftBlockKind.ITEM, self._at)

    def _hide_command(self, start: int, end: int) -> None:
        """The name of a command and its options; what it is applied to is said."""
        option = _OPTION_PATTERN.match(self._text, self._at, end)
        self._at = option.end() if option else self._at
        self.hidden.append((start, self._at))

    def _hide_arguments(self, start: int, end: int) -> None:
        while True:
            option = _OPTION_PATTERN.match(self._text, self._at, end)
            self._at = option.end() if option else self._at
            group = _ARGUMENT_PATTERN.match(self._text, self._at, end)
            if group is None:
                break
            self._at = find_group_end(self._text, group.end(), end)
        self.hidden.append((start, self._at))

    def _read_cite(self, cite: re.Match[str]) -> None:
        self._begin_block(cite.start(), cite.end())
        self._at = cite.end()
        self.hidden.append(cite.span())
        keys = split_cite_keys(cite[0])
        if cite["nocite"]:
            self.listed_keys += keys
        if cite["nocite"] or not keys:
            return
        # \textcite and \citet are words of their sentence; \citeyear and \citetitle print no names.
        is_textual = _TEXTUAL_PATTERN.fullmatch(cite["name"]) is not None
        self.marks.append(
            build_mark(
                cite.span(),
                CitationForm.KEY,
                list_targets(TargetKind.KEY, keys),
                is_textual=is_textual,
                shows_authors=is_textual and not cite["name"].endswith(("year", "title")),
            )
        )

    def _read_environment(self, word: str, start: int, end: int) -> None:
        name = _NAME_PATTERN.match(self._text, self._at, end)
        if name is None:
            self.hidden.append((start, self._at))
            return
        self._at = name.end()
        if word == "end":
            if name[2] in self._environments:
                del self._environments[self._environments.index(name[2]) :]
            self.hidden.append((start, self._at))
        elif (
            name[2] in load_words(__package__, "latex_names", "hidden_environments")
            or name[2] == "thebibliography"
        ):
            ending = f"\\end{{{name[1]}}}"
            stop = self._text.find(ending, self._at, end)
            self._at = end if stop < 0 else stop + len(ending)
            self.hidden.append((start, self._at))
            if name[2] == "thebibliography":
                self.lists.append((start, self._at))
        else:
            if len(self._environments) < _MAX_DEPTH:
                self._environments.append(name[2])
            self._hide_arguments(start, end)
            if name[2] == "abstract":
                self._heading = "Abstract"

    def _read_section_heading(self, word: str, start: int, end: int) -> None:
        self.close_block(start)
        option = _OPTION_PATTERN.match(self._text, self._at, end)
        group = _ARGUMENT_PATTERN.match(self._text, option.end() if option else self._at, end)
        if group is None:
            self.hidden.append((start, self._at))
            return
        self._at = find_group_end(self._text, group.end(), end)
        title = " ".join(convert_latex_text(self._text[group.end() : self._at - 1]).split())
        self._heading = title
        self.headings.append(
            DraftHeading(start=start, end=self._at, level=HEADING_LEVELS[word], title=title)
        )
        self.blocks.append(
            DraftBlock(kind=DraftBlockKind.HEADING, start=start, end=self._at, heading=title)
        )

    def _read_inner_part(self, kind: DraftBlockKind, start: int, end: int) -> None:
        """A footnote or a caption, whose text stands in a group and is a block of its own."""
        option = _OPTION_PATTERN.match(self._text, self._at, end)
        group = _ARGUMENT_PATTERN.match(self._text, option.end() if option else self._at, end)
        if group is None:
            self.hidden.append((start, self._at))
            return
        stop = find_group_end(self._text, group.end(), end)
        span = (group.end(), max(group.end(), stop - 1))
        self.blocks.append(DraftBlock(kind=kind, start=span[0], end=span[1], heading=self._heading))
        if kind is DraftBlockKind.NOTE:
            label = f"footnote at {start}"
            self.notes.append(NoteEntry(label=label, start=span[0], end=span[1]))
            self.marks.append(build_note_mark(start, span[0], label))
        inner = _LatexReader(self._text, is_inner=True)
        inner.read_range(*span)
        self.marks += inner.marks
        self.hidden += [(start, span[0]), (span[1], stop), *inner.hidden]
        self._at = stop

    def _read_link(self, word: str, start: int, end: int) -> None:
        group = _ARGUMENT_PATTERN.match(self._text, self._at, end)
        if group is None:
            return
        self._begin_block(start, group.end())
        self._at = find_group_end(self._text, group.end(), end)
        address = self._text[group.end() : self._at - 1].replace("\\", "")
        label = (self._at, self._at)
        if word == "href" and (words := _ARGUMENT_PATTERN.match(self._text, self._at, end)):
            self._at = find_group_end(self._text, words.end(), end)
            label = (words.end(), self._at - 1)
        if address.startswith("http"):
            self.marks.append(build_link_mark(self._text, (start, self._at), label, address))
        self.hidden += [(start, label[0]), (label[1], self._at)]


def build_latex_view(text: str) -> DraftView:
    """The view of a LaTeX text; without a document environment, all of it is the document."""
    comments = [match.span() for match in _COMMENT_PATTERN.finditer(text)]
    bare = blank_spans(text, comments)
    begin = bare.find(_DOCUMENT_START)
    start = begin + len(_DOCUMENT_START) if begin >= 0 else 0
    stop = bare.find(_DOCUMENT_END, start)
    end = stop if stop >= 0 else len(bare)
    reader = _LatexReader(bare)
    reader.read_range(start, end)
    hidden = [*comments, (0, start), (end, len(text)), *reader.hidden]
    hidden += [match.span() for match in _BRACE_PATTERN.finditer(bare) if match["brace"]]
    spoken = mark_cells(blank_spans(text, hidden), reader.cells)
    return DraftView(
        text=text,
        spoken=spoken,
        blocks=tuple(sorted(reader.blocks, key=lambda block: block.start)),
        headings=tuple(reader.headings),
        note_entries=tuple(reader.notes),
        marks=tuple(sorted(reader.marks, key=lambda mark: mark.start)),
        list_spans=tuple(reader.lists),
        listed_keys=tuple(reader.listed_keys),
    )


# The commands of LaTeX that matter to a reader of drafts: headings, citations, what is not said.


def split_cite_keys(command: str) -> list[str]:
    r"""The keys of a citation in order; \cites has several groups of them."""
    return [
        key
        for match in _KEYS_PATTERN.finditer(command)
        for key in (" ".join(part.split()) for part in match[1].split(","))
        if key
    ]


def find_group_end(text: str, start: int, end: int) -> int:
    """The offset after the brace that closes the group whose text begins at `start`."""
    depth = 1
    limit = min(end, start + _MAX_GROUP_CHARS)
    at = start
    while at < limit:
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return limit
