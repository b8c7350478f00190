"""The parsed modules of a source tree, for the figures that measure it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, kw_only=True)
class SourceModule:
    """One file: `parts` is its path below the folder measured, without the suffix."""

    parts: tuple[str, ...]
    text: str
    tree: ast.Module

    @cached_property
    def name(self) -> str:
        """The dotted name; a package has the name of its folder."""
        return ".".join(self.parts[:-1] if self.is_package else self.parts)

    @property
    def is_package(self) -> bool:
        return self.parts[-1] == "__init__"

    @property
    def is_dunder(self) -> bool:
        """Whether the file is `__init__.py` or `__main__.py`, which Python finds by itself."""
        return self.parts[-1].startswith("__")

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree, also those inside functions and `if TYPE_CHECKING`."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def documentation(self) -> frozenset[ast.Constant]:
        """The constants that are docstrings."""
        docstrings = (find_docstring(node) for node in self.nodes if isinstance(node, _DOCUMENTED))
        return frozenset(node for node in docstrings if node is not None)

    @cached_property
    def code(self) -> tuple[str, ...]:
        """The lines that are neither blank nor a comment nor part of a docstring, stripped."""
        prose = {
            number
            for node in self.documentation
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        stripped = ((number, line.strip()) for number, line in enumerate(self.text.split("\n"), 1))
        return tuple(
            line
            for number, line in stripped
            if line and not line.startswith("#") and number not in prose
        )

    def list_imported_names(self) -> Iterator[tuple[str, str]]:
        """(module, name) for every imported name, ("a.b", "") for `import a.b`."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.name, ""
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    yield self._resolve_import(node), alias.name

    def _resolve_import(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.parts[: len(self.parts) - node.level]
        return ".".join((*package, node.module) if node.module else package)


def load_source_tree(folder: Path) -> tuple[SourceModule, ...]:
    """Every Python file below the folder, sorted by its path."""
    modules = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        parts = path.relative_to(folder).with_suffix("").parts
        modules.append(SourceModule(parts=parts, text=text, tree=ast.parse(text)))
    return tuple(modules)


def find_docstring(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> ast.Constant | None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first.value if isinstance(first.value.value, str) else None
    return None


def list_defined_names(statements: list[ast.stmt]) -> set[str]:
    """The functions, classes and variables that these statements define."""
    names: set[str] = set()
    for statement in statements:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(statement.name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign():
                names |= {node.id for node in statement.targets if isinstance(node, ast.Name)}
    return names
