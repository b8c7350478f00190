"""Parses a style sheet into the rules that apply on a desktop screen, in linear time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from citewell.fetch.css import media_queries
from citewell.fetch.css.declarations import Declarations, parse_declarations

MAX_SHEET_CHARS = 4_000_000
MAX_SHEET_RULES = 40_000
_MAX_RULE_DEPTH = 12

# A comment separates words like a space; braces in strings and addresses are not structure.
_STRINGS_AND_COMMENTS = re.compile(
    r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*[\"\n]|'(?:[^'\\\n]|\\.)*['\n]"
    r"|\burl\(\s*[^\s\"')][^)]*\)|<!--|-->|\\.",
    re.DOTALL | re.IGNORECASE,
)
# A whole rule with nothing nested in it, or the text up to the next brace or the end.
_RULE_OR_BRACE = re.compile(r"([^{}]*)\{([^{}]*)\}|([^{}]*)([{}])|([^{}]+)$")
_CONDITION_CHECKS = {
    "media": media_queries.matches_media_query,
    "supports": media_queries.is_supported_condition,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleRule:
    selectors: str  # the whole list, as written
    body: str  # the declarations, as written
    layered: bool = False


@dataclass(slots=True, kw_only=True)
class StyleSheet:
    rules: list[StyleRule] = field(default_factory=list)
    animation_ends: dict[str, Declarations] = field(default_factory=dict)  # how each animation ends
    has_imports: bool = False  # it imports sheets that are not loaded

    def add_sheet(self, other: StyleSheet) -> None:
        self.rules.extend(other.rules[: MAX_SHEET_RULES - len(self.rules)])
        self.animation_ends.update(other.animation_ends)
        self.has_imports = self.has_imports or other.has_imports


@dataclass(slots=True, kw_only=True)
class _OpenRule:
    selectors: str = ""
    active: bool = True
    layered: bool = False
    animation: str = ""  # the name of the enclosing @keyframes
    body: list[str] = field(default_factory=list)


def parse_style_sheet(text: str) -> StyleSheet:
    """The rules that apply, with at-rules evaluated and nesting resolved."""
    sheet = StyleSheet()
    clean = _STRINGS_AND_COMMENTS.sub(_neutralize_noise, text[:MAX_SHEET_CHARS])
    stack = [_OpenRule()]
    for selectors, body, lead, brace, rest in _RULE_OR_BRACE.findall(clean):
        if len(sheet.rules) >= MAX_SHEET_RULES:
            break
        if body or selectors:
            if not _add_flat_rule(stack[-1], selectors, body, sheet):
                _add_nested_rule(stack, selectors, body, sheet)
        elif brace == "{":
            _open_rule(stack, lead, sheet)
        else:
            stack[-1].body.append(lead or rest)
            if brace and len(stack) > 1:
                _close_rule(stack.pop(), sheet)
    while len(stack) > 1:  # browsers close open rules at the end too
        _close_rule(stack.pop(), sheet)
    return sheet


def _add_flat_rule(frame: _OpenRule, selectors: str, body: str, sheet: StyleSheet) -> bool:
    """Add a rule that is not nested, as nearly all are; False if it needs the slower path."""
    if frame.selectors or frame.animation or ";" in selectors or "@" in selectors:
        return False
    if frame.active and ":" in body:
        sheet.rules.append(StyleRule(selectors=selectors.strip(), body=body, layered=frame.layered))
    return True


def _add_nested_rule(stack: list[_OpenRule], selectors: str, body: str, sheet: StyleSheet) -> None:
    _open_rule(stack, selectors, sheet)
    stack[-1].body.append(body)
    _close_rule(stack.pop(), sheet)


def _neutralize_noise(match: re.Match[str]) -> str:
    found = match[0]
    if found.startswith(("/*", "<!--", "-->")):
        return " "
    if found[0] in "\"'":
        return found if not _STRUCTURE_CHARS.search(found) else '""'
    if found[0] == "\\":
        return f"\\{ord(found[1]):x} " if found[1] in "{}" else found
    return "url()"


_STRUCTURE_CHARS = re.compile(r"[{};:,]")


def _open_rule(stack: list[_OpenRule], lead: str, sheet: StyleSheet) -> None:
    parent = stack[-1]
    before, _, prelude = lead.rpartition(";")
    if before:
        sheet.has_imports = sheet.has_imports or "@import" in before.lower()
        parent.body.append(before)
    prelude = prelude.strip()
    frame = _OpenRule(
        active=parent.active and len(stack) <= _MAX_RULE_DEPTH,
        layered=parent.layered,
        selectors=parent.selectors,
        animation=parent.animation,
    )
    if prelude.startswith("@"):
        _apply_at_rule(frame, prelude)
    elif parent.animation:
        frame.active = bool(re.search(r"\bto\b|100%", prelude, re.IGNORECASE))
    else:
        frame.selectors = _join_nested_selectors(parent.selectors, prelude)
    stack.append(frame)


def _apply_at_rule(frame: _OpenRule, prelude: str) -> None:
    name, _, rest = prelude[1:].partition(" ")
    name = name.lower().partition("(")[0]
    if name in _CONDITION_CHECKS:
        frame.active = frame.active and _CONDITION_CHECKS[name](prelude[1 + len(name) :])
    elif name == "layer":
        frame.layered = True
    elif name.endswith("keyframes"):
        frame.animation = rest.strip()
    elif name != "scope":
        frame.active = False


def _join_nested_selectors(parent: str, prelude: str) -> str:
    if not parent:
        return prelude
    outer = f":is({parent})" if "," in parent else parent
    inner = prelude.split(",")
    return ",".join(
        part.replace("&", outer) if "&" in part else f"{outer} {part.strip()}" for part in inner
    )[:2000]


def _close_rule(frame: _OpenRule, sheet: StyleSheet) -> None:
    if not frame.active or not (frame.selectors or frame.animation):
        return
    body = ";".join(frame.body)
    if ":" not in body:
        return
    if frame.animation:
        sheet.animation_ends[frame.animation] = parse_declarations(body)
    else:
        rule = StyleRule(selectors=frame.selectors, body=body, layered=frame.layered)
        sheet.rules.append(rule)
