"""Views of HTML: the places are those of the source, and tags are what is not said."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from citewell.citations.references.reference_splitting import is_list_heading
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
    build_note_block,
    list_targets,
    mark_cells,
)
from citewell.drafts.marks.address_marks import build_link_mark
from citewell.drafts.marks.number_marks import build_note_mark
from citewell.text.addresses import is_web_address
from citewell.text.data_tables import load_table, load_words

_TAG_PATTERN = compile_on_use(
    r"<!--|<!\[CDATA\[|<[!?][^<>]{0,2000}>|<(?P<close>/?)(?P<name>[a-zA-Z][\w:-]{0,30})(?P<rest>[^<>]{0,6000})>"
)
_ATTRIBUTE_PATTERN = compile_on_use(
    r"(?<![\w:-])([a-zA-Z][\w:-]{0,40})\s{0,3}=\s{0,3}(?:\"([^\"]{0,5000})\"|'([^']{0,5000})'|([^\s\"'>]{1,5000}))"
)
_INNER_TAG_PATTERN = compile_on_use(r"<[^<>]{0,2000}>")

_LASTING_KINDS = (
    DraftBlockKind.ROW, DraftBlockKind.CAPTION, DraftBlockKind.QUOTE, DraftBlockKind.ITEM,
)  # fmt: skip
_HEADING_NAME_PATTERN = compile_on_use(r"h[1-6]")
_LIST_CLASS_PATTERN = compile_on_use(
    r"(?:^|[\s_-])(?:references|reflist|bibliography|csl-bib-body|ref-list|citation-list|works-cited)(?:$|[\s_-])",
    re.IGNORECASE,
)
_NOTES_CLASS_PATTERN = compile_on_use(
    r"(?:^|[\s_-])(?:footnotes?|endnotes?)(?:$|[\s_-])", re.IGNORECASE
)
_MAX_DEPTH = 400
_LIST_HEADING_LEVEL = 6  # any heading that follows ends the list
_MAX_TITLE_CHARS = 2000  # with its tags
_CITED_YEAR_PATTERN = compile_on_use(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MIN_CITED_WORDS, _MAX_CITED_CHARS = 5, 1000
_NUMBER_LABEL_PATTERN = compile_on_use(
    r"\s{0,5}[\[(]?\s?(?:note )?(\d{1,4}|[a-z]|[*†‡])\s?[\])]?\s{0,5}"
)
_CITING_LABEL_PATTERN = compile_on_use(
    r"(?:1[5-9]|20)\d\d[a-z]?|\bet al\b|\bn\.\s?d\.", re.IGNORECASE
)
_RAISED_START_PATTERN = compile_on_use(r"<sup[^<>]{0,300}>\s{0,5}\[?\s{0,5}\Z", re.IGNORECASE)
_RAISED_END_PATTERN = compile_on_use(r"\s{0,5}\]?\s{0,5}</sup>", re.IGNORECASE)
_COMMA_PATTERN = compile_on_use(r"\s{0,200}[,;]\s{0,200}")
_MAX_RAISED_CHARS = 320
_MAX_NUMBER_CHARS = 8


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
        unread = load_words(__package__, "html_names", "unread_elements")
        if name in unread and not match["close"] and not match["rest"].endswith("/"):
            closing = _compile_end_tag(name).search(self._text, match.end())
            return len(self._text) if closing is None else closing.end()
        return match.end()

    def _begin_element(self, name: str, match: re.Match[str]) -> None:
        held = {
            found[1].lower(): html.unescape(found[2] or found[3] or found[4] or "")
            for found in _ATTRIBUTE_PATTERN.finditer(match["rest"])
        }
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
        if name in load_table(__package__, "html_names")[
            "block_kinds"
        ] or _HEADING_NAME_PATTERN.fullmatch(name):
            self._open_block_element(name, match, held)

    def _open_block_element(self, name: str, match: re.Match[str], held: dict[str, str]) -> None:
        self._close_block(match.start(), match.end())
        # An item ends where the next one begins, even if nobody says so.
        is_open = bool(self._stack) and self._stack[-1].name == name
        if is_open and name in {"li", "p", "tr", "dd", "dt"}:
            self._end_view_element(name, match.start(), match.start())
        if len(self._stack) >= _MAX_DEPTH or name == "hr":
            return
        words = f"{held.get('class', '')} {held.get('id', '')} {held.get('role', '')}"
        role = "list" if _LIST_CLASS_PATTERN.search(words) else "notes" if _NOTES_CLASS_PATTERN.search(words) else ""  # fmt: skip
        kinds = load_table(__package__, "html_names")["block_kinds"]
        element = _OpenElement(
            name=name,
            start=match.end(),
            kind=DraftBlockKind(kinds[name]) if name in kinds else None,
            role=role,
            identifier=held.get("id", ""),
        )
        if name == "ol" and held.get("start", "").isdigit():
            element.count = int(held["start"][:6]) - 1
        if name == "li" and self._stack and self._stack[-1].name == "ol":
            self._stack[-1].count += 1
            element.number = str(self._stack[-1].count)
        self._stack.append(element)

    def _end_view_element(self, name: str, start: int, end: int) -> None:
        if name == "cite" and self._cite_span is not None:
            self._add_cited_work(self._cite_span, start)
            self._cite_span = None
        elif name == "a" and self._link is not None:
            self.links.append(replace(self._link, label_end=start, end=end))
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
        elif element.name in {"li", "p", "div", "aside"} and element.identifier and any(outer.role == "notes" for outer in (*self._stack, element)):  # fmt: skip
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
        # Editors paste the heading of a list of references as a paragraph in bold.
        is_short = end - begin <= _MAX_TITLE_CHARS
        if (
            kind is DraftBlockKind.PARAGRAPH
            and is_short
            and is_list_heading(self._render_words(begin, end))
        ):
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


@cache
def _compile_end_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}\s{{0,9}}>", re.IGNORECASE)


def build_html_view(text: str) -> DraftView:
    reader = _HtmlReader(text)
    reader.read_tags()
    shown = blank_spans(text, reader.hidden)
    spoken = blank_spans(shown, find_back_links(shown, reader.links, reader.anchors))
    # Notes that a link of the text leads to, the innermost element of each.
    wanted = {link.address[1:] for link in reader.links if link.address.startswith("#")}
    chosen = [note for note in reader.notes if note.label in wanted]
    notes = tuple(sorted(chosen, key=lambda note: (note.start, -note.end)))
    marks: list[CitationMark] = build_link_marks(text, spoken, reader.links, reader.anchors, notes)
    works = [
        work
        for work in reader.cited_works
        if not _is_within(work, [*reader.lists, *((note.start, note.end) for note in notes)])
    ]
    kept = {work.label for work in works}
    marks += [mark for mark in reader.cited_marks if mark.targets[0].value in kept]
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
                (*_mark_note_blocks(blocks, notes), *map(build_note_block, works)),
                key=lambda block: block.start,
            )
        ),
        headings=tuple(reader.headings),
        note_entries=(*notes, *works),
        marks=tuple(sorted(marks, key=lambda mark: mark.start)),
        list_spans=tuple(sorted(lists)),
    )


def _is_within(note: NoteEntry, spans: Sequence[TextSpan]) -> bool:
    return any(start <= note.start < end for start, end in spans)


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
    made += [DraftBlock(kind=DraftBlockKind.NOTE, start=start, end=end) for start, end in spans]
    return made


# Links of an HTML draft: to other pages, to entries of its list, and to its notes.


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlLink:
    start: int
    label_start: int
    label_end: int = 0
    end: int = 0
    address: str = ""
    cited_keys: tuple[str, ...] = ()  # as pandoc writes them beside the citation


def build_link_marks(
    text: str,
    spoken: str,
    links: Sequence[HtmlLink],
    anchors: Mapping[str, int],
    notes: Sequence[NoteEntry],
) -> list[CitationMark]:
    """The marks of links that cite; a link to a heading, or back from a note, is none."""
    labels = {note.label for note in notes}
    made: list[CitationMark] = []
    for link in sorted(links, key=lambda link: (link.start, -link.end)):
        span = (link.start, link.end)
        label = (link.label_start, link.label_end)
        if link.cited_keys:
            places = [anchors[f"ref-{key}"] for key in link.cited_keys if f"ref-{key}" in anchors]
            if places:
                entries = list_targets(TargetKind.ENTRY, map(str, places))
                made.append(build_mark(span, CitationForm.AUTHOR_YEAR, entries))
        elif link.address.startswith("#"):
            mark = _build_inner_mark(text, spoken, link, anchors, labels)
            made += [mark] if mark is not None else []
        elif is_web_address(link.address) and spoken[label[0] : label[1]].strip():
            made.append(build_link_mark(spoken, span, label, link.address))
    return _join_neighbours(spoken, made)


def _join_neighbours(spoken: str, marks: list[CitationMark]) -> list[CitationMark]:
    """Numbers with nothing but commas between them are one citation, as in other formats."""
    joined: list[CitationMark] = []
    for mark in marks:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.form is CitationForm.NUMBER is mark.form
            and mark.start - before.end <= _MAX_RAISED_CHARS
            and _COMMA_PATTERN.fullmatch(spoken, before.end, mark.start)
        ):
            joined[-1] = replace(
                before,
                end=mark.end,
                targets=(*before.targets, *mark.targets),
                hidden=(*before.hidden, (before.end, mark.start), *mark.hidden),
            )
        else:
            joined.append(mark)
    return joined


def find_back_links(
    spoken: str, links: Sequence[HtmlLink], anchors: Mapping[str, int]
) -> list[TextSpan]:
    """The labels of links that lead back from a note or an entry to the text."""
    return [
        (link.label_start, link.label_end)
        for link in links
        if link.address.startswith("#")
        and anchors.get(link.address[1:], link.end) < link.start
        and len(spoken[link.label_start : link.label_end].strip()) <= _MAX_NUMBER_CHARS
    ]


def _build_inner_mark(
    text: str,
    spoken: str,
    link: HtmlLink,
    anchors: Mapping[str, int],
    labels: set[str],
) -> CitationMark | None:
    name = link.address[1:]
    target = anchors.get(name)
    if target is None or target < link.start:  # back from a note, or to an earlier heading
        return None
    words = "".join(spoken[link.label_start : link.label_end].split())
    if len(words) > _MAX_NUMBER_CHARS:
        words = spoken[link.label_start : link.label_end]
    span = _include_raised(text, (link.start, link.end))
    if name in labels:
        note = list_targets(TargetKind.NOTE, [name])
        return build_mark((link.start, link.end), CitationForm.NOTE, note, hidden=span)
    if not (_NUMBER_LABEL_PATTERN.fullmatch(words) or _CITING_LABEL_PATTERN.search(words)):
        return None
    is_number = _NUMBER_LABEL_PATTERN.fullmatch(words) is not None
    form = CitationForm.NUMBER if is_number else CitationForm.AUTHOR_YEAR
    entry = list_targets(TargetKind.ENTRY, [str(target)])
    return build_mark((link.start, link.end), form, entry, hidden=span)


def _include_raised(text: str, span: TextSpan) -> TextSpan:
    """The span with the raised element or the brackets that hold nothing else."""
    start, end = span
    before = _RAISED_START_PATTERN.search(text, max(0, start - _MAX_RAISED_CHARS), start)
    after = _RAISED_END_PATTERN.match(text, end)
    if before is not None and after is not None:
        return before.start(), after.end()
    if text[start - 1 : start] == "[" and text[end : end + 1] == "]":
        return start - 1, end + 1
    return start, end
