"""Finds the colours and typefaces that a text states, with their name or role."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from citewell.core.values.brand import StatedColor, StatedFont
from citewell.text.data_tables import load_table

_MAX_FONT_LINES = 6000
_MAX_FONT_LINE_CHARS = 300
_ROLE = (
    r"(?P<role>headings?|headlines?|titles?|display|body(?: text| copy)?|paragraphs?|text|copy|mono(?:space)?d?|code"
    r"|primary|secondary|brand|main|corporate)"
)
_KIND = r"(?:typefaces?|fonts?|font famil(?:y|ies)|type)"
_FAMILY = r"(?P<family>[A-Z][\w+]{1,30}(?: (?:[A-Z][\w+]{0,30}|\d{1,3})){0,3})"
_GAP = r"[\s:|*_`\"“”'‘’–—-]{0,8}"
# "Headings: Inter", "| Body font | Source Sans 3 |", "Our primary typeface is Inter".
_STATEMENTS = (
    re.compile(rf"\b(?i:{_ROLE}(?: {_KIND})?)[*_`]{{0,3}}\s?[:|–—]{_GAP}{_FAMILY}"),
    re.compile(rf"\b(?i:{_ROLE} {_KIND} (?:is|are))[\s*_`\"“]{{1,6}}{_FAMILY}"),
    re.compile(rf"\b(?i:(?P<role>our|the) {_KIND} is)[\s*_`\"“]{{1,6}}{_FAMILY}"),
    re.compile(rf"^[\W_]{{0,6}}(?i:(?P<role>typeface|font|font family))[*_`]{{0,3}}\s?[:|]{_GAP}{_FAMILY}"),
)  # fmt: skip
_TYPE_SECTION_PATTERN = re.compile(r"typograph|typeface|font", re.IGNORECASE)
_WEIGHT_NAMES = {
    "thin": 100, "extralight": 200, "light": 300, "regular": 400, "medium": 500,
    "semibold": 600, "bold": 700, "extrabold": 800, "black": 900,
}  # fmt: skip
_WEIGHT_PATTERN = re.compile(
    r"\b(thin|extra ?light|light|regular|medium|semi ?bold|extra ?bold|bold|black|[1-9]00)\b",
    re.IGNORECASE,
)
_ROLES_BY_WORD = {
    "head": "heading", "titl": "heading", "disp": "heading", "prim": "heading", "bran": "heading",
    "main": "heading", "corp": "heading", "our": "heading", "the": "heading", "type": "heading",
    "font": "heading", "body": "body", "para": "body", "text": "body", "copy": "body",
    "seco": "body", "mono": "mono", "code": "mono",
}  # fmt: skip

MAX_COLOR_LINES = 6000
MAX_COLORS = 60
_MAX_LINE_CHARS = 400
_MAX_NAME_CHARS = 40
_MAX_NAME_WORDS = 4
_MAX_LONE_CHARS = 60
_LINES_BACK = 3  # how far above a code its name may stand

_HEX_PATTERN = re.compile(r"(?<![\w&/#])#([0-9a-fA-F]{6})(?![0-9a-zA-Z])")
_BARE_HEX_PATTERN = re.compile(r"\bhex\b[\s:|*]{0,5}#?([0-9a-fA-F]{6})\b", re.IGNORECASE)
_RGB_PATTERN = re.compile(
    r"\brgb\b[\s:|(*]{0,5}(\d{1,3})[\s,/]{1,3}(\d{1,3})[\s,/]{1,3}(\d{1,3})(?!\d)", re.IGNORECASE
)
_LABEL_PATTERN = re.compile(
    r"\b(?:hex|rgb|rgba|cmyk|hsl|pms|pantone|ral|code|value|web|print|color|colour|copy)\b",
    re.IGNORECASE,
)
_NAME_PATTERN = re.compile(r"[^\W\d_][\w'’&()/ -]{1,40}")
_HEADING_PATTERN = re.compile(r"#{1,6} ")
# "Primary colours" heads a group of colours and names none.
_GROUP_WORDS = frozenset({"colors", "colours", "palette", "palettes", "swatches", "name", "usage"})
# "Issue #123456" is no colour.
_NUMBERED_THINGS = frozenset(
    {"issue", "issues", "pr", "ticket", "order", "number", "no", "bug", "case"}
)
# A role, and the words that state it; the first that fits counts.
_ROLE_WORDS = (
    ("text_secondary", ("secondary text", "text secondary", "muted text")),
    ("background", ("background",)),
    ("surface", ("surface",)),
    ("text", ("text", "body copy", "ink")),
    ("primary", ("primary", "main color", "main colour", "core color", "core colour")),
    ("secondary", ("secondary", "supporting")),
    ("accent", ("accent", "highlight", "tertiary")),
)


def find_stated_colors(lines: Sequence[str]) -> tuple[StatedColor, ...]:
    """The colours of a markdown text, each once; one without a name or a role nearby is left out."""
    found: dict[str, StatedColor] = {}
    heading = ""
    for number, line in enumerate(lines[:MAX_COLOR_LINES]):
        if _HEADING_PATTERN.match(line) and not _HEX_PATTERN.search(line[:_MAX_LINE_CHARS]):
            heading = line.lstrip("# ")
        for code, before in _list_color_codes(line[:_MAX_LINE_CHARS]):
            name = _clean_color_name(before) or _find_name_above(lines, number)
            role = _find_role(name or "") or _find_role(heading)
            is_alone = len(line) <= _MAX_LONE_CHARS  # without a name, in a section that has a role
            if code not in found and (name or (role and is_alone)) and not _counts_things(before):
                found[code] = StatedColor(hex=code, name=name, role=role)
    return tuple(found.values())[:MAX_COLORS]


def _list_color_codes(line: str) -> Iterator[tuple[str, str]]:
    """Each colour of a line as #RRGGBB, with the text between it and the one before it.

    RGB triples count only in lines without a hex code: they repeat it.
    """
    matches = list(_HEX_PATTERN.finditer(line)) or list(_BARE_HEX_PATTERN.finditer(line))
    end = 0
    for match in matches:
        yield f"#{match[1].upper()}", line[end : match.start()]
        end = match.end()
    if not matches:
        for match in _RGB_PATTERN.finditer(line):
            red, green, blue = map(int, match.groups())
            if max(red, green, blue) <= 255:
                yield f"#{red:02X}{green:02X}{blue:02X}", line[end : match.start()]
            end = match.end()


def _find_name_above(lines: Sequence[str], number: int) -> str | None:
    """The nearest line above that is a name, unless another code stands between."""
    for above in reversed(lines[max(0, number - _LINES_BACK) : number]):
        short = above[:_MAX_LINE_CHARS]
        if not short.strip():
            continue
        if _HEX_PATTERN.search(short) or any(char.isdigit() for char in short):
            return None
        if name := _clean_color_name(short):
            return name
    return None


def _clean_color_name(text: str) -> str | None:
    """The text without labels and markdown, if what is left is a name of at most four words.

    In a row of a table the first cell that is a name counts.
    """
    for cell in text.split("|"):
        bare = _LABEL_PATTERN.sub(" ", cell)
        name = " ".join(bare.split()).strip(" *_#`-–—()[]>.:;,=")
        words = name.split()
        if (
            1 <= len(words) <= _MAX_NAME_WORDS
            and len(name) <= _MAX_NAME_CHARS
            and _NAME_PATTERN.fullmatch(name)
            and words[-1].lower() not in _GROUP_WORDS
        ):
            return name
    return None


def _counts_things(before: str) -> bool:
    """Whether the words before a code make it a number: "Issue #123456"."""
    words = before.lower().split()
    return bool(words) and words[-1].strip("*_`(") in _NUMBERED_THINGS


def _find_role(text: str) -> str | None:
    low = text.lower()
    return next(
        (role for role, words in _ROLE_WORDS if any(_has_word(low, word) for word in words)), None
    )


def _has_word(low: str, word: str) -> bool:
    place = low.find(word)
    if place < 0:
        return False
    before, after = low[:place][-1:], low[place + len(word) :][:1]
    return not before.isalpha() and not after.isalpha()


def measure_brightness(code: str) -> int:
    """How bright a colour #RRGGBB looks, from 0 to 255."""
    red, green, blue = (int(code[start : start + 2], 16) for start in (1, 3, 5))
    return round(0.299 * red + 0.587 * green + 0.114 * blue)


