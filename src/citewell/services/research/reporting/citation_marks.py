"""Brings the citations of a model's text into one form, [src_N], and removes those of no source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from citewell.model.research import ResearchSource
from citewell.text.web import addresses

LOST_REF = "src_0"  # stands for a citation of no source, until its sentence is checked
REF_MARK_PATTERN = re.compile(r"\[(src_\d+)\]")
# One piece of a mark: "3", "src_3", "source 3", "^3", "3†title", "3-5".
_REF_PIECE_PATTERN = re.compile(
    r"\^?(?:(?:src|sources?|refs?|passages?)[\s_:#.-]{0,3}+)?\d{1,3}+"
    r"(?:[\s–-]{1,3}+(?:src_)?\d{1,3}+){0,3}+(?:†.{0,80}+)?",
    re.IGNORECASE,
)
_PIECE_BORDER_PATTERN = re.compile(r"[,;&]|\band\b")
_LINK_PATTERN = re.compile(
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
        text = _LINK_PATTERN.sub(self._rewrite_link, text)
        text = _BARE_ADDRESS_PATTERN.sub(self._rewrite_address, text)
        text = _SUPERSCRIPT_PATTERN.sub(self._rewrite_superscript, text)
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

    def _rewrite_superscript(self, found: re.Match[str]) -> str:
        return self._rewrite_numbers([f"src_{found[0].translate(_SUPERSCRIPT_DIGITS)}"])

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
    for told in _PIECE_BORDER_PATTERN.split(group):
        piece = told.partition("†")[0]
        span = _RANGE_PATTERN.search(piece)
        if span and 0 < int(span[2]) - int(span[1]) <= _MAX_RANGE:
            yield from (f"src_{number}" for number in range(int(span[1]), int(span[2]) + 1))
        else:
            yield from (f"src_{int(number)}" for number in _NUMBER_PATTERN.findall(piece))


def strip_ref_marks(text: str) -> str:
    """The text without its citations."""
    return REF_MARK_PATTERN.sub("", text)
