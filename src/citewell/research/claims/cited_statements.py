"""The statements of a model's text and the sources they cite, whose marks are brought into the form [src_N]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citewell.core.values.research import ProviderReport, ReportCitation, ResearchSource
from citewell.text import addresses
from citewell.text.addresses import is_web_address
from citewell.text.language import sentences

LOST_REF = "src_0"  # stands for a citation of no source, until its sentence is checked
REF_MARK_PATTERN = re.compile(r"\[(src_\d+)\]")
# One piece of a mark: "3", "src_3", "source 3", "^3", "3†title", "3-5".
_REF_PIECE_PATTERN = re.compile(
    r"\^?(?:(?:src|sources?|refs?|passages?)[\s_:#.-]{0,3}+)?\d{1,3}+"
    r"(?:[\s–-]{1,3}+(?:src_)?\d{1,3}+){0,3}+(?:†.{0,80}+)?",
    re.IGNORECASE,
)
_PIECE_BORDER_PATTERN = re.compile(r"[,;&]|\band\b")
_MARK_LINK_PATTERN = re.compile(
    r"(!?)\[([^\[\]\n]{0,300}+)\]\([^\S\n]{0,3}+<?"
    r"([^\s()<>]{1,600}+(?:\([^\s()]{0,100}+\)[^\s()<>]{0,200}+){0,3}+)>?[^()\n]{0,200}+\)"
)
_BARE_ADDRESS_PATTERN = re.compile(r"<?\bhttps?://[^\s<>()\[\]【】]{1,2000}+>?")
_DEFINITION_PATTERN = re.compile(r"^[^\S\n]{0,8}+\[\^?\w{1,20}+\]:[^\n]*+$", re.MULTILINE)
_BRACKETED_PATTERN = re.compile(r"[\[【(]([^\[\]【】()\n]{1,80}+)[\]】)]")
_NAMED_SOURCE_PATTERN = re.compile(
    r"(?:see\s|cf\.?\s)?\s?(src|sources?)\b|(?:see\s)?src_", re.IGNORECASE
)
_POINTER_PATTERN = re.compile(r"\A(?:see|cf\.?)\s{1,3}+", re.IGNORECASE)
_SUPERSCRIPT_PATTERN = re.compile(r"(?<=[.!?,;])[⁰¹²³⁴-⁹]{1,3}+")
_BARE_REF_PATTERN = re.compile(r"(?<![\[\w])src_\d{1,4}+(?![\]\w])")
_STRAY_MARK_PATTERN = re.compile(
    r"\[[^\S\n]{0,3}+\^?src[^\[\]\n]{0,80}+\]|【[^【】\n]{0,200}+】|\[\s{0,3}+\]", re.IGNORECASE
)
_FOREIGN_MARK_PATTERN = re.compile(r"[\d†]")
_WRAPPED_MARK_PATTERN = re.compile(
    r"\([^\S\n]{0,3}+(?:see|sources?|cf\.?|ref\.?)?:?[^\S\n]{0,3}+"
    r"((?:\[src_\d{1,4}+\][\s,;]{0,4}+){1,12}+)\)",
    re.IGNORECASE,
)
_NUMBER_PATTERN = re.compile(r"\d{1,3}+")
_RANGE_PATTERN = re.compile(r"(\d{1,3})[^\S\n]{0,2}[–-]\D{0,6}(\d{1,3})")
_SENTENCE_END_PATTERN = re.compile(r"[^\S\n]{0,3}+(?:[.!?。！？\n]|\Z)")
_SUPERSCRIPT_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_PLAIN_LABELS = frozenset(("link", "source", "here", "page", "ref"))
_ADDRESS_TAIL_CHARS = ".,;:!?"
_MAX_RANGE = 12
_LINK_POINTERS = ("(see", "(cf.", "(source:", "(via", "(from")
_MAX_POINTER_CHARS = 12
_LINK_OPENING_CHARS = frozenset(".!?()]。！？")  # a link behind one of these is only a citation

_LINK_PATTERN = re.compile(
    r"\(?\[([^\]\n]{0,300})\]\((https?://[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)\)\)?"
)
_NUMBER_MARK_PATTERN = re.compile(r"\[(\d{1,3})\]")
_ONLY_MARK_PATTERN = re.compile(r"[\s(\[【]*+(?:[^\[\]\s【(][^\]\n]{0,300}\]?\(https?://[^\s)]+\)|\[?\d{1,3}\]?|https?://\S+|【[^】]*】)[\s)\]】]*")  # fmt: skip
_MARKUP_PATTERN = re.compile(
    r"^[^\S\n]*+(?:[-*+•]|\d{1,3}[.)])\s+|[*_`]{1,3}|^#{1,6}\s+|^>\s?", re.MULTILINE
)
_HEADING_LINE_PATTERN = re.compile(r"^\s*(?:#{1,6}\s|\|)")
_SPACE_BEFORE_STOP_PATTERN = re.compile(r"(?<!\s)\s++([.,;:!?])")
_SENTENCE_END_CHARS = frozenset((".", "!", "?", ")", "]", "\n", "", "。"))
# A new paragraph, item, heading or table row: a citation below it says nothing of what is above.
_BLOCK_BREAK_PATTERN = re.compile(r"\n[^\S\n]*(?:\n|[-*+•]\s|\d{1,3}[.)]\s|#{1,6}\s|[|>])")
_FULL_STOPS = frozenset((".", "!", "?", "。", "！", "？"))
_MIN_STATEMENT_WORDS = 4  # words; a shorter sentence says nothing that could be checked
_MAX_STATEMENTS = 500  # statements of one report
_MAX_MARK_GAP_CHARS = 8  # characters between a sentence and its citation
_MAX_BULLET_CHARS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportStatement:
    """One sentence of a report; `start` and `end` are its offsets in the report."""

    text: str
    start: int
    end: int
    urls: tuple[str, ...] = ()
    # Without own citations: those at the end of its run of sentences
    run_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _CitationMark:
    start: int
    end: int
    url: str
    is_only_citation: bool  # the mark is only a citation, not part of the sentence


def extract_statements(report: ProviderReport) -> tuple[ReportStatement, ...]:
    """All statements of a report with the addresses they cite; without citations `urls` is empty.

    In "A. B. C. [1]" the citation is C's own and in the `run_urls` of A and B, which may rest on it.
    """
    text = report.text
    marks = sorted(
        _collect_citation_marks(report), key=lambda mark: (mark.start, mark.end, mark.url)
    )
    spoken = _mask_citations(text, marks)
    spans = [
        (start, end)
        for start, end in _split_statement_spans(spoken, marks)
        if not _HEADING_LINE_PATTERN.match(spoken[spoken.rfind("\n", 0, start) + 1 : end])
        and len(_strip_statement_markup(spoken[start:end]).split()) >= _MIN_STATEMENT_WORDS
    ]
    held: dict[int, list[str]] = {}
    for mark in marks:
        for place in _find_cited_spans(mark, spans, text):
            held.setdefault(place, []).append(mark.url)
    runs = _find_run_citations(text, spans, held)
    found = (
        ReportStatement(
            text=_strip_statement_markup(spoken[start:end]),
            start=start,
            end=end,
            urls=tuple(dict.fromkeys(held.get(place, ()))),
            run_urls=tuple(dict.fromkeys(runs.get(place, ()))),
        )
        for place, (start, end) in enumerate(spans)
    )
    return tuple(found)[:_MAX_STATEMENTS]


def _find_run_citations(
    text: str, spans: list[tuple[int, int]], held: dict[int, list[str]]
) -> dict[int, list[str]]:
    """For sentences without a citation, those of the next sentence that has one in their block."""
    found: dict[int, list[str]] = {}
    ahead: list[str] = []
    for place in range(len(spans) - 1, -1, -1):
        following = spans[place + 1][0] if place + 1 < len(spans) else len(text)
        # A bullet can stand at the beginning of the next sentence.
        if _BLOCK_BREAK_PATTERN.search(text, spans[place][1], following + _MAX_BULLET_CHARS):
            ahead = []
        if place in held:
            ahead = held[place]
        elif ahead:
            found[place] = ahead
    return found


def _split_statement_spans(
    spoken: str, marks: Iterable[_CitationMark]
) -> Iterator[tuple[int, int]]:
    """Spans of sentences; a citation after a full stop always ends a sentence."""
    stops = [
        (mark.start, mark.end)
        for mark in marks
        if mark.is_only_citation
        and spoken[max(0, mark.start - _MAX_MARK_GAP_CHARS) : mark.start].rstrip()[-1:]
        in _FULL_STOPS
    ]
    for start, end in sentences.find_sentence_spans(spoken):
        at = start
        for before, behind in stops:
            if at < before and behind < end:
                yield at, at + len(spoken[at:before].rstrip())
                at = end - len(spoken[behind:end].lstrip())
        yield at, end


def _collect_citation_marks(report: ProviderReport) -> Iterator[_CitationMark]:
    """Citations with offsets, links in the text, and numbers such as [3] of a citation list."""
    text = report.text
    placed = [cited for cited in report.citations if cited.start is not None]
    for cited in placed:
        start, end = cited.start or 0, cited.end or 0
        bare = bool(_ONLY_MARK_PATTERN.fullmatch(text[start:end]))
        yield _CitationMark(start=start, end=end, url=cited.url, is_only_citation=bare)
    yield from _collect_link_marks(text)
    if not placed:
        yield from _collect_number_marks(text, report.citations)


def _collect_link_marks(text: str) -> Iterator[_CitationMark]:
    """A link after a sentence or in brackets is a citation; the label of any other is kept as text."""
    for match in _LINK_PATTERN.finditer(text):
        if not is_web_address(match[2]):
            continue
        before = text[: match.start()].rstrip(" ")[-1:]
        if match[0].startswith("(") or before in _SENTENCE_END_CHARS:
            yield _CitationMark(
                start=match.start(), end=match.end(), url=match[2], is_only_citation=True
            )
            continue
        label, end = match.span(1)
        yield _CitationMark(start=match.start(), end=label, url=match[2], is_only_citation=True)
        yield _CitationMark(start=end, end=match.end(), url=match[2], is_only_citation=True)


def _collect_number_marks(text: str, listed: tuple[ReportCitation, ...]) -> Iterator[_CitationMark]:
    for match in _NUMBER_MARK_PATTERN.finditer(text):
        number = int(match[1])
        if 1 <= number <= len(listed):
            yield _CitationMark(
                start=match.start(),
                end=match.end(),
                url=listed[number - 1].url,
                is_only_citation=True,
            )


def _mask_citations(text: str, marks: Iterable[_CitationMark]) -> str:
    """The text with citations replaced by spaces, so that offsets do not change."""
    pieces = list(text)
    for mark in marks:
        if mark.is_only_citation:
            for place in range(mark.start, min(mark.end, len(pieces))):
                pieces[place] = " " if pieces[place] != "\n" else "\n"
    return "".join(pieces)


def _find_cited_spans(
    mark: _CitationMark, spans: list[tuple[int, int]], text: str
) -> Iterator[int]:
    """Indexes of the sentences a citation belongs to: those it covers, or the one it follows."""
    if not mark.is_only_citation:
        yield from (
            place
            for place, (start, end) in enumerate(spans)
            if start < mark.end and end > mark.start
        )
        return
    before = [place for place, (start, _) in enumerate(spans) if start <= mark.start]
    if before and "\n\n" not in text[spans[before[-1]][1] : mark.start]:
        yield before[-1]


def _strip_statement_markup(text: str) -> str:
    return _SPACE_BEFORE_STOP_PATTERN.sub(r"\1", " ".join(_MARKUP_PATTERN.sub("", text).split()))


# Brings the citations of a model's text into one form, [src_N], and removes those of no source.


class CitationMarks:
    """Rewrites marks such as [1], (2), 【3†x】 and links to [src_N]; counts those of no source."""

    def __init__(self, sources: Iterable[ResearchSource], *, lost_mark: str = "") -> None:
        """`lost_mark` is put in place of a citation of no source."""
        self._lost_mark = lost_mark
        self._known: set[str] = set()
        self._by_address: dict[str, str] = {}
        for source in sources:
            self._known.add(source.ref)
            for url in filter(None, (source.url, source.address, source.archived_url)):
                self._by_address.setdefault(addresses.build_page_key(url), source.ref)
        self.dangling = 0  # marks and links that name no source

    def rewrite_marks(self, text: str) -> str:
        """The text with every citation as [src_N] of a known source, and none besides."""
        text = _DEFINITION_PATTERN.sub("", text)
        text = _MARK_LINK_PATTERN.sub(self._rewrite_link, text)
        text = _BARE_ADDRESS_PATTERN.sub(self._rewrite_address, text)
        text = _SUPERSCRIPT_PATTERN.sub(
            lambda mark: self._rewrite_numbers([f"src_{mark[0].translate(_SUPERSCRIPT_DIGITS)}"]),
            text,
        )
        text = _BRACKETED_PATTERN.sub(self._rewrite_group, text)
        text = _BARE_REF_PATTERN.sub(lambda mark: self._rewrite_numbers([mark[0]]), text)
        text = _WRAPPED_MARK_PATTERN.sub(r" \1", text)
        return _STRAY_MARK_PATTERN.sub(self._drop_stray_mark, text)

    def _rewrite_link(self, link: re.Match[str]) -> str:
        """The label of a link within a sentence and its citation; after a sentence only the latter."""
        label = "" if link[1] else link[2].strip()
        ref = self._find_address(link[3])
        before = link.string[max(0, link.start() - _MAX_POINTER_CHARS) : link.start()].rstrip()
        if (
            before[-1:] in _LINK_OPENING_CHARS
            or before.lower().endswith(_LINK_POINTERS)
            or label.lower() in _PLAIN_LABELS
            or _is_ref_group(label)
            or addresses.is_web_address(label)
        ):
            label = ""
        if ref is None:
            return f"{label} {self._drop_mark()}".strip()
        return f"{label} [{ref}]".lstrip() if label else f"[{ref}]"

    def _rewrite_address(self, found: re.Match[str]) -> str:
        url = found[0].strip("<>")
        plain = url.rstrip(_ADDRESS_TAIL_CHARS)
        ref = self._find_address(plain)
        return (self._drop_mark() if ref is None else f"[{ref}]") + url[len(plain) :]

    def _find_address(self, url: str) -> str | None:
        if url.lstrip("#") in self._known:
            return url.lstrip("#")
        return self._by_address.get(addresses.build_page_key(url))

    def _rewrite_group(self, mark: re.Match[str]) -> str:
        if mark[0] == self._lost_mark or mark[0][1:-1] in self._known:
            return mark[0]
        group = _POINTER_PATTERN.sub("", mark[1].strip())
        if not _is_ref_group(group) or (mark[0][0] == "(" and not _is_parenthesis_mark(mark)):
            return mark[0]
        written = self._rewrite_numbers(list(_list_group_refs(group)))
        return f" {written}" if written and mark[0][0] == "(" else written

    def _rewrite_numbers(self, refs: list[str]) -> str:
        known = [ref for ref in dict.fromkeys(refs) if ref in self._known]
        lost = [self._drop_mark() for ref in refs if ref not in self._known]
        return "".join(f"[{ref}]" for ref in known) or "".join(lost[:1])

    def _drop_stray_mark(self, mark: re.Match[str]) -> str:
        is_plain = mark[0][0] == "【" and not _FOREIGN_MARK_PATTERN.search(mark[0])
        return mark[0] if is_plain or REF_MARK_PATTERN.fullmatch(mark[0]) else self._drop_mark()

    def _drop_mark(self) -> str:
        self.dangling += 1
        return self._lost_mark


def _is_ref_group(group: str) -> bool:
    """Whether a text consists of numbers of sources, such as "1, 3-5" or "src_2; source 4"."""
    pieces = [piece.strip() for piece in _PIECE_BORDER_PATTERN.split(group)]
    return all(map(_REF_PIECE_PATTERN.fullmatch, pieces))


def _is_parenthesis_mark(mark: re.Match[str]) -> bool:
    """Whether a number in parentheses is a citation: it says so, or ends a sentence."""
    if _NAMED_SOURCE_PATTERN.match(mark[1].strip()):
        return True
    text, start = mark.string, mark.start()
    line = text[max(0, start - 2) : start].strip()
    short = all(len(number) < 3 for number in _NUMBER_PATTERN.findall(mark[1]))
    return bool(line) and short and bool(_SENTENCE_END_PATTERN.match(text, mark.end()))


def _list_group_refs(group: str) -> Iterator[str]:
    """The names src_N of "1, 3-5" or of "src_2; source 4"; what follows † in one is left out."""
    for part in _PIECE_BORDER_PATTERN.split(group):
        piece = part.partition("†")[0]
        span = _RANGE_PATTERN.search(piece)
        if span and 0 < int(span[2]) - int(span[1]) <= _MAX_RANGE:
            yield from (f"src_{number}" for number in range(int(span[1]), int(span[2]) + 1))
        else:
            yield from (f"src_{int(number)}" for number in _NUMBER_PATTERN.findall(piece))


def strip_ref_marks(text: str) -> str:
    """The text without its citations."""
    return REF_MARK_PATTERN.sub("", text)
