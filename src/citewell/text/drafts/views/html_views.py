"""Views of HTML: the places are those of the source, and tags are what is not said."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.text.drafts.draft_views import (
    CitationMark,
    DraftBlock,
    DraftBlockKind,
    DraftHeading,
    DraftView,
    NoteEntry,
    TextSpan,
    blank_spans,
    mark_cells,
)
from citewell.text.drafts.marks.note_marks import build_note_mark
from citewell.text.drafts.views.html_links import HtmlLink, build_link_marks, find_back_links
from citewell.text.references.list_headings import is_list_heading

_TAG_PATTERN = re.compile(
    r"<!--|<!\[CDATA\[|<[!?][^<>]{0,2000}>|<(?P<close>/?)(?P<name>[a-zA-Z][\w:-]{0,30})(?P<rest>[^<>]{0,6000})>"
)
_ATTRIBUTE_PATTERN = re.compile(
    r"(?<![\w:-])([a-zA-Z][\w:-]{0,40})\s{0,3}=\s{0,3}(?:\"([^\"]{0,5000})\"|'([^']{0,5000})'|([^\s\"'>]{1,5000}))"
)
_UNREAD_ELEMENTS = frozenset(
    [
        "script",
        "style",
        "head",
        "nav",
        "template",
        "noscript",
        "svg",
        "math",
        "iframe",
        "form",
        "button",
        "select",
        "textarea",
        "pre",
        "video",
        "audio",
        "canvas",
    ]
)
_UNREAD_ENDS = {
    name: re.compile(rf"</{name}\s{{0,9}}>", re.IGNORECASE) for name in _UNREAD_ELEMENTS
}
_INNER_TAG_PATTERN = re.compile(r"<[^<>]{0,2000}>")
_BLOCK_KINDS = {
    "p": DraftBlockKind.PARAGRAPH, "div": DraftBlockKind.PARAGRAPH, "section": DraftBlockKind.PARAGRAPH,
    "article": DraftBlockKind.PARAGRAPH, "main": DraftBlockKind.PARAGRAPH, "body": DraftBlockKind.PARAGRAPH,
    "header": DraftBlockKind.PARAGRAPH, "footer": DraftBlockKind.PARAGRAPH, "aside": DraftBlockKind.PARAGRAPH,
    "li": DraftBlockKind.ITEM, "dd": DraftBlockKind.ITEM, "dt": DraftBlockKind.ITEM, "tr": DraftBlockKind.ROW,
    "blockquote": DraftBlockKind.QUOTE, "figcaption": DraftBlockKind.CAPTION, "caption": DraftBlockKind.CAPTION,
    "ul": DraftBlockKind.PARAGRAPH, "ol": DraftBlockKind.PARAGRAPH, "dl": DraftBlockKind.PARAGRAPH,
    "table": DraftBlockKind.PARAGRAPH, "hr": DraftBlockKind.PARAGRAPH, "figure": DraftBlockKind.PARAGRAPH,
    "thead": DraftBlockKind.PARAGRAPH, "tbody": DraftBlockKind.PARAGRAPH, "html": DraftBlockKind.PARAGRAPH,
}  # fmt: skip
_LASTING_KINDS = (
    DraftBlockKind.ROW, DraftBlockKind.CAPTION, DraftBlockKind.QUOTE, DraftBlockKind.ITEM,
)  # fmt: skip
_HEADING_NAME_PATTERN = re.compile(r"h[1-6]")
_LIST_CLASS_PATTERN = re.compile(
    r"(?:^|[\s_-])(?:references|reflist|bibliography|csl-bib-body|ref-list|citation-list|works-cited)(?:$|[\s_-])",
    re.IGNORECASE,
)
_NOTES_CLASS_PATTERN = re.compile(
    r"(?:^|[\s_-])(?:footnotes?|endnotes?)(?:$|[\s_-])", re.IGNORECASE
)
_MAX_DEPTH = 400
_LIST_HEADING_LEVEL = 6  # any heading that follows ends the list
_MAX_TITLE_CHARS = 2000  # with its tags
_CITED_YEAR_PATTERN = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MIN_CITED_WORDS, _MAX_CITED_CHARS = 5, 1000


@dataclass(slots=True)
class _OpenElement:
    name: str
    start: int  # after its tag
    kind: DraftBlockKind | None = None
    role: str = ""  # "list" or "notes"
    count: int = 0  # items of an ordered list so far
    number: str = ""
    identifier: str = ""


class _HtmlReader:
    """Goes through the tags of a page once; unclosed elements end with the page."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stack: list[_OpenElement] = []
        self._block_start = 0
        self._heading = ""
        self._link: HtmlLink | None = None
        self._cites: tuple[int, str] | None = None
        self._cite_span: TextSpan | None = None
        self.blocks: list[DraftBlock] = []
        self.headings: list[DraftHeading] = []
        self.hidden: list[TextSpan] = []
        self.cells: list[int] = []
        self.lists: list[TextSpan] = []
        self.notes: list[NoteEntry] = []
        self.cited_works: list[NoteEntry] = []  # in cite elements without a link
        self.cited_marks: list[CitationMark] = []
        self.links: list[HtmlLink] = []
        self.anchors: dict[str, int] = {}

    def read_tags(self) -> None:
        at = 0
        while (match := _TAG_PATTERN.search(self._text, at)) is not None:
            at = self._skip_unread(match)
            if at > match.end() or match["name"] is None:
                if match["name"] is not None:
                    self._close_block(match.start(), at)
                self.hidden.append((match.start(), at))
                continue
            self.hidden.append(match.span())
            name = match["name"].lower()
            if match["close"]:
                self._end_view_element(name, match.start(), match.end())
            else:
                self._begin_element(name, match)
        self._close_block(len(self._text), len(self._text))

    def _skip_unread(self, match: re.Match[str]) -> int:
        """Where reading goes on: after a comment, or after an element that is not read."""
        if match[0] == "<!--":
            stop = self._text.find("-->", match.end())
            return len(self._text) if stop < 0 else stop + 3
        name = (match["name"] or "").lower()
        if name in _UNREAD_ELEMENTS and not match["close"] and not match["rest"].endswith("/"):
            closing = _UNREAD_ENDS[name].search(self._text, match.end())
            return len(self._text) if closing is None else closing.end()
        return match.end()

    def _begin_element(self, name: str, match: re.Match[str]) -> None:
        held = _read_attributes(match["rest"]) if "=" in match["rest"] else {}
        for anchor in (held.get("id"), held.get("name") if name == "a" else None):
            if anchor:
                self.anchors.setdefault(anchor, match.end())
        if name == "a":
            self._link = HtmlLink(
                start=match.start(), label_start=match.end(), address=held.get("href", "")
            )
        elif name == "cite":
            self._cite_span = match.span()
        elif name in {"td", "th"}:
            self.cells.append(match.start())
        elif name == "span" and held.get("data-cites"):
            self._cites = (match.start(), held["data-cites"])
        if name in _BLOCK_KINDS or _HEADING_NAME_PATTERN.fullmatch(name):
            self._open_block_element(name, match, held)

    def _open_block_element(self, name: str, match: re.Match[str], held: dict[str, str]) -> None:
        self._close_block(match.start(), match.end())
        if name in {"li", "p", "tr", "dd", "dt"}:
            self._end_unclosed(name, match.start())
        if len(self._stack) >= _MAX_DEPTH or name == "hr":
            return
        words = f"{held.get('class', '')} {held.get('id', '')} {held.get('role', '')}"
        role = "list" if _LIST_CLASS_PATTERN.search(words) else "notes" if _NOTES_CLASS_PATTERN.search(words) else ""  # fmt: skip
        element = _OpenElement(
            name=name,
            start=match.end(),
            kind=_BLOCK_KINDS.get(name),
            role=role,
            identifier=held.get("id", ""),
        )
        if name == "ol" and held.get("start", "").isdigit():
            element.count = int(held["start"][:6]) - 1
        if name == "li" and self._stack and self._stack[-1].name == "ol":
            self._stack[-1].count += 1
            element.number = str(self._stack[-1].count)
        self._stack.append(element)

    def _end_unclosed(self, name: str, at: int) -> None:
        """An item ends where the next one begins, even if nobody says so."""
        if self._stack and self._stack[-1].name == name:
            self._end_view_element(name, at, at)

    def _end_view_element(self, name: str, start: int, end: int) -> None:
        if name == "cite" and self._cite_span is not None:
            self._add_cited_work(self._cite_span, start)
            self._cite_span = None
        elif name == "a" and self._link is not None:
            self.links.append(self._link.close_link(start, end))
            self._link = None
        elif name == "span" and self._cites is not None:
            self.links.append(HtmlLink(start=self._cites[0], label_start=self._cites[0], label_end=end, end=end, cited_keys=tuple(self._cites[1].split())))  # fmt: skip
            self._cites = None
        place = next(
            (at for at in range(len(self._stack) - 1, -1, -1) if self._stack[at].name == name), None
        )
        if place is None:
            return
        self._close_block(start, end)
        element = self._stack[place]
        del self._stack[place:]
        if _HEADING_NAME_PATTERN.fullmatch(name):
            self._add_page_heading(element.start, start, int(name[1]))
        elif element.role == "list":
            self.lists.append((element.start, start))
        elif element.name in {"li", "p", "div", "aside"} and element.identifier and any(one.role == "notes" for one in (*self._stack, element)):  # fmt: skip
            self.notes.append(NoteEntry(label=element.identifier, start=element.start, end=start))

    def _add_cited_work(self, tag: TextSpan, end: int) -> None:
        """Keeps the text of a cite element that is a whole reference, and no title or link."""
        start = tag[1]
        has_link = self._link is not None or any(link.start >= start for link in self.links)
        text = _INNER_TAG_PATTERN.sub(" ", self._text[start:end])
        is_work = _CITED_YEAR_PATTERN.search(text) and len(text.split()) >= _MIN_CITED_WORDS
        if is_work and not has_link and len(text) <= _MAX_CITED_CHARS:
            self.cited_works.append(NoteEntry(label=f"cite at {tag[0]}", start=start, end=end))
            self.cited_marks.append(build_note_mark(*tag, f"cite at {tag[0]}"))

    def _add_page_heading(self, start: int, end: int, level: int) -> None:
        title = self._render_words(start, end)
        self._heading = title or self._heading
        self.headings.append(DraftHeading(start=start, end=end, level=level, title=title))

    def _render_words(self, start: int, end: int) -> str:
        words = _INNER_TAG_PATTERN.sub(" ", self._text[start:end])
        return " ".join(html.unescape(words).split())

    def _close_block(self, end: int, following: int) -> None:
        """Ends the text that stands between two tags of blocks, and notes what it is."""
        start, self._block_start = self._block_start, following
        piece = self._text[start:end]
        if not piece.strip():
            return
        kind, number = DraftBlockKind.PARAGRAPH, ""
        for element in reversed(self._stack):
            if _HEADING_NAME_PATTERN.fullmatch(element.name):
                kind = DraftBlockKind.HEADING
                break
            if element.kind in _LASTING_KINDS:
                kind, number = element.kind, element.number
                break
            if element.role == "notes":
                break
        begin = start + len(piece) - len(piece.lstrip())
        if kind is DraftBlockKind.PARAGRAPH and self._is_list_title(begin, end):
            kind = DraftBlockKind.HEADING
            self._add_page_heading(begin, end, _LIST_HEADING_LEVEL)
        self.blocks.append(
            DraftBlock(
                kind=kind,
                start=begin,
                end=start + len(piece.rstrip()),
                heading=self._heading,
                number=number,
            )
        )

    def _is_list_title(self, start: int, end: int) -> bool:
        """Whether a paragraph is the heading of a list of references, as editors paste it in bold."""
        return end - start <= _MAX_TITLE_CHARS and is_list_heading(self._render_words(start, end))


