"""Reaches into a study's record, whatever is missing or damaged in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from citewell.reading.markdown.markdown_text import escape_markdown
from citewell.text.safety.text_cleaning import extract_visible_text

_UNESCAPED_MARKUP_PATTERN = re.compile(r"(?<!\\)(<(?=[A-Za-z/!?])|\](?=\((?!https?://)))")
_HEADING_START_PATTERN = re.compile(r"(?m)^([ \t]{0,8})(?=#)")
_DAY_PATTERN = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?", re.ASCII)
_MAX_NUMBER_CHARS = 30
_WORDS_BY_CODE = {
    "NA": "not applicable",
    "EARLY_PHASE1": "Early Phase 1",
    "NIH": "NIH",
}


class RecordPart:
    """A part of the record; missing and damaged parts are empty."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return bool(self.value)

    def find_subpart(self, *names: str) -> RecordPart:
        value = self.value
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return RecordPart(value)

    def list_parts(self, *names: str) -> list[RecordPart]:
        value = self.find_subpart(*names).value
        return [RecordPart(item) for item in value if item] if isinstance(value, list) else []

    def find_plain_text(self, *names: str) -> str:
        """A plain text or number on one line; "" if it is anything else."""
        value = self.find_subpart(*names).value
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return ""
        text = str(value) if not isinstance(value, str) else value
        if not isinstance(value, str) and len(text) > _MAX_NUMBER_CHARS:
            return ""
        return " ".join(extract_visible_text(text).split())

    def format_text(self, *names: str) -> str:
        """A plain text, escaped for a line of markdown."""
        return escape_inline(self.find_plain_text(*names))

    def list_texts(self, *names: str) -> list[str]:
        found = (part.format_text() for part in self.list_parts(*names))
        return [text for text in found if text]

    def find_markdown(self, *names: str) -> str:
        """A text that the registry writes in markdown, made unable to start headings or tags."""
        value = self.find_subpart(*names).value
        if not isinstance(value, str):
            return ""
        safe = _UNESCAPED_MARKUP_PATTERN.sub(r"\\\1", extract_visible_text(value))
        return _HEADING_START_PATTERN.sub(r"\1\\", safe).strip()

    def find_inline_markdown(self, *names: str) -> str:
        """The same on one line, its list items separated by semicolons."""
        lines = (line.strip() for line in self.find_markdown(*names).split("\n"))
        items = [line.removeprefix("* ") for line in lines if line]
        return " ".join(
            f"{item};"
            if place + 1 < len(items) and not item.endswith((".", ":", ";", ","))
            else item
            for place, item in enumerate(items)
        )

    def find_code(self, *names: str) -> str:
        """A code of the registry in words: ACTIVE_NOT_RECRUITING is "active not recruiting"."""
        return format_registry_code(self.find_plain_text(*names))

    def find_date(self, *names: str) -> str:
        """An ISO date, perhaps without its day; "" if it is none."""
        text = self.find_plain_text(*names)
        return text if _DAY_PATTERN.fullmatch(text) else ""


def capitalize_first(text: str) -> str:
    """The text with its first letter a capital; the rest stays."""
    return text[:1].upper() + text[1:]


def escape_inline(text: str) -> str:
    return escape_markdown(text).replace("[", "\\[").replace("]", "\\]").replace("|", "\\|")


def format_registry_code(code: str) -> str:
    if code in _WORDS_BY_CODE:
        return _WORDS_BY_CODE[code]
    if code.startswith("PHASE") and code[5:].isdigit():
        return f"Phase {code[5:]}"
    is_code = code == code.upper() and any(map(str.isalpha, code))
    return escape_inline(code.replace("_", " ").lower() if is_code else code)


def format_fact_list(rows: Iterable[tuple[str, str]]) -> str:
    """A list of named facts; those without a value are left out."""
    return "\n".join(f"- {name}: {value}" for name, value in rows if value)


def format_markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A pipe table; "" if it has no rows."""
    lines = [f"| {' | '.join(cell or ' ' for cell in row)} |" for row in rows]
    if not lines:
        return ""
    return "\n".join(
        [f"| {' | '.join(cell or ' ' for cell in head)} |", "|" + " --- |" * len(head), *lines]
    )
