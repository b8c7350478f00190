"""Replaces var(), env() and attr() in values, with custom properties inherited as in a browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SUBSTITUTION = re.compile(r"(?<![\w-])(var|env|attr|if|--[\w-]{1,80}+)\(", re.IGNORECASE)
_STYLE_TEST = re.compile(r"style\(\s*+(--[^\s:()]++)\s*+(?::\s*+([^()]*+))?\)", re.IGNORECASE)
_BRACKET = re.compile(r"[()]")
_REFERENCE = re.compile(r"(?:var|style)\(\s*+(--[^\s,():]++)", re.IGNORECASE)
_MAX_RESULT_CHARS = 2000  # a longer value is invalid, so that references cannot multiply
_MAX_REFERENCE_DEPTH = 24
_UNITS = frozenset({"px", "em", "rem", "%", "vw", "vh", "deg", "s", "ms", "number"})


def list_references(value: str) -> list[str]:
    """The custom properties that a value refers to."""
    return _REFERENCE.findall(value) if "--" in value else []


class RegisteredProperties:
    """What @property rules and the rules for `*` say of custom properties, for all elements alike."""

    def __init__(self, rules: Mapping[str, Mapping[str, str]]) -> None:
        self.initial = {
            name: rule["initial-value"] for name, rule in rules.items() if "initial-value" in rule
        }
        self.uninherited = {
            name for name, rule in rules.items() if rule.get("inherits", "").lower() == "false"
        }
        self.universal: dict[str, str] = {}
        self.functions: dict[str, str] = {}  # the results of @function rules


class VariableScope:
    """The custom properties of one element: its own, and those of its ancestors."""

    __slots__ = ("_known", "_node", "_own", "_parent", "_registered")

    def __init__(
        self,
        registered: RegisteredProperties,
        parent: VariableScope | None,
        own: Mapping[str, str],
        node: LexborNode | None = None,
    ) -> None:
        self._registered = registered
        self._parent = parent
        self._own = own
        self._node = node
        self._known: dict[str, str | None] = {}

    def look_up(self, name: str, depth: int = 0) -> str | None:
        """The value of a custom property; None if it has none, or refers to itself."""
        if name in self._known:
            return self._known[name]
        self._known[name] = None  # what a property that refers to itself gets
        self._known[name] = value = self._find_value(name, depth)
        return value

    def _find_value(self, name: str, depth: int) -> str | None:
        written = self._own.get(name, self._registered.universal.get(name))
        if written is not None and written not in {"inherit", "unset", "revert", "initial"}:
            return self.substitute_references(written, depth + 1)
        if written == "initial" or name in self._registered.uninherited:
            return self._registered.initial.get(name)
        if self._parent is not None:
            return self._parent.look_up(name, depth)
        return self._registered.initial.get(name)

    def substitute_references(self, value: str, depth: int = 0) -> str | None:
        """The value with its references replaced; None if one of them has no value."""
        if depth > _MAX_REFERENCE_DEPTH:
            return None
        pieces: list[str] = []
        place = size = 0
        for match in _SUBSTITUTION.finditer(value):
            if match.start() < place:
                continue
            end = _find_closing_bracket(value, match.end())
            found = self._replace_call(match[1].lower(), value[match.end() : end], depth)
            if found is None:
                return None
            pieces += (value[place : match.start()], found)
            size += len(pieces[-1]) + len(pieces[-2])
            if size > _MAX_RESULT_CHARS:
                return None
            place = end + 1
        return "".join(pieces) + value[place:] if pieces else value

    def _replace_call(self, kind: str, inside: str, depth: int) -> str | None:
        if kind == "if":
            return self._choose_branch(inside, depth)
        if kind.startswith("--"):
            result = self._registered.functions.get(kind)
            return None if result is None else self.substitute_references(result, depth + 1)
        first, comma, fallback = inside.partition(",")
        words = first.split()
        name = words[0] if words else ""
        if kind == "var":
            found = self.look_up(name, depth)
        elif kind == "attr":
            found = self._read_attribute(name, words[1] if len(words) > 1 else "")
        else:
            found = None if comma else "0px"
        if found is not None:
            return found
        return self.substitute_references(fallback.strip(), depth + 1) if comma else None

    def _choose_branch(self, inside: str, depth: int) -> str | None:
        """The value of the first branch of an if() that holds; only tests of custom properties may hold."""
        for branch in inside.split(";"):
            test, colon, value = branch.rpartition(":")
            match = _STYLE_TEST.search(test)
            holds = test.strip().lower() == "else"
            if match is not None:
                found = self.look_up(match[1], depth)
                wanted = (match[2] or "").strip()
                holds = found is not None and wanted in {"", found.strip()}
            if colon and holds:
                return self.substitute_references(value.strip(), depth + 1)
        return None

    def _read_attribute(self, name: str, kind: str) -> str | None:
        value = self._node.attributes.get(name) if self._node is not None else None
        if value is None:
            return None
        return value + (kind if kind in _UNITS and kind != "number" else "")


def _find_closing_bracket(text: str, start: int) -> int:
    depth = 1
    for match in _BRACKET.finditer(text, start):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return len(text)