def build_html_view(text: str) -> DraftView:
    reader = _HtmlReader(text)
    reader.read_tags()
    shown = blank_spans(text, reader.hidden)
    spoken = blank_spans(shown, find_back_links(shown, reader.links, reader.anchors))
    notes = _choose_notes(reader)
    marks: list[CitationMark] = build_link_marks(text, spoken, reader.links, reader.anchors, notes)
    works = [
        one
        for one in reader.cited_works
        if not _is_within(one, [*reader.lists, *_list_spans(notes)])
    ]
    kept = {one.label for one in works}
    marks += [one for one in reader.cited_marks if one.targets[0].value in kept]
    blocks = [block for block in reader.blocks if spoken[block.start : block.end].strip()]
    lists = [
        span
        for span in reader.lists
        if not any(outer[0] <= span[0] and span[1] < outer[1] for outer in reader.lists)
    ]
    return DraftView(
        text=text,
        spoken=mark_cells(spoken, reader.cells),
        blocks=tuple(
            sorted(
                (*_mark_note_blocks(blocks, notes), *map(_build_note_block, works)),
                key=lambda block: block.start,
            )
        ),
        headings=tuple(reader.headings),
        note_entries=(*notes, *works),
        marks=tuple(sorted(marks, key=lambda mark: mark.start)),
        list_spans=tuple(sorted(lists)),
    )


