"""Measures how the source tree is named and shaped, and fails when a figure gets worse.

`python -m tests.meta.tree_figures` prints the figures beside the committed ones and exits 1 if one is
worse. With `--write` it commits the present ones, which should only ever be better.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = Path(__file__).with_name("tree_figures.json")
FIXED_FUNCTIONS = frozenset({"run", "command", "aclose", "main", "load"})  # names of roles
UNIT_FOLDERS = frozenset(
    {"tools", "providers", "sites", "cli"}
)  # one file each for what may be added
FIXED_CLASSES = frozenset({"Args", "Result", "Provider"})
# What a figure may lose, so that rounding or deleting code does not fail.
MIN_LOSS, LOSS_SHARE = 0.005, 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    title: str
    value: float
    higher_is_better: bool

    def is_worse_than(self, committed: float) -> bool:
        loss = committed - self.value if self.higher_is_better else self.value - committed
        return loss > max(MIN_LOSS, LOSS_SHARE * committed)


def list_source_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def measure_tree(folder: Path) -> dict[str, Figure]:
    files = list_source_files(folder)
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    trees = [ast.parse(text) for text in texts.values()]
    functions = [name for tree in trees for name in iterate_function_names(tree)]
    classes = [name for tree in trees for name in iterate_class_names(tree)]
    lines = sum(text.count("\n") for text in texts.values())
    occurrences = Counter(functions)
    per_folder = Counter(
        path.parent
        for path in files
        if path.name != "__init__.py" and path.parent.name not in UNIT_FOLDERS
    )
    return {
        "words_per_function": Figure(
            title="words per function name",
            value=share(map(count_snake_words, functions)),
            higher_is_better=True,
        ),
        "one_word_functions": Figure(
            title="functions with a one-word name",
            value=share(count_snake_words(name) == 1 for name in functions),
            higher_is_better=False,
        ),
        "unique_functions": Figure(
            title="functions whose name no other has",
            value=share(occurrences[name] == 1 for name in functions),
            higher_is_better=True,
        ),
        "one_word_classes": Figure(
            title="classes with a one-word name",
            value=share(count_camel_words(name) == 1 for name in classes),
            higher_is_better=False,
        ),
        "largest_folder": Figure(
            title="most modules in one folder",
            value=max(per_folder.values()),
            higher_is_better=False,
        ),
        "any_per_thousand_lines": Figure(
            title="Any per thousand lines",
            value=1000 * sum(map(count_any, trees)) / lines,
            higher_is_better=False,
        ),
    }


def iterate_function_names(tree: ast.AST) -> Iterator[str]:
    """Every function and method but dunders and the fixed names of roles, without underscores in front."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = node.name.lstrip("_")
            if not node.name.startswith("__") and name not in FIXED_FUNCTIONS:
                yield name


def iterate_class_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name not in FIXED_CLASSES:
            yield node.name.lstrip("_")


def count_snake_words(name: str) -> int:
    return len([word for word in name.split("_") if word])


def count_camel_words(name: str) -> int:
    return len(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name))


def count_any(tree: ast.AST) -> int:
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(tree))


def share(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def main(arguments: list[str]) -> int:
    figures = measure_tree(ROOT / "src")
    if "--write" in arguments:
        rounded = {key: round(figure.value, 3) for key, figure in figures.items()}
        COMMITTED.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")
    committed = json.loads(COMMITTED.read_text(encoding="utf-8"))
    worse = [key for key, figure in figures.items() if figure.is_worse_than(committed[key])]
    for key, figure in figures.items():
        mark = "  WORSE" if key in worse else ""
        sys.stdout.write(
            f"{figure.title:36} {figure.value:8.3f}  was {committed[key]:8.3f}{mark}\n"
        )
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
