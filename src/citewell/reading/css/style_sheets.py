"""Parses a style sheet into the rules that apply on a desktop screen, and ranks its cascade layers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from citewell.reading.css.at_rule_conditions import evaluate_condition, matches_media_query
from citewell.reading.css.declarations import Declarations, is_valid_value, parse_declarations
from citewell.reading.css.selectors import split_selector_list
from citewell.text.data_tables import load_table

_FOREIGN_PSEUDO = re.compile(r":(?:-moz-|-ms-|-o-)")

MAX_SHEET_CHARS = 2_000_000  # of all style sheets of a page together
MAX_SHEET_RULES = 40_000
_MAX_RULE_DEPTH = 12
_MAX_SELECTOR_CHARS = 4000
_MAX_LAYERS = 1000

# A comment separates words like a space; braces in strings and addresses are not structure.
_STRINGS_AND_COMMENTS = re.compile(
    r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*+[\"\n]?|'(?:[^'\\\n]|\\.)*+['\n]?"
    r"|\burl\(\s*+[^\s\"')][^)]*+\)?|<!--|-->|\\.",
    re.DOTALL | re.IGNORECASE,
)
# A whole rule with nothing nested in it, or the text up to the next brace or the end.
_RULE_OR_BRACE = re.compile(r"([^{}]*+)\{([^{}]*+)\}|([^{}]*+)([{}])|([^{}]++)\Z")
_STRUCTURE_CHARS = re.compile(r"[{};]")
_AT_RULE_NAME = re.compile(r"@([a-zA-Z-]+)")
_KEYFRAME_PLACE = re.compile(r"from|to|(?<![\d.])[\d.]++%")
_MAX_ADDRESS_CHARS = 200  # longer addresses in a value are pictures or fonts

LayerRank = tuple[float, ...]
_TOP_LAYER = float("inf")
UNLAYERED: LayerRank = (_TOP_LAYER,)


def rank_layers(sheets: Iterable[StyleSheet]) -> dict[tuple[str, ...], LayerRank]:
    """The rank of each layer: later ones are stronger, and rules outside any layer strongest."""
    places: dict[tuple[str, ...], int] = {}
    counts: dict[tuple[str, ...], int] = {}
    for sheet in sheets:
        for path in sheet.layers:
            if path not in places:
                places[path] = counts.get(path[:-1], 0)
                counts[path[:-1]] = places[path] + 1
    return {
        path: (*(float(places[path[: size + 1]]) for size in range(len(path))), _TOP_LAYER)
        for path in places
    }


# Parses a style sheet into the rules that apply on a desktop screen, in linear time.


class StyleRule:
    """A rule that applies: its selector list, its declarations, and the layer and containers it is in."""

    __slots__ = ("_declared", "_hiding", "_parts", "body", "containers", "layer", "selectors")

    def __init__(
        self,
        selectors: str,
        body: str,
        layer: tuple[str, ...] = (),
        containers: tuple[str, ...] = (),
    ) -> None:
        self.selectors = selectors  # the whole list, as written
        self.body = body  # the declarations, as written
        self.layer = layer
        self.containers = containers
        self._parts: list[str] | None = None
        self._declared: Declarations | None = None
        self._hiding: Declarations | None = None

    @property
    def selector_parts(self) -> list[str]:
        """The selectors of the list."""
        if self._parts is None:
            self._parts = split_selector_list(self.selectors)
        return self._parts

    @property
    def hiding_declarations(self) -> Declarations:
        """The declarations, without lengths that cannot hide anything."""
        if self._hiding is None:
            body = self.body
            is_cover = "position" in body and "background" in body
            is_whole = is_cover or "overflow" in body or "container" in body
            self._hiding = (
                self.all_declarations if is_whole else parse_declarations(body, only_hiding=True)
            )
        return self._hiding

    @property
    def all_declarations(self) -> Declarations:
        if self._declared is None:
            self._declared = parse_declarations(self.body)
        return self._declared


@dataclass(slots=True, kw_only=True)
class StyleSheet:
    rules: list[StyleRule] = field(default_factory=list)
    keyframes: dict[str, dict[float, Declarations]] = field(default_factory=dict)
    layers: list[tuple[str, ...]] = field(default_factory=list)  # in order of appearance
    registered: dict[str, dict[str, str]] = field(default_factory=dict)  # @property rules
    is_cut: bool = False  # a limit was reached, and the rest was not read


@dataclass(slots=True, kw_only=True)
class _OpenRule:
    selectors: str = ""
    active: bool = True
    layer: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    scope_limit: str = ""  # what each selector in a limited @scope ends with
    animation: str = ""  # the name of the enclosing @keyframes
    moments: tuple[str, ...] = ()  # the places in that animation
    registered: str = ""  # the custom property of the enclosing @property
    body: list[str] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        return not (self.selectors or self.animation or self.registered)


class _SheetParser:
    def __init__(self) -> None:
        self.sheet = StyleSheet()
        self.stack = [_OpenRule()]
        self._layers: set[tuple[str, ...]] = set()
        self._skipped = 0  # open rules inside one that does not apply

    def parse_text(self, text: str) -> StyleSheet:
        rules, stack = self.sheet.rules, self.stack
        clean = _STRINGS_AND_COMMENTS.sub(_neutralize_noise, text)
        for selectors, body, lead, brace, rest in _RULE_OR_BRACE.findall(clean):
            if len(rules) >= MAX_SHEET_RULES:
                self.sheet.is_cut = True
                break
            if self._skipped:
                self._skipped += (brace == "{") - (brace == "}")
            elif body or selectors:
                self._read_flat_rule(selectors, body)
            elif brace == "{":
                self._skipped += not self._open_rule(lead)
            else:
                self._read_layer_statements(lead or rest)
                if brace and len(stack) > 1:
                    self._close_rule()
        while len(stack) > 1:  # browsers close open rules at the end too
            self._close_rule()
        return self.sheet

    def _read_flat_rule(self, selectors: str, body: str) -> None:
        """Read a rule with nothing nested in it, as nearly all are."""
        frame = self.stack[-1]
        if not frame.is_plain or ";" in selectors or "@" in selectors:
            if self._open_rule(selectors):
                self.stack[-1].body.append(body)
                self._close_rule()
        elif frame.active and ":" in body:
            rule = StyleRule(selectors.strip(), body, frame.layer, frame.containers)
            self.sheet.rules.append(rule)

    def _read_layer_statements(self, text: str) -> None:
        self.stack[-1].body.append(text)
        if "@layer" not in text.lower():
            return
        for part in text.split(";"):
            words = part.strip()
            if words[:6].lower() == "@layer":
                for name in words[6:].split(","):
                    self._note_layer((*self.stack[-1].layer, *name.strip().split(".")))

    def _note_layer(self, path: tuple[str, ...]) -> None:
        if len(path) > _MAX_RULE_DEPTH or len(self._layers) > _MAX_LAYERS:
            self.sheet.is_cut = True
            return
        for size in range(1, len(path) + 1):
            if path[:size] not in self._layers:
                self._layers.add(path[:size])
                self.sheet.layers.append(path[:size])

    def _open_rule(self, lead: str) -> bool:
        """Begin a rule; False if it is inside one that does not apply, or too deep."""
        parent = self.stack[-1]
        before, _, prelude = lead.rpartition(";")
        if before:
            self._read_layer_statements(before)
        if not parent.active or len(self.stack) > _MAX_RULE_DEPTH:
            return False
        if parent.selectors:  # its declarations come before those of the nested rule
            self._add_rule(parent)
        prelude = prelude.strip()
        frame = _OpenRule(
            layer=parent.layer,
            containers=parent.containers,
            selectors=parent.selectors,
            scope_limit=parent.scope_limit,
            animation=parent.animation,
        )
        if prelude.startswith("@"):
            self._apply_at_rule(frame, prelude)
        elif parent.animation:
            frame.moments = tuple(_KEYFRAME_PLACE.findall(prelude.lower()))
        elif parent.selectors or parent.scope_limit:
            frame.selectors = _join_nested_selectors(parent, prelude)
            frame.active = frame.active and len(frame.selectors) <= _MAX_SELECTOR_CHARS
        else:
            frame.selectors = prelude
        self.stack.append(frame)
        return True

    def _apply_at_rule(self, frame: _OpenRule, prelude: str) -> None:
        match = _AT_RULE_NAME.match(prelude)
        name = match[1].lower() if match else ""
        rest = prelude[1 + len(name) :].strip()
        if name == "media":
            frame.active = frame.active and matches_media_query(rest)
        elif name == "supports":
            frame.active = frame.active and is_supported_condition(rest)
        elif name == "layer":
            path = rest.split(".") if rest else [f"unnamed {len(self._layers)} {id(self)}"]
            frame.layer = (*frame.layer, *(part.strip() for part in path))
            self._note_layer(frame.layer)
        elif name == "container":
            frame.containers = (*frame.containers, rest)
        elif name == "scope":
            _apply_scope(frame, rest)
        elif name.endswith("keyframes"):
            frame.animation = rest.strip("\"'").lower()
        elif name in {"property", "function"}:
            frame.registered = rest.partition("(")[0].strip()
        else:
            frame.active = False

    def _close_rule(self) -> None:
        frame = self.stack.pop()
        if frame.registered and frame.active:
            pairs = (part.partition(":") for part in ";".join(frame.body).split(";"))
            self.sheet.registered[frame.registered] = {
                name.strip().lower(): value.strip().strip("\"'") for name, _, value in pairs
            }
        elif frame.animation and frame.active:
            self._add_moments(frame)
        else:
            self._add_rule(frame)

    def _add_moments(self, frame: _OpenRule) -> None:
        if not frame.moments:
            return
        declared = parse_declarations(";".join(frame.body))
        moments = self.sheet.keyframes.setdefault(frame.animation, {})
        for moment in frame.moments:
            # A place in the animation as a per cent of its length.
            share = {"from": "0", "to": "100"}.get(moment, moment.removesuffix("%"))
            try:
                moments[float(share)] = declared
            except ValueError:
                moments[0.0] = declared

    def _add_rule(self, frame: _OpenRule) -> None:
        body = ";".join(frame.body)
        frame.body.clear()
        if frame.active and frame.selectors and ":" in body:
            rule = StyleRule(frame.selectors, body, frame.layer, frame.containers)
            self.sheet.rules.append(rule)


def parse_style_sheet(text: str) -> StyleSheet:
    """The rules that apply, with at-rules evaluated and nesting resolved."""
    sheet = _SheetParser().parse_text(text[:MAX_SHEET_CHARS])
    sheet.is_cut = sheet.is_cut or len(text) > MAX_SHEET_CHARS
    return sheet


def _neutralize_noise(match: re.Match[str]) -> str:
    noise = match[0]
    if noise[0] in "/<-":
        return " "
    if noise[0] == "\\":
        return f"\\{ord(noise[1]):x} " if noise[1] in "{};" else noise
    has_structure = _STRUCTURE_CHARS.search(noise)
    if noise[0] in "\"'":
        return '""' if has_structure else noise
    return "url()" if has_structure or len(noise) > _MAX_ADDRESS_CHARS else noise


def _join_nested_selectors(parent: _OpenRule, prelude: str) -> str:
    outer = parent.selectors or ":root"
    if "," in outer:
        outer = f":is({outer})"
    joined = []
    for part in split_selector_list(prelude):
        if "&" in part or ":scope" in part:
            whole = part.replace("&", outer).replace(":scope", outer)
        else:
            whole = f"{outer} {part}" if parent.selectors else part
        joined.append(whole + parent.scope_limit)
    return ",".join(joined)


def _apply_scope(frame: _OpenRule, rest: str) -> None:
    """Read `(root) to (limit)`: the rules inside hold below the root, and not below the limit."""
    root, _, limit = rest.partition(" to ")
    root = root.strip().removeprefix("(").removesuffix(")").strip()
    limit = limit.strip().removeprefix("(").removesuffix(")").strip()
    frame.selectors = f":where({root})" if root else frame.selectors
    frame.scope_limit = f":not(:is({limit}) *):not({limit})" if limit else ""


# Evaluates @supports conditions for a current desktop browser.


def is_supported_condition(condition: str) -> bool:
    """Whether an @supports condition holds; unknown properties and functions do not."""
    return evaluate_condition(condition.lower(), _is_supported_test)


def _is_supported_test(name: str, inside: str) -> bool:
    if name == "selector":
        return not _FOREIGN_PSEUDO.search(inside)
    if name in {"font-tech", "font-format", "at-rule"}:
        return True
    if name:
        return False
    prop, colon, value = (part.strip() for part in inside.partition(":"))
    if not colon or not value:
        return False
    return prop.startswith("--") or prop in _load_other_properties() or is_valid_value(prop, value)


@cache
def _load_other_properties() -> frozenset[str]:
    """Properties that browsers know, beside those that this package reads.

    The list need not be complete: a page that hides text behind a rare property only keeps it.
    """
    return frozenset(load_table(__package__, "other_properties"))
