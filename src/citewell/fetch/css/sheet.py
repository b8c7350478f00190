"""Reads a style sheet into the rules that hold for a desktop reader, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from citewell.fetch.css import media
from citewell.fetch.css.declaration import Declared, declarations

MAX_CHARACTERS = 4_000_000
MAX_RULES = 40_000
_MAX_DEPTH = 12

# Comments part words; braces inside strings and addresses are not structure.
_NOISE = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*[\"\n]|'(?:[^'\\\n]|\\.)*['\n]"
    r"|\burl\(\s*[^\s\"')][^)]*\)|<!--|-->|\\.",
    re.DOTALL | re.IGNORECASE,
)
_BRACE = re.compile(r"[{}]")
_CONDITIONAL = {"media": media.applies, "supports": media.supported}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    selectors: str  # the whole list, as written
    body: str  # the declarations, as written
    layered: bool = False


@dataclass(slots=True, kw_only=True)
class Sheet:
    rules: list[Rule] = field(default_factory=list)
    frames: dict[str, Declared] = field(default_factory=dict)  # where each animation ends
    imports: bool = False  # there is more that we do not see


@dataclass(slots=True, kw_only=True)
class _Frame:
    selectors: str = ""
    active: bool = True
    layered: bool = False
    animation: str = ""  # the @keyframes this is in
    body: list[str] = field(default_factory=list)


def read(text: str) -> Sheet:
    """Every rule in force, whatever at-rules and nesting it stands in."""
    sheet = Sheet()
    clean = _NOISE.sub(_quiet, text[:MAX_CHARACTERS])
    stack = [_Frame()]
    for lead, brace in _pieces(clean):
        if len(sheet.rules) >= MAX_RULES:
            break
        if brace == "{":
            _open(stack, lead, sheet)
        else:
            stack[-1].body.append(lead)
            if len(stack) > 1:
                _close(stack.pop(), sheet)
    while len(stack) > 1:  # browsers close what the author left open
        _close(stack.pop(), sheet)
    return sheet


def _quiet(match: re.Match[str]) -> str:
    found = match[0]
    if found.startswith(("/*", "<!--", "-->")):
        return " "
    if found[0] in "\"'":
        return found if not _STRUCTURE.search(found) else '""'
    return found if found[0] == "\\" else "url()"


_STRUCTURE = re.compile(r"[{};:,]")


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    start = 0
    for match in _BRACE.finditer(text):
        place = match.start()
        if place and text[place - 1] == "\\":
            continue
        yield text[start:place], match[0]
        start = match.end()
    yield text[start:], "}"


def _open(stack: list[_Frame], lead: str, sheet: Sheet) -> None:
    parent = stack[-1]
    before, _, prelude = lead.rpartition(";")
    if before:
        sheet.imports = sheet.imports or "@import" in before.lower()
        parent.body.append(before)
    prelude = prelude.strip()
    frame = _Frame(
        active=parent.active and len(stack) <= _MAX_DEPTH,
        layered=parent.layered,
        selectors=parent.selectors,
        animation=parent.animation,
    )
    if prelude.startswith("@"):
        _at(frame, prelude)
    elif parent.animation:
        frame.active = bool(re.search(r"\bto\b|100%", prelude, re.IGNORECASE))
    else:
        frame.selectors = _nested(parent.selectors, prelude)
    stack.append(frame)


def _at(frame: _Frame, prelude: str) -> None:
    name, _, rest = prelude[1:].partition(" ")
    name = name.lower().partition("(")[0]
    if name in _CONDITIONAL:
        frame.active = frame.active and _CONDITIONAL[name](prelude[1 + len(name) :])
    elif name == "layer":
        frame.layered = True
    elif name.endswith("keyframes"):
        frame.animation = rest.strip()
    elif name != "scope":
        frame.active = False


def _nested(parent: str, prelude: str) -> str:
    if not parent:
        return prelude
    outer = f":is({parent})" if "," in parent else parent
    inner = prelude.split(",")
    return ",".join(
        part.replace("&", outer) if "&" in part else f"{outer} {part.strip()}" for part in inner
    )[:2000]


def _close(frame: _Frame, sheet: Sheet) -> None:
    if not frame.active or not (frame.selectors or frame.animation):
        return
    body = ";".join(frame.body)
    if ":" not in body:
        return
    if frame.animation:
        sheet.frames[frame.animation] = declarations(body)
    else:
        rule = Rule(selectors=frame.selectors, body=body, layered=frame.layered)
        sheet.rules.append(rule)
