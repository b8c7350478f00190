"""Measures how functions, classes and folders of the source tree are named and filled."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.meta.source_tree import SourceModule, list_defined_names
from tests.meta.tree_names import ROLE_NAMES

FIXED_FUNCTIONS = frozenset({"run", "command", "aclose", "build", "main", "load"})  # names of roles
FIXED_CLASSES = frozenset({"Args", "Result", "Provider"})
# What a figure may lose, so that rounding or deleting code does not fail.
MIN_LOSS, LOSS_SHARE = 0.005, 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class NameFigure:
    title: str
    value: float
    higher_is_better: bool

    def is_worse_than(self, committed: float) -> bool:
        return self._measure_loss(committed) > max(MIN_LOSS, LOSS_SHARE * committed)

    def is_better_than(self, committed: float) -> bool:
        return self._measure_loss(committed) < 0

    def _measure_loss(self, committed: float) -> float:
        return committed - self.value if self.higher_is_better else self.value - committed


def measure_names(modules: tuple[SourceModule, ...]) -> dict[str, NameFigure]:
    functions = [name for module in modules for name in iterate_function_names(module)]
    classes = [name for module in modules for name in iterate_class_names(module)]
    lines = sum(module.text.count("\n") for module in modules)
    occurrences = Counter(functions)
    per_folder = Counter(
        module.parts[:-1]
        for module in modules
        if not module.is_package and not list_defined_names(module.tree.body) & ROLE_NAMES
    )
    return {
        "words_per_function": NameFigure(
            title="words per function name",
            value=share(map(count_snake_words, functions)),
            higher_is_better=True,
        ),
        "one_word_functions": NameFigure(
            title="functions with a one-word name",
            value=share(count_snake_words(name) == 1 for name in functions),
            higher_is_better=False,
        ),
        "unique_functions": NameFigure(
            title="functions whose name no other has",
            value=share(occurrences[name] == 1 for name in functions),
            higher_is_better=True,
        ),
        "one_word_classes": NameFigure(
            title="classes with a one-word name",
            value=share(count_camel_words(name) == 1 for name in classes),
            higher_is_better=False,
        ),
        "largest_folder": NameFigure(
            title="most modules in one folder",
            value=max(per_folder.values(), default=0),
            higher_is_better=False,
        ),
        "any_per_thousand_lines": NameFigure(
            title="Any per thousand lines",
            value=1000 * sum(map(count_any, modules)) / lines,
            higher_is_better=False,
        ),
    }


def iterate_function_names(module: SourceModule) -> Iterator[str]:
    """Every function and method but dunders and the fixed names of roles, without underscores in front."""
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = node.name.lstrip("_")
            if not node.name.startswith("__") and name not in FIXED_FUNCTIONS:
                yield name


def iterate_class_names(module: SourceModule) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.ClassDef) and node.name not in FIXED_CLASSES:
            yield node.name.lstrip("_")


def count_snake_words(name: str) -> int:
    return len([word for word in name.split("_") if word])


def count_camel_words(name: str) -> int:
    return len(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name))


def count_any(module: SourceModule) -> int:
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in module.nodes)


def share(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
