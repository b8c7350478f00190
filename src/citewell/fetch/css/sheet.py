"""Reads a style sheet into the rules that hold for a desktop reader, in linear time."""

from __future__ import annotations

import re
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
# A whole rule with nothing nested in it, or the text up to the next brace or the end.
_PIECE = re.compile(r"([^{}]*)\{([^{}]*)\}|([^{}]*)([{}])|([^{}]+)$")
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

    def add(self, other: Sheet) -> None:
        self.rules.extend(other.rules[: MAX_RULES - len(self.rules)])
        self.frames.update(other.frames)
        self.imports = self.imports or other.imports


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
    for selectors, body, lead, brace, rest in _PIECE.findall(clean):
        if len(sheet.rules) >= MAX_RULES:
            break
        if body or selectors:
            if not _flat(stack[-1], selectors, body, sheet):
                _nest(stack, selectors, body, sheet)
        elif brace == "{":
            _open(stack, lead, sheet)
        else:
            stack[-1].body.append(lead or rest)
            if brace and len(stack) > 1:
                _close(stack.pop(), sheet)
    while len(stack) > 1:  # browsers close what the author left open
        _close(stack.pop(), sheet)
    return sheet


def _flat(frame: _Frame, selectors: str, body: str, sheet: Sheet) -> bool:
    """Nearly every rule of a sheet stands by itself and is taken without ado."""
    if frame.selectors or frame.animation or ";" in selectors or "@" in selectors:
        return False
    if frame.active and ":" in body:
        sheet.rules.append(Rule(selectors=selectors.strip(), body=body, layered=frame.layered))
    return True


def _nest(stack: list[_Frame], selectors: str, body: str, sheet: Sheet) -> None:
    _open(stack, selectors, sheet)
    stack[-1].body.append(body)
    _close(stack.pop(), sheet)


def _quiet(match: re.Match[str]) -> str:
    found = match[0]
    if found.startswith(("/*", "<!--", "-->")):
        return " "
    if found[0] in "\"'":
        return found if not _STRUCTURE.search(found) else '""'
    if found[0] == "\\":
        return f"\\{ord(found[1]):x} " if found[1] in "{}" else found
    return "url()"


_STRUCTURE = re.compile(r"[{};:,]")


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
