"""Converts Rich Text Format to markdown, in any code page."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

from citewell.reading.documents import document_text
from citewell.reading.documents.document_markdown import (
    format_list_marker,
    format_markdown_cell,
    render_markdown_table,
)
from citewell.reading.markdown.markdown_text import (
    escape_line_starts,
    escape_markdown,
    resolve_link,
)
from citewell.text.data_tables import load_table

_RTF_TOKEN_PATTERN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)",
    re.DOTALL,
)
_CHARACTER_WORDS = {
    "tab": " ", "line": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘",
    "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
_CHARSETS_BY_NUMBER = {
    0: "cp1252", 77: "mac-roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030",
    136: "big5hkscs", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256",
    186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
_CHARSETS_BY_SYSTEM = {"mac": "mac-roman", "pc": "cp437", "pca": "cp850"}
_HYPERLINK_PATTERN = re.compile(r'HYPERLINK\s+(?:\\\\?l\s+)?"?([^"\s]+)"?', re.IGNORECASE)
_LINK_MARKS = re.compile("\ue000([^\ue000\ue001]*)\ue001([^\ue000\ue002]*)\ue002")
_NUMBERED_LABEL = re.compile(r"\d|\w[.)]")  # any other label is a bullet, even a letter
_LIST_LINE = re.compile(r" *(?:- |\d{1,9}\. )")
_INFO_TARGETS = {"title": "title", "author": "author"}
_MAX_GROUP_DEPTH = 300


@dataclass(frozen=True, slots=True)
class _GroupState:
    """State that an RTF group inherits from the group around it."""

    text_target: str = "text"  # text, none, info, fonts, title, author, label, field or result
    hidden: bool = False
    fallback_chars: int = 1  # fallback characters to skip after a \u
    charset: str = "cp1252"


class _RtfParser:
    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.found: dict[str, str] = {}
        self.hidden = 0
        self._state = _GroupState()
        self._stack: list[_GroupState] = []
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._default = "cp1252"
        self._bytes = bytearray()
        self._skip = 0
        self._text: list[str] = []
        self._rows: list[list[str]] = []
        self._row: list[str] = []
        self._outline: int | None = None
        self._list = False
        self._label = ""
        self._level = 0
        self._in_table = False
        self._field = ""
        self._link_from: tuple[int, int] | None = None
        self._star = False

    def parse_rtf(self, body: bytes) -> None:
        for token in _RTF_TOKEN_PATTERN.finditer(body):
            word, number, code, symbol, brace, text = token.groups()
            if code is not None:
                self._add_bytes(bytes([int(code, 16)]))
            elif text is not None:
                self._add_bytes(text)
            else:
                self._flush_bytes()
                self._handle_control(word, number, symbol, brace)
        self._flush_bytes()
        self._end_paragraph()
        self._end_rtf_table()

    def _handle_control(
        self, word: bytes | None, number: bytes | None, symbol: bytes | None, brace: bytes | None
    ) -> None:
        if brace == b"{":
            if len(self._stack) >= _MAX_GROUP_DEPTH:
                raise document_text.TookTooMuch("The RTF is nested too deeply.")
            self._stack.append(self._state)
            self._star = False
        elif brace == b"}":
            left, self._star = self._state, False
            self._state = self._stack.pop() if self._stack else _GroupState()
            if left.text_target == "result" and self._state.text_target != "result":
                self._end_hyperlink()
        elif symbol is not None:
            self._handle_symbol(symbol)
        elif word is not None:
            self._handle_control_word(word.decode("ascii"), int(number) if number else None)

    def _handle_symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._star = True
        elif symbol in {b"\n", b"\r"}:
            self._end_paragraph()
        else:
            self._write_text(
                {b"~": "\u00a0", b"_": "-", b"-": ""}.get(symbol, symbol.decode("latin-1"))
            )

    def _handle_control_word(self, word: str, number: int | None) -> None:
        if self._apply_destination(word):
            return
        if word == "u" and number is not None:
            point = number + 65536 if number < 0 else number
            self._write_text(chr(point) if 0 <= point < 0x110000 else "\ufffd")
            self._skip = self._state.fallback_chars
        elif word in _CHARACTER_WORDS:
            self._write_text(_CHARACTER_WORDS[word])
        elif word in {"par", "sect", "page", "cell", "row", "nestcell", "nestrow", "pard", "intbl"}:
            self._apply_structure_word(word)
        elif word in _CHARSETS_BY_SYSTEM:
            self._default = _CHARSETS_BY_SYSTEM[word]
            self._state = replace(self._state, charset=self._default)
        elif word in {"v", "plain"}:
            self._state = replace(self._state, hidden=word == "v" and number != 0)
        else:
            self._apply_setting_word(word, number)

    def _apply_destination(self, word: str) -> bool:
        starred, self._star = self._star, False
        if word == "fldinst":
            self._state, self._field = replace(self._state, text_target="field"), ""
        elif word == "fldrslt":
            self._state = replace(self._state, text_target="result")
            self._link_from = (len(self._text), len(self.blocks))
        elif word in _INFO_TARGETS and self._state.text_target in {"none", "info"}:
            self._state = replace(self._state, text_target=_INFO_TARGETS[word])
        elif word == "info":
            self._state = replace(self._state, text_target="info")
        elif word == "fonttbl":
            self._state = replace(self._state, text_target="fonts")
        elif word in {"listtext", "pntext"}:
            self._list, self._label = True, ""
            self._state = replace(self._state, text_target="label")
        elif word in _load_skipped_destinations() or (
            starred and word not in {"shptxt", "fldinst"}
        ):
            self._state = replace(self._state, text_target="none")
        else:
            return False
        return True

    def _apply_structure_word(self, word: str) -> None:
        if self._state.text_target not in {"text", "result"}:
            return
        if word in {"par", "sect", "page"}:
            if self._in_table:
                self._text.append(" ")
            else:
                self._end_paragraph()
        elif word == "intbl":
            self._in_table = True
        elif word in {"cell", "nestcell"}:
            self._row.append(format_markdown_cell(self._take_escaped_text()))
        elif word in {"row", "nestrow"}:
            self._rows.append(self._row)
            self._row, self._in_table = [], False
        else:
            self._outline, self._list, self._in_table = None, False, False
            self._level = 0

    def _apply_setting_word(self, word: str, number: int | None) -> None:
        if number is None:
            return
        if word == "ansicpg":
            with suppress(LookupError):
                self._default = codecs.lookup(f"cp{number}").name
            self._state = replace(self._state, charset=self._default)
        elif word == "uc":
            self._state = replace(self._state, fallback_chars=min(number, 20))
        elif word == "outlinelevel" and 0 <= number < 6:
            self._outline = number
        elif word == "f":
            self._font = number
            self._state = replace(self._state, charset=self._fonts.get(number, self._default))
        elif word == "fcharset" and self._state.text_target == "fonts" and number:
            self._fonts[self._font] = _CHARSETS_BY_NUMBER.get(number, self._default)
        elif word == "ls":
            self._list = True
        elif word == "ilvl" and 0 <= number < 9:
            self._level = number

    def _add_bytes(self, raw: bytes) -> None:
        if self._skip:
            taken = min(self._skip, len(raw))
            self._skip -= taken
            raw = raw[taken:]
        self._bytes += raw

    def _flush_bytes(self) -> None:
        if self._bytes:
            text = bytes(self._bytes).decode(self._state.charset, "replace")
            self._bytes.clear()
            self._write_text(text)

    def _write_text(self, text: str) -> None:
        target = self._state.text_target
        if target == "field":
            self._field += text
        elif target == "label":
            self._label += text
        elif target in {"title", "author"}:
            self.found[target] = self.found.get(target, "") + text
        elif target in {"text", "result"}:
            if self._state.hidden:
                self.hidden += bool(text.strip())
            else:
                self._text.append(text)

    def _take_escaped_text(self) -> str:
        text = "".join(self._text)
        self._text.clear()
        self._link_from = None
        return _escape_linked_text(
            text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )

    def _end_hyperlink(self) -> None:
        match = _HYPERLINK_PATTERN.search(self._field)
        if match is None or self._link_from is None or self._link_from[1] != len(self.blocks):
            return
        place = self._link_from[0]
        label = "".join(self._text[place:]).strip()
        address = resolve_link("", match[1]) if match[1].startswith(("http", "mailto")) else ""
        if label and address:
            self._text[place:] = [f"\ue000{label}\ue001{address}\ue002"]

    def _end_paragraph(self) -> None:
        text = self._take_escaped_text().strip()
        if not text:
            return
        self._end_rtf_table()
        if self._outline is not None:
            self.blocks.append(f"{'#' * (self._outline + 1)} {' '.join(text.split())}")
        elif self._list or self._label:
            label = self._label.strip()
            marker = format_list_marker(label if _NUMBERED_LABEL.search(label) else "")
            self.blocks.append("   " * self._level + marker + " ".join(text.split()))
            self._label = ""
        else:
            self.blocks.append(escape_line_starts(text))

    def _end_rtf_table(self) -> None:
        if self._rows:
            self.blocks.append(render_markdown_table(self._rows))
            self._rows = []


@cache
def _load_skipped_destinations() -> frozenset[str]:
    return frozenset(load_table(__package__, "skipped_rtf_destinations"))


def _escape_linked_text(text: str) -> str:
    """The text as markdown; private-use characters in it mark the links."""
    pieces = _LINK_MARKS.split(text)
    made: list[str] = []
    for place in range(0, len(pieces), 3):
        made.append(escape_markdown(pieces[place]).replace("\n", "  \n"))
        if place + 2 < len(pieces):
            made.append(f"[{escape_markdown(pieces[place + 1])}]({pieces[place + 2]})")
    return "".join(made)


def read_rtf(job: document_text.DocumentRequest) -> document_text.DocumentText:
    return read_rtf_body(job.body)


def read_rtf_body(body: bytes) -> document_text.DocumentText:
    start = body.find(b"{\\rtf")
    if start < 0:
        raise document_text.Broken("The file is not RTF.")
    reader = _RtfParser()
    reader.parse_rtf(body[start:])
    return document_text.DocumentText(
        markdown=_join_rtf_blocks(reader.blocks),
        title=reader.found.get("title", "").strip() or None,
        author=reader.found.get("author", "").strip() or None,
        notes=document_text.describe_hidden_text(reader.hidden),
    )


def _join_rtf_blocks(blocks: list[str]) -> str:
    made: list[str] = []
    for block in blocks:
        listed = made and _LIST_LINE.match(block) and _LIST_LINE.match(made[-1])
        made += [("\n" if listed else "\n\n") if made else "", block]
    return "".join(made)