def _list_spans(notes: Sequence[NoteEntry]) -> list[TextSpan]:
    return [(note.start, note.end) for note in notes]


def _is_within(one: NoteEntry, spans: Sequence[TextSpan]) -> bool:
    return any(start <= one.start < end for start, end in spans)


def _build_note_block(note: NoteEntry) -> DraftBlock:
    return DraftBlock(kind=DraftBlockKind.NOTE, start=note.start, end=note.end)


def _choose_notes(reader: _HtmlReader) -> tuple[NoteEntry, ...]:
    """Notes that a link of the text leads to, the innermost element of each."""
    wanted = {link.address[1:] for link in reader.links if link.address.startswith("#")}
    chosen = [note for note in reader.notes if note.label in wanted]
    ordered = sorted(chosen, key=lambda note: (note.start, -note.end))
    return tuple(ordered)


def _mark_note_blocks(blocks: list[DraftBlock], notes: tuple[NoteEntry, ...]) -> list[DraftBlock]:
    if not notes:
        return blocks
    made: list[DraftBlock] = []
    spans = sorted((note.start, note.end) for note in notes)
    at = 0
    for block in blocks:
        while at < len(spans) and spans[at][1] <= block.start:
            at += 1
        inside = at < len(spans) and spans[at][0] <= block.start
        if not inside:
            made.append(block)
    made += [
        DraftBlock(kind=DraftBlockKind.NOTE, start=start, end=end, heading="")
        for start, end in spans
    ]
    return made


def _read_attributes(written: str) -> dict[str, str]:
    return {
        match[1].lower(): html.unescape(match[2] or match[3] or match[4] or "")
        for match in _ATTRIBUTE_PATTERN.finditer(written)
    }
