"""Citations by key in markdown, as pandoc and Quarto write them: [@key; @other, p. 3] and @key."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.model.draft import CitationForm
from citewell.text.drafts.draft_views import CitationMark, CitationTarget, TargetKind

_KEY_REGEX = r"@(?:\{([^{}\s]{1,200})\}|([^\W_][\w:.#$%&+?<>~/-]{0,200}))"
_KEY_PATTERN = re.compile(_KEY_REGEX)
_GROUP_PATTERN = re.compile(r"\[([^\[\]@]{0,200}@[^\[\]]{1,2000})\](?!\()")
_BARE_KEY_PATTERN = re.compile(rf"(?<![\w@.;/\[-])-?{_KEY_REGEX}(?:\s\[([^\[\]\n]{{1,80}})\])?")
_CROSS_REFERENCE_PATTERN = re.compile(
    r"(?:fig|tbl|tab|sec|eq|lst|thm|lem|cor|prp|exm|exr|def|apx)[-:]"
)
_TRAILING_CHARS = ".:#$%&+?<>~/-"


def find_key_marks(text: str) -> Iterator[CitationMark]:
    ends = 0
    for match in _GROUP_PATTERN.finditer(text):
        keys = [_clean_key(found) for found in _KEY_PATTERN.finditer(match[1])]
        keys = [key for key in keys if key and not _CROSS_REFERENCE_PATTERN.match(key)]
        if keys and "@" not in text[match.start() - 1 : match.start()]:
            yield from _find_bare_keys(text, ends, match.start())
            ends = match.end()
            yield _build_key_mark(match.start(), match.end(), keys, is_textual=False)
    yield from _find_bare_keys(text, ends, len(text))


def _find_bare_keys(text: str, start: int, end: int) -> Iterator[CitationMark]:
    """Keys in running text, which may as well be names of accounts."""
    for match in _BARE_KEY_PATTERN.finditer(text, start, end):
        key = _clean_key(match)
        if not key or _CROSS_REFERENCE_PATTERN.match(key):
            continue
        stop = match.end() if match[3] else match.start() + match[0].index("@") + 1 + len(key)
        yield _build_key_mark(match.start(), stop, [key], is_textual=True)


def _clean_key(match: re.Match[str]) -> str:
    return match[1] or match[2].rstrip(_TRAILING_CHARS)


def _build_key_mark(start: int, end: int, keys: list[str], *, is_textual: bool) -> CitationMark:
    return CitationMark(
        start=start,
        end=end,
        form=CitationForm.KEY,
        targets=tuple(
            CitationTarget(kind=TargetKind.KEY, value=key, is_optional=is_textual)
            for key in dict.fromkeys(keys)
        ),
        hidden=((start, end),),
        is_textual=is_textual,
        shows_authors=is_textual,
    )