def normalize_hex(code: str | None) -> str | None:
    """#RRGGBB in capitals from #abc, abcdef or #ABCDEF; None if it is no colour."""
    bare = (code or "").strip().removeprefix("#")
    if len(bare) == 3:
        bare = "".join(digit * 2 for digit in bare)
    return f"#{bare.upper()}" if re.fullmatch(r"[0-9a-fA-F]{6}", bare) else None


# Finds typefaces that a text states for headings, running text or code.


def find_stated_fonts(lines: Sequence[str]) -> tuple[StatedFont, ...]:
    """The first typeface that a markdown text states for each role."""
    found: dict[str, StatedFont] = {}
    heading = ""
    for line in lines[:_MAX_FONT_LINES]:
        short = line[:_MAX_FONT_LINE_CHARS]
        if short.startswith("#"):
            heading = short
        font = _read_statement(short, in_section=bool(_TYPE_SECTION_PATTERN.search(heading)))
        if font is not None and font.role not in found:
            found[font.role] = font
    return tuple(found.values())


def _read_statement(line: str, *, in_section: bool) -> StatedFont | None:
    """The statement of a line; outside a section on type the line itself must speak of a typeface."""
    if not in_section and not _TYPE_SECTION_PATTERN.search(line):
        return None
    for pattern in _STATEMENTS:
        match = pattern.search(line)
        if match is None:
            continue
        family = _trim_family(match["family"])
        role = _ROLES_BY_WORD.get(match["role"].lower()[:4]) or _ROLES_BY_WORD.get(
            match["role"].lower()
        )
        if family and role:
            rest = line[match.start("family") + len(family) :]
            named = (match[1].lower().replace(" ", "") for match in _WEIGHT_PATTERN.finditer(rest))
            weights = {_WEIGHT_NAMES.get(name) or int(name) for name in named}
            return StatedFont(family=family, role=role, weights=tuple(sorted(weights)))
    return None


def _trim_family(words: str) -> str | None:
    """The family without the names of weights; None if the words are no family."""
    parts = words.split()
    while parts and _WEIGHT_PATTERN.fullmatch(parts[-1]):
        parts.pop()
    if not parts or parts[0] in _load_no_families():
        return None
    return " ".join(parts)


@cache
def _load_no_families() -> frozenset[str]:
    """Words that begin with a capital and are no family."""
    return frozenset(load_table(__package__, "no_typeface_names"))
