"""Chooses the declarations of a block that matter for hidden text."""

from __future__ import annotations

from collections.abc import Iterable

from citewell.fetch.css.custom_properties import list_references
from citewell.fetch.css.declarations import Declarations
from citewell.fetch.css.hiding_seeds import may_hide, needs_whole_block


class DeclarationChoice:
    """Chooses the declarations of a rule that one of the two rounds applies; each block is read once."""

    def __init__(self, kept: frozenset[str], *, hides: bool) -> None:
        self._kept = kept
        self._hides = hides
        self._chosen: dict[int, Declarations] = {}

    def choose(self, declared: Declarations, selector: str) -> Declarations:
        found = self._chosen.get(id(declared))
        if found is None:
            whole = needs_whole_block(declared)
            found = self._chosen[id(declared)] = {
                name: worth
                for name, worth in declared.items()
                if (name in self._kept or may_hide(name, worth[0]) or whole) is self._hides
                and (self._hides or not name.startswith("--"))
            }
        if selector == "*" and found:
            return {name: worth for name, worth in found.items() if not name.startswith("--")}
        return found


def find_needed_variables(every: Iterable[Declarations]) -> frozenset[str]:
    """The custom properties that other declarations refer to, directly or through one another."""
    references: dict[str, set[str]] = {}
    needed: set[str] = set()
    for declared in every:
        for name, (value, _) in declared.items():
            if "var(" in value:
                target = references.setdefault(name, set()) if name.startswith("--") else needed
                target.update(list_references(value))
    waiting = list(needed)
    while waiting:
        for name in references.get(waiting.pop(), ()):
            if name not in needed:
                needed.add(name)
                waiting.append(name)
    return frozenset(needed)
