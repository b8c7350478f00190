"""Chooses the declarations of a block that matter for hidden text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from citewell.fetch.css.hiding_seeds import find_inherited_hiding, may_hide, needs_whole_block
from citewell.fetch.css.sheets.declarations import (
    COLOUR_PROPERTIES,
    PENDING_MARK,
    Declarations,
    expand_pending,
)
from citewell.fetch.css.values.custom_properties import (
    RegisteredProperties,
    VariableScope,
    list_references,
)

_MAX_VALUES = 6  # of one custom property on a page; with more, it may be anything
_MAX_COMBINATIONS = 24
# Properties that variables set on every other page, and hardly ever to hide something.
_SELDOM_HIDING = frozenset(
    {"letter-spacing", "line-height", "max-width", "margin-top", "margin-left", "margin-right"}
)


class DeclarationChoice:
    """Sorts each block of a page into declarations that may hide text, and those that may undo it."""

    def __init__(self, blocks: Sequence[Declarations], initial: Mapping[str, str]) -> None:
        self._variables = _collect_variables(blocks)
        for name, value in initial.items():
            self._variables.setdefault(name, []).append(value)
        self._judged: dict[tuple[str, str], bool] = {}
        self._chosen: dict[tuple[int, bool], Declarations] = {}
        self._kept = COLOUR_PROPERTIES | find_inherited_hiding(blocks, self._may_hide)
        hiding = [self.choose_hiding(declared) for declared in blocks]
        self.needed_variables = _find_needed_variables(hiding, blocks)
        self._chosen.clear()
        self._kept |= self.needed_variables

    def choose_hiding(self, declared: Declarations) -> Declarations:
        """The declarations that can hide text or set colours."""
        return self._choose_declarations(declared, hides=True)

    def choose_other(self, declared: Declarations) -> Declarations:
        """The declarations that can only undo or complete what others do."""
        return self._choose_declarations(declared, hides=False)

    def _choose_declarations(self, declared: Declarations, *, hides: bool) -> Declarations:
        key = (id(declared), hides)
        found = self._chosen.get(key)
        if found is None:
            whole = needs_whole_block(declared)
            found = self._chosen[key] = {
                name: worth
                for name, worth in declared.items()
                if (name in self._kept or whole or self._may_hide(name, worth[0])) is hides
                and (hides or name[:2] != "--")
            }
        return found

    def _may_hide(self, name: str, value: str) -> bool:
        if "var(" not in value:
            return may_hide(name, value)
        key = (name, value)
        if key not in self._judged:
            self._judged[key] = may_hide(name, value) and self._may_hide_by_variable(name, value)
        return self._judged[key]

    def _may_hide_by_variable(self, name: str, value: str) -> bool:
        """Whether the value may hide with any of the values that its variables have on the page."""
        references = list(dict.fromkeys(list_references(value)))
        choices = [self._variables.get(reference, [""]) for reference in references]
        total = 1
        for choice in choices:
            total *= len(choice)
            if total > _MAX_COMBINATIONS or len(choice) > _MAX_VALUES:
                return name not in _SELDOM_HIDING
        for chosen in product(*choices):
            own = {each: text for each, text in zip(references, chosen, strict=True) if text}
            found = VariableScope(RegisteredProperties({}), None, own).substitute_references(value)
            if found is not None and self._is_hiding_text(name, found):
                return True
        return False

    def _is_hiding_text(self, name: str, value: str) -> bool:
        text = value.strip().lower()
        if "var(" in text:
            return True
        if text.startswith(PENDING_MARK):
            text = expand_pending(text, name) or ""
        return bool(text) and may_hide(name, text)


def _collect_variables(blocks: Iterable[Declarations]) -> dict[str, list[str]]:
    """The values that each custom property has on the page; those that refer to others may be any."""
    found: dict[str, list[str]] = {}
    for declared in blocks:
        for name, (value, _) in declared.items():
            if name[:2] == "--":
                values = found.setdefault(name, [])
                if value not in values and len(values) <= _MAX_VALUES:
                    values.append(value)
    for values in found.values():
        if any("var(" in value for value in values):
            values.extend([""] * (_MAX_VALUES + 1))
    return found


def _find_needed_variables(
    chosen: Iterable[Declarations], blocks: Iterable[Declarations]
) -> frozenset[str]:
    """The custom properties that chosen declarations refer to, directly or through one another."""
    needed = {
        reference
        for declared in chosen
        for name, (value, _) in declared.items()
        if name[:2] != "--" and "--" in value
        for reference in list_references(value)
    }
    if not needed:
        return frozenset()
    references: dict[str, set[str]] = {}
    for declared in blocks:
        for name, (value, _) in declared.items():
            if name[:2] == "--" and "--" in value:
                references.setdefault(name, set()).update(list_references(value))
    waiting = list(needed)
    while waiting:
        for name in references.get(waiting.pop(), ()):
            if name not in needed:
                needed.add(name)
                waiting.append(name)
    return frozenset(needed)
