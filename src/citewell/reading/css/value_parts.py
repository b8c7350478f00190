"""Parses CSS values: words, arguments, lengths with calc(), and var(), env() and attr()."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from citewell.text.data_tables import load_table

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

EM_PIXELS = 16.0
VIEW_WIDTH_PIXELS, VIEW_HEIGHT_PIXELS = 1280.0, 900.0
# A percentage counts as pixels of a box 400 pixels wide, unless the caller knows better.
_PIXELS_PER_UNIT = {
    "": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "em": EM_PIXELS, "rem": EM_PIXELS, "ex": 8.0, "ch": 8.0, "lh": 20.0, "rlh": 20.0, "%": 4.0,
    "cap": 11.0, "ic": 16.0, "rex": 8.0, "rch": 8.0,
    "deg": 1.0, "turn": 360.0, "rad": 57.2958, "grad": 0.9,
    **{
        prefix + unit: (VIEW_WIDTH_PIXELS if unit in {"vw", "vi", "vmax"} else VIEW_HEIGHT_PIXELS) / 100
        for prefix in ("", "s", "l", "d")
        for unit in ("vw", "vi", "vh", "vb", "vmin", "vmax")
    },
    **dict.fromkeys(("cqw", "cqi", "cqh", "cqb", "cqmin", "cqmax"), 4.0),
}  # fmt: skip
_CALC_CONSTANTS = {"pi": 3.14159, "e": 2.71828, "infinity": 1e9, "nan": 0.0}
_NUMBER_WITH_UNIT = re.compile(r"([+-]?(?:\d++\.?\d*+|\.\d++)(?:e[+-]?\d+)?)(%|[a-z]*)")
_CALC_TOKEN = re.compile(
    r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|[a-z]*)|([-+*/(),])|(-?[a-z][a-z0-9-]*))"
)
_MAX_CALC_CHARS = 200
_CALC_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "sign": lambda value: float((value > 0) - (value < 0)),
    "sqrt": lambda value: math.sqrt(max(0.0, value)),
    "round": lambda value: float(round(value)),
}

_SUBSTITUTION = re.compile(r"(?<![\w-])(var|env|attr|if|--[\w-]{1,80}+)\(", re.IGNORECASE)
_STYLE_TEST = re.compile(r"style\(\s*+(--[^\s:()]++)\s*+(?::\s*+([^()]*+))?\)", re.IGNORECASE)
_BRACKET = re.compile(r"[()]")
_REFERENCE = re.compile(r"(?:var|style)\(\s*+(--[^\s,():]++)", re.IGNORECASE)
_MAX_RESULT_CHARS = 2000  # a longer value is invalid, so that references cannot multiply
_MAX_REFERENCE_DEPTH = 24
_ADDED_UNITS = frozenset({"px", "em", "rem", "%", "vw", "vh", "deg", "s", "ms"})  # by attr()

_STRUCTURE = re.compile(r"[(),/\s]|\"[^\"]*\"?|'[^']*'?")
_MAX_VALUE_CHARS = 4000  # longer values are cut; only hostile ones are that long
_CALL_NAME = re.compile(r"[a-z][a-z0-9-]*$|-[a-z][a-z0-9-]*$")


@cache
def load_css_words(name: str) -> frozenset[str]:
    """One of the lists in css_words.json."""
    return frozenset(load_table(__package__, "css_words")[name])


@lru_cache(maxsize=2048)
def split_arguments(text: str) -> tuple[str, ...]:
    """The parts between commas that are outside brackets, without surrounding spaces."""
    return tuple(part.strip() for part in _split_outside(text, ","))


@lru_cache(maxsize=4096)
def split_words(text: str) -> tuple[str, ...]:
    """The words between spaces, commas and slashes that are outside brackets."""
    if "(" not in text and "," not in text and "/" not in text:
        return tuple(text.split())
    return tuple(part for part in _split_outside(text, ", /\t\n\r\f") if part)


@lru_cache(maxsize=2048)
def parse_calls(text: str) -> tuple[tuple[str, str], ...]:
    """The function calls at the top level of a value: each name with the text in its brackets."""
    found: list[tuple[str, str]] = []
    depth = start = word = 0
    name = ""
    for match in _STRUCTURE.finditer(text[:_MAX_VALUE_CHARS]):
        char = match[0]
        if char == "(":
            if depth == 0:
                name, start = text[word : match.start()].strip(), match.end()
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                found.append((name, text[start : match.start()]))
            depth = max(0, depth)
        if depth == 0:
            word = match.end()
    if depth > 0:  # browsers close open brackets at the end of a value
        found.append((name, text[start:_MAX_VALUE_CHARS]))
    return tuple((each, inside) for each, inside in found if _CALL_NAME.match(each))


def _split_outside(text: str, separators: str) -> list[str]:
    text = text[:_MAX_VALUE_CHARS]
    parts: list[str] = []
    depth = start = 0
    for match in _STRUCTURE.finditer(text):
        char = match[0]
        if char == "(":
            depth += 1
        elif char == ")":
            depth = max(0, depth - 1)
        elif depth == 0 and char in separators:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


# Replaces var(), env() and attr() in values, with custom properties inherited as in a browser.


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
        # The results of @function rules.
        self.functions = {
            name.lower(): rule["result"] for name, rule in rules.items() if "result" in rule
        }


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
        if name not in self._known:
            self._known[name] = None  # what a property that refers to itself gets
            self._known[name] = self._find_value(name, depth)
        return self._known[name]

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
            end = find_closing_bracket(value, match.end())
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
            found = self._node.attributes.get(name) if self._node is not None else None
            if found is not None and len(words) > 1 and words[1] in _ADDED_UNITS:
                found += words[1]
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


def find_closing_bracket(text: str, start: int) -> int:
    """Where the bracket closes that was opened before `start`; the end of the text if it does not."""
    depth = 1
    for match in _BRACKET.finditer(text, start):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return len(text)


# Parses CSS lengths and numbers, including calc(); None for what cannot be computed.


@lru_cache(maxsize=4096)
def parse_pixels(text: str, *, em: float = EM_PIXELS, percent: float | None = None) -> float | None:
    """The length in pixels; `em` is the font size and `percent` the pixels of one per cent."""
    match = _NUMBER_WITH_UNIT.fullmatch(text)
    if match:
        return _convert_to_pixels(match[1], match[2], em, percent)
    if "(" in text and len(text) <= _MAX_CALC_CHARS:
        return _CalcParser(text, em, percent).parse_calc()
    return None


def parse_number(text: str) -> float | None:
    """A number, or a percentage as a fraction of one."""
    return parse_pixels(text, percent=0.01)


def _convert_to_pixels(digits: str, unit: str, em: float, percent: float | None) -> float | None:
    size = _PIXELS_PER_UNIT.get(unit)
    if size is None:
        return None
    if unit in {"em", "ex", "ch"}:
        size = size * em / EM_PIXELS
    elif unit == "%" and percent is not None:
        size = percent
    return max(-1e9, min(1e9, float(digits) * size))


class _CalcParser:
    """A recursive-descent parser of calc(), min(), max() and clamp()."""

    def __init__(self, text: str, em: float, percent: float | None) -> None:
        self._em, self._percent = em, percent
        self._tokens = list(_split_calc_tokens(text))
        self._at = 0

    def parse_calc(self) -> float | None:
        try:
            found = self._parse_sum()
        except (ValueError, IndexError, RecursionError, OverflowError):
            return None
        return found if self._at == len(self._tokens) else None

    def _take_token(self, *wanted: str) -> str | None:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if token is not None and token[0] in wanted:
            self._at += 1
            return token[0]
        return None

    def _parse_sum(self) -> float:
        total = self._parse_product()
        while sign := self._take_token("+", "-"):
            total += self._parse_product() if sign == "+" else -self._parse_product()
        return total

    def _parse_product(self) -> float:
        total = self._parse_operand()
        while sign := self._take_token("*", "/"):
            other = self._parse_operand()
            total = total * other if sign == "*" else total / (other or 1e-9)
        return max(-1e9, min(1e9, total))

    def _parse_operand(self) -> float:
        if self._take_token("-"):
            return -self._parse_operand()
        if self._take_token("+"):
            return self._parse_operand()
        if self._take_token("("):
            return self._expect_closing(self._parse_sum())
        first, second = self._tokens[self._at]
        self._at += 1
        if second == "call":
            return _CALC_CONSTANTS[first] if first in _CALC_CONSTANTS else self._parse_call(first)
        value = _convert_to_pixels(first, second, self._em, self._percent)
        if value is None:
            raise ValueError(second)
        return value

    def _parse_call(self, name: str) -> float:
        if not self._take_token("("):
            raise ValueError(name)
        values = [self._parse_sum()]
        while self._take_token(","):
            values.append(self._parse_sum())
        return self._expect_closing(_apply_calc_function(name, values))

    def _expect_closing(self, value: float) -> float:
        if not self._take_token(")"):
            raise ValueError("unclosed")
        return value


def _apply_calc_function(name: str, values: list[float]) -> float:
    if name in {"calc", "-webkit-calc", "-moz-calc"}:
        return values[0]
    if name == "min":
        return min(values)
    if name == "max":
        return max(values)
    if name == "clamp" and len(values) == 3:
        return max(values[0], min(values[1], values[2]))
    if name in _CALC_FUNCTIONS and len(values) == 1:
        return _CALC_FUNCTIONS[name](values[0])
    if name in {"mod", "rem"} and len(values) == 2 and values[1]:
        return math.fmod(values[0], values[1])
    if name == "hypot":
        return math.hypot(*values)
    raise ValueError(name)


def _split_calc_tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    text = text.strip()
    while place < len(text):
        match = _CALC_TOKEN.match(text, place)
        if match is None:
            yield "?", "?"
            return
        place = match.end()
        if match[1]:
            yield match[1], match[2]
        elif match[3]:
            yield match[3], "sign"
        else:
            yield match[4], "call"
