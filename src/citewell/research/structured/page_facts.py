"""Collects what a page states under a label: machine-readable metadata, tables, definition lists, lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

MAX_FACTS = 3000  # of one page
MAX_HIGHLIGHT_CHARS = 300
_MAX_JSON_DEPTH = 6
_MAX_JSON_FACTS = 1500
_MAX_TABLE_CELLS = 12
_MAX_LINE_CHARS = 2000
_MARK_PATTERN = re.compile(r"\A\s{0,8}+(?:[-*+•>]|\d{1,3}[.)])\s{1,4}+")
# "Price: 12", "**Price:** 12" and "Price – 12"; a label has at most six words.
_LABELLED_PATTERN = re.compile(
    r"\A(?P<label>[^\W_][^:：|\n]{0,59}?)\**\s{0,2}(?:[:：]|\s[–=]\s)\**\s{0,4}(?P<value>[^\s].*)\Z"
)
_INNER_LABEL_PATTERN = re.compile(
    r"(?<![\w-])(?P<label>[^\W\d_][\w-]{1,24}(?: [^\W\d_][\w-]{1,24}){0,2}): (?P<value>[^:;|\n]{1,120})"
)
_CODE_PATTERN = re.compile(r"^\s{0,8}```.*?^\s{0,8}```", re.DOTALL | re.MULTILINE)
_TABLE_RULE_PATTERN = re.compile(r"\A[|:\-\s]{3,400}\Z")
_MAX_LABEL_WORDS = 6
_VALUE_REGEX = r"[$€£]?\d[\d.,]{0,12}\s?[^\W\d_]{0,6}%?"
# "Base width 47 mm": a line of a label and a number.
_MEASURED_PATTERN = re.compile(
    rf"\A(?P<label>[^\W\d_][^\d:|.!?\n]{{2,40}}?[^\W\d_)])\s{{0,2}}(?P<value>{_VALUE_REGEX})\Z"
)
_VALUE_LINE_PATTERN = re.compile(rf"{_VALUE_REGEX}|yes|no", re.IGNORECASE)
_OTHER_KEY_LIST = (
    "image logo thumbnail potentialAction isPartOf breadcrumb review reviews comment isRelatedTo isSimilarTo"
    " itemListElement mainEntityOfPage acceptedAnswer suggestedAnswer video primaryImageOfPage mainContentOfPage articleBody"
)
_OTHER_TYPE_LIST = (
    "ImageObject VideoObject BreadcrumbList ListItem WebSite SearchAction ReadAction Comment Answer Review"
    " SiteNavigationElement ItemList InteractionCounter"
)
# Parts of metadata about something else than the subject of the page.
_OTHER_KEYS, _OTHER_TYPES = {*_OTHER_KEY_LIST.split()}, {*_OTHER_TYPE_LIST.split()}
_OTHER_META = ("og:image", "og:video", "og:audio", "og:type", "og:locale")
# Objects that only hold values of the thing they belong to.
_HOLDERS = frozenset(("offers", "aggregateRating", "mainEntity", "address", "priceSpecification"))
# Kinds of sources, the most reliable first.
JSON_LD, MICRODATA, LIST, TABLE, LABEL, META, INNER, HEADING = range(8)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFact:
    """A value with its label; `highlight` is the place on the page that states it."""

    label: str
    value: Any
    highlight: str
    source: int


def collect_page_facts(text: str, metadata: Mapping[str, Any]) -> tuple[PageFact, ...]:
    """The facts of a page, at most MAX_FACTS, those of its metadata first.

    `metadata` has json_ld, microdata, open_graph and citation as StructuredData has them.
    """
    found: list[PageFact] = []
    for facts in (_list_metadata_facts(metadata, text), _list_text_facts(text)):
        for fact in facts:
            if len(found) >= MAX_FACTS:
                return tuple(found)
            found.append(fact)
    return tuple(found)


def _list_metadata_facts(metadata: Mapping[str, Any], text: str) -> Iterator[PageFact]:
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    for name, source in (("json_ld", JSON_LD), ("microdata", MICRODATA)):
        for path, value in islice(_walk_json(metadata.get(name) or (), ()), _MAX_JSON_FACTS):
            plain = (
                ", ".join(map(str, value[:20]))
                if isinstance(value, list)
                else " ".join(str(value).split())
            )
            line = f"{'.'.join(path)}: {plain}"[:MAX_HIGHLIGHT_CHARS]
            shown = _find_line(lines, value) or line
            is_own = len(path) == 1 or path[-2] in _HOLDERS
            for label in dict.fromkeys((path[-1] if is_own else "", " ".join(path[-2:]))):
                yield PageFact(label=label, value=value, highlight=shown, source=source)
    for name in ("citation", "open_graph"):
        for key, value in (metadata.get(name) or {}).items():
            label = str(key).rpartition(":")[2].removeprefix("citation_")
            line = f"{key}: {value}"[:MAX_HIGHLIGHT_CHARS]
            if not str(key).startswith(_OTHER_META):
                yield PageFact(label=label, value=value, highlight=line, source=META)


def _walk_json(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The named values of JSON-LD, each with the keys that lead to it."""
    if len(path) > _MAX_JSON_DEPTH:
        return
    if isinstance(value, list | tuple):
        plain = [entry for entry in value if isinstance(entry, str | int | float)]
        if path and plain:
            yield path, plain
        for item in value:
            if isinstance(item, dict):
                yield from _walk_object(item, path)
    elif isinstance(value, dict):
        yield from _walk_object(value, path)
    elif path and isinstance(value, str | int | float) and value != "":
        yield path, value


