"""Brings the citations of a model's text into one form, [src_N], and removes those of no source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from citewell.model.research import ResearchSource
from citewell.text.web import addresses

REF_MARK_PATTERN = re.compile(r"\[(src_\d+)\]")
_ONE_REF_REGEX = r"\^?(?:(?:src|sources?|refs?|passages?)[\s_:#.-]*)?\d{1,3}(?:†[^\]】,;]*)?"
_REF_GROUP_REGEX = rf"{_ONE_REF_REGEX}(?:(?:\s*(?:[,;&–-]|and)\s*|\s+){_ONE_REF_REGEX})*"
_LINK_PATTERN = re.compile(
    r"(!?)\[([^\]\n]{0,300})\]\(\s*<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)>?[^)\n]*\)"
)
_BARE_ADDRESS_PATTERN = re.compile(r"<?\bhttps?://[^\s<>\])】]+[^\s<>\])】.,;:!?]>?")
_DEFINITION_PATTERN = re.compile(r"^\s*\[\^?(?:src_)?\w{1,20}\]:.*$", re.MULTILINE)
_BRACKET_MARK_PATTERN = re.compile(rf"[\[【]\s*({_REF_GROUP_REGEX})\s*[\]】]", re.IGNORECASE)
_NAMED_PARENTHESIS_PATTERN = re.compile(
    r"\(\s*(?:see\s+|cf\.?\s+)?((?:src|sources?)[\s_:#]*\d{1,3}(?:\s*[,;&–-]?\s*(?:and\s+)?(?:(?:src|sources?)[\s_:#]*)?\d{1,3})*)\s*\)",
    re.IGNORECASE,
)
# Only at the end of a sentence; anywhere else a number in parentheses is part of the text.
_NUMBER_PARENTHESIS_PATTERN = re.compile(
    r"(?<=[^\s(])[^\S\n]*\((\d{1,2}(?:\s*[,;]\s*\d{1,2})*)\)(?=\s*(?:[.!?。！？]|$))", re.MULTILINE
)
_SUPERSCRIPT_PATTERN = re.compile(r"(?<=[.!?,;])[⁰¹²³⁴-⁹]+")
_BARE_REF_PATTERN = re.compile(r"(?<![\[\w])src_\d+(?![\]\w])")
_STRAY_MARK_PATTERN = re.compile(
    r"\[\s*\^?src[^\[\]\n]{0,80}\]|【[^【】\n]*[\d†][^【】\n]*】|\[\s*\]", re.IGNORECASE
)
_WRAPPED_MARK_PATTERN = re.compile(
    r"\(\s*(?:see|source|sources|cf\.?|ref\.?)?:?\s*((?:\[src_\d+\][\s,;]*)+)\)", re.IGNORECASE
)
_NUMBER_PATTERN = re.compile(r"\d{1,3}")
_RANGE_PATTERN = re.compile(r"(\d{1,3})\s*[–-]\s*(?:\D{0,5})(\d{1,3})")
_SUPERSCRIPT_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_PLAIN_LABEL_PATTERN = re.compile(rf"{_REF_GROUP_REGEX}|link|source|here|\W*", re.IGNORECASE)
_MAX_RANGE = 12
_LINK_OPENING_CHARS = frozenset(".!?()]。！？")  # a link behind one of these is only a citation


class CitationMarks:
    """Rewrites marks such as [1], (2), 【3†x】 and links to [src_N]; counts those of no source."""

    def __init__(self, sources: Iterable[ResearchSource]) -> None:
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
        for pattern in (
            _NAMED_PARENTHESIS_PATTERN,
            _BRACKET_MARK_PATTERN,
            _NUMBER_PARENTHESIS_PATTERN,
        ):
            text = pattern.sub(self._rewrite_group, text)
        text = _BARE_REF_PATTERN.sub(lambda mark: self._rewrite_numbers([mark[0]]), text)
        text = _WRAPPED_MARK_PATTERN.sub(r" \1", text)
        return _STRAY_MARK_PATTERN.sub(self._drop_stray_mark, text)

    def _rewrite_link(self, link: re.Match[str]) -> str:
        """The label of a link within a sentence and its citation; after a sentence only the latter."""
        label = "" if link[1] else link[2].strip()
        ref = self._find_address(link[3])
        before = link.string[: link.start()].rstrip()[-1:]
        if (
            before in _LINK_OPENING_CHARS
            or _PLAIN_LABEL_PATTERN.fullmatch(label)
            or addresses.is_web_address(label)
        ):
            label = ""
        if ref is None:
            self.dangling += 1
            return label
        return f"{label} [{ref}]".lstrip() if label else f"[{ref}]"

    def _rewrite_address(self, found: re.Match[str]) -> str:
        ref = self._find_address(found[0].strip("<>"))
        if ref is None:
            self.dangling += 1
            return ""
        return f"[{ref}]"

    def _find_address(self, url: str) -> str | None:
        if url.lstrip("#") in self._known:
            return url.lstrip("#")
        return self._by_address.get(addresses.build_page_key(url))

    def _rewrite_superscript(self, found: re.Match[str]) -> str:
        return self._rewrite_numbers([f"src_{found[0].translate(_SUPERSCRIPT_DIGITS)}"])

    def _rewrite_group(self, mark: re.Match[str]) -> str:
        if mark[0].startswith("[src_") and mark[0][1:-1] in self._known:
            return mark[0]
        written = self._rewrite_numbers(list(_list_group_refs(mark[1])))
        return f" {written}" if written and mark[0][0] in " (" else written

    def _rewrite_numbers(self, refs: list[str]) -> str:
        known = [ref for ref in dict.fromkeys(refs) if ref in self._known]
        self.dangling += sum(1 for ref in refs if ref not in self._known)
        return "".join(f"[{ref}]" for ref in known)

    def _drop_stray_mark(self, mark: re.Match[str]) -> str:
        if REF_MARK_PATTERN.fullmatch(mark[0]):
            return mark[0]
        self.dangling += 1
        return ""


def _list_group_refs(group: str) -> Iterator[str]:
    """The names src_N of "1, 3-5" or of "src_2; source 4"; what follows † in one is left out."""
    for piece in re.split(r"[,;&]|\band\b", re.sub(r"†[^,;\]】]*", "", group)):
        span = _RANGE_PATTERN.search(piece)
        if span and 0 < int(span[2]) - int(span[1]) <= _MAX_RANGE:
            yield from (f"src_{number}" for number in range(int(span[1]), int(span[2]) + 1))
        else:
            yield from (f"src_{int(number)}" for number in _NUMBER_PATTERN.findall(piece))


def strip_ref_marks(text: str) -> str:
    """The text without its citations."""
    return REF_MARK_PATTERN.sub("", text)