def _walk_object(
    value: dict[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """An object with a name is also the value of its own label: brand {name: X} is the brand X."""
    kinds = value.get("@type")
    if _OTHER_TYPES & {str(kind) for kind in (kinds if isinstance(kinds, list) else [kinds])}:
        return
    named = value.get("name") or value.get("@value") or value.get("value")
    if path and isinstance(named, str | int | float):
        yield path, named
        if path[-1] == "publisher":
            return
    for key, item in value.items():
        if key == "@graph":
            yield from _walk_json(item, path)
        elif isinstance(key, str) and not key.startswith("@") and key not in _OTHER_KEYS:
            yield from _walk_json(item, (*path, key))


def _find_line(lines: Sequence[str], value: Any) -> str:
    """The first line of the text that has the value, if it is long enough to be no coincidence."""
    words = " ".join(str(value).split()) if isinstance(value, str | int | float) else ""
    if not 4 <= len(words) <= 200:
        return ""
    line = next((item for item in lines if words in item), "")
    if len(line) <= MAX_HIGHLIGHT_CHARS:
        return line
    start = max(0, line.find(words) - MAX_HIGHLIGHT_CHARS // 2)
    return line[start : start + MAX_HIGHLIGHT_CHARS].strip()


def _list_text_facts(text: str) -> Iterator[PageFact]:
    plain = _CODE_PATTERN.sub("", text)
    lines = [line[:_MAX_LINE_CHARS].rstrip() for line in plain.splitlines() if line.strip()]
    yield from _list_definitions(lines)
    yield from _list_table_facts(lines)
    labelled = [line for line in lines if not line.lstrip().startswith(("|", ":", "#"))]
    for line in labelled:
        if fact := _read_labelled_line(line):
            yield fact
    yield from _list_stacked_values(lines)
    for line in labelled:
        yield from _list_inner_labels(line)
    yield from _list_headed_texts(lines)


def _list_definitions(lines: Sequence[str]) -> Iterator[PageFact]:
    """A line and the line after it that begins with a colon, as definition lists are written."""
    for term, definition in pairwise(lines):
        if definition.startswith(": ") and not term.startswith((":", "|", "#")) and len(term) <= 80:
            label = term.strip("* ")
            highlight = f"{label}: {definition[2:].strip()}"[:MAX_HIGHLIGHT_CHARS]
            yield PageFact(
                label=label, value=definition[2:].strip(), highlight=highlight, source=LIST
            )


def _list_stacked_values(lines: Sequence[str]) -> Iterator[PageFact]:
    """A short line and the value below it; not if a value stands above it too, which may be its own."""
    for above, term, below in zip(("", *lines), lines, lines[1:], strict=False):
        is_value = [_VALUE_LINE_PATTERN.fullmatch(item.strip()) for item in (above, term, below)]
        has_label_above = is_value[0] is None or above.strip()[-1:].isalpha()
        if (
            is_value[2]
            and not is_value[1]
            and has_label_above
            and len(term.split()) <= _MAX_LABEL_WORDS
        ):
            label, value = term.strip("#*- "), below.strip()
            yield PageFact(label=label, value=value, highlight=f"{label}: {value}", source=LABEL)


def _list_headed_texts(lines: Sequence[str]) -> Iterator[PageFact]:
    """A heading, and the first sentence under it."""
    for heading, text in pairwise(lines):
        if heading.startswith("#") and not text.startswith(("#", "|", ":")):
            sentence = text.lstrip("-*+> ").partition(". ")[0].strip()
            if sentence:
                yield PageFact(
                    label=heading.strip("# "),
                    value=sentence,
                    highlight=f"{heading.strip('# ')}: {sentence}"[:MAX_HIGHLIGHT_CHARS],
                    source=HEADING,
                )


def _list_table_facts(lines: Sequence[str]) -> Iterator[PageFact]:
    table: list[list[str]] = []
    for line in (*lines, ""):
        if line.lstrip().startswith("|"):
            if not _TABLE_RULE_PATTERN.fullmatch(line):
                cells = line.strip().strip("|").replace("\\|", "¦").split("|")
                table.append(
                    [" ".join(cell.split()).replace("¦", "|") for cell in cells[:_MAX_TABLE_CELLS]]
                )
            continue
        if table:
            yield from _read_table(table)
            table = []


def _read_table(table: list[list[str]]) -> Iterator[PageFact]:
    """Two columns are labels and values; a single row has its header; else row and column together."""
    header, rows = table[0], table[1:]
    has_pairs = all(len(row) == 2 for row in table)
    for row in table if has_pairs else ():
        if all(row):
            yield _build_cell_fact(row[0], row[1], " | ".join(row))
    for row in rows:
        shown = " | ".join(row)
        for name, value in zip(header[1:], row[1:], strict=False):
            if name and value and not has_pairs:
                yield _build_cell_fact(f"{row[0]} {name}", value, shown)
        if len(rows) == 1:
            for name, value in zip(header, row, strict=False):
                if name and value:
                    yield _build_cell_fact(name, value, shown)


def _build_cell_fact(label: str, value: str, shown: str) -> PageFact:
    return PageFact(label=label, value=value, highlight=shown[:MAX_HIGHLIGHT_CHARS], source=TABLE)


def _read_labelled_line(line: str) -> PageFact | None:
    plain = _MARK_PATTERN.sub("", line).strip().lstrip("*")
    match = _LABELLED_PATTERN.match(plain) or _MEASURED_PATTERN.match(plain)
    if match is None:
        return None
    label, value = match["label"].strip("* "), match["value"].strip("* ")
    if not label or not value or len(label.split()) > _MAX_LABEL_WORDS:
        return None
    return PageFact(
        label=label,
        value=value,
        highlight=" ".join(_MARK_PATTERN.sub("", line).split())[:MAX_HIGHLIGHT_CHARS],
        source=LABEL,
    )


def _list_inner_labels(line: str) -> Iterator[PageFact]:
    """Labelled values inside a line: "Price: 12 EUR; Weight: 3 kg"."""
    if line.count(": ") < 1:
        return
    for match in _INNER_LABEL_PATTERN.finditer(line):
        value = match["value"].split(". ")[0].strip("* ,.")
        if value:
            yield PageFact(
                label=match["label"], value=value, highlight=match[0].strip()[:MAX_HIGHLIGHT_CHARS],
                source=INNER,
            )  # fmt: skip
