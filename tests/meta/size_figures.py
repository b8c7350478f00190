"""Finds what makes the source tree large: pieces that stand alone, and facts written several times.

Each measure returns the names of what it found, so that a figure can be looked up piece by piece
(`python -m tests.meta.tree_figures --list short_functions`).
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.meta.source_tree import FunctionNode, SourceModule, list_defined_names
from tests.meta.tree_names import (
    EXAMPLE_CAPABILITY,
    EXAMPLE_DOMAIN,
    EXAMPLE_FILTER,
    ROLE_NAMES,
    WIRING_NAMES,
)

MAX_SHORT_LINES = 4
MIN_DOMAIN_FIELDS = 2
_MODULE_PATH = re.compile(r"(?P<module>\w+(?:\.\w+)+)(?::(?P<name>\w+))?")


def count_code_lines(modules: Iterable[SourceModule]) -> int:
    return sum(len(module.code) for module in modules)


def count_room_lines(modules: Iterable[SourceModule]) -> Counter[str]:
    """Code lines for each folder directly below the package; files beside them count as one room, "."."""
    lines: Counter[str] = Counter()
    for module in modules:
        room = module.parts[1] if len(module.parts) > 2 else "."
        lines[room] += len(module.code)
    return lines


def find_one_importer_modules(modules: Iterable[SourceModule]) -> list[str]:
    """The modules that exactly one other module imports.

    Imports inside functions and under `TYPE_CHECKING` count, and several imports by one module count
    once. `from package import module` imports the module, not the package. Left out are `__init__`,
    `__main__` and what is loaded by name: a module that defines one of ROLE_NAMES (a tool, a provider,
    a site, a command), or whose dotted name is a string somewhere in the tree (a worker's task).
    """
    listed = tuple(modules)
    known = {module.name for module in listed}
    loaded = set(_list_named_modules(listed))
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for module in listed:
        for package, name in module.list_imported_names():
            submodule = f"{package}.{name}"
            importers[submodule if submodule in known else package].add(module.name)
    return [
        module.name
        for module in listed
        if len(importers[module.name] - {module.name}) == 1
        and not module.is_dunder
        and module.name not in loaded
        and not list_defined_names(module.tree.body) & ROLE_NAMES
    ]


def _list_named_modules(modules: Iterable[SourceModule]) -> Iterator[str]:
    for path in _find_module_paths(modules):
        yield path["module"]


def _find_module_paths(modules: Iterable[SourceModule]) -> Iterator[re.Match[str]]:
    """Every string of the form "package.module" or "package.module:name"."""
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                path = _MODULE_PATH.fullmatch(node.value)
                if path:
                    yield path


class ClassTable:
    """The classes of a tree with their members; a base class is found by its name."""

    def __init__(self, modules: Iterable[SourceModule]) -> None:
        self._classes = [
            (f"{module.name}.{node.name}", node)
            for module in modules
            for node in module.nodes
            if isinstance(node, ast.ClassDef)
        ]
        self._by_name = {node.name: node for _, node in reversed(self._classes)}
        self.protocols = [
            (name, node)
            for name, node in self._classes
            if "Protocol" in map(_name_base, node.bases)
        ]

    def count_implementers(self) -> dict[str, int]:
        protocol_nodes = {node for _, node in self.protocols}
        described = [
            (self.list_members(node), self._list_ancestors(node))
            for _, node in self._classes
            if node not in protocol_nodes
        ]
        counts: dict[str, int] = {}
        for name, protocol in self.protocols:
            wanted = self.list_members(protocol)
            counts[name] = sum(
                protocol.name in ancestors or bool(wanted and wanted <= members)
                for members, ancestors in described
            )
        return counts

    def list_members(self, node: ast.ClassDef) -> set[str]:
        """Methods, fields and what `__init__` assigns to self, with those of base classes in the tree."""
        bases = (self._by_name.get(base) for base in self._list_ancestors(node))
        members = _list_own_members(node)
        return members.union(*(_list_own_members(base) for base in bases if base)) - {"__init__"}

    def _list_ancestors(self, node: ast.ClassDef) -> set[str]:
        ancestors: set[str] = set()
        waiting = [node]
        while waiting:
            for base in map(_name_base, waiting.pop().bases):
                if base not in ancestors:
                    ancestors.add(base)
                    waiting.extend([self._by_name[base]] if base in self._by_name else [])
        return ancestors


def _list_own_members(node: ast.ClassDef) -> set[str]:
    members = list_defined_names(node.body)
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            members |= {
                target.attr
                for target in ast.walk(method)
                if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store)
            }
    return members


def count_protocol_implementers(modules: Iterable[SourceModule]) -> dict[str, int]:
    """For each Protocol the number of classes that inherit from it or have all of its members.

    Members are methods, properties and fields. A Protocol that modules implement, not classes, has none.
    """
    return ClassTable(modules).count_implementers()


def find_short_functions(modules: Iterable[SourceModule]) -> list[str]:
    """The functions and methods of at most four lines that are used once.

    The lines are those of the body without its docstring. A use is a name or an attribute of this name
    anywhere in the tree, or a string "package.module:name"; importing it is none. Left out are nested
    and decorated functions, dunders, and every name that is defined twice: such a method may override
    another or implement a Protocol.
    """
    listed = tuple(modules)
    uses = Counter(path["name"] for path in _find_module_paths(listed) if path["name"])
    definitions: Counter[str] = Counter()
    for module in listed:
        for node in module.nodes:
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    uses[name] += 1
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    definitions[name] += 1
    return [
        f"{module.name}.{function.name}"
        for module in listed
        for function in _list_outer_functions(module.tree)
        if uses[function.name] == 1
        and definitions[function.name] == 1
        and not function.decorator_list
        and not function.name.startswith("__")
        and 1 <= _count_body_lines(function) <= MAX_SHORT_LINES
    ]


def _list_outer_functions(node: ast.AST) -> Iterator[FunctionNode]:
    """Functions of a module and methods of its classes, but nothing inside functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FunctionNode):
            yield child
        else:
            yield from _list_outer_functions(child)


def _count_body_lines(function: FunctionNode) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def find_wiring_modules(modules: Iterable[SourceModule]) -> list[SourceModule]:
    """The modules that only say how services are built, by their name, their folder or a table of builders."""
    return [
        module
        for module in modules
        if (_list_path_words(module) | list_defined_names(module.tree.body)) & WIRING_NAMES
    ]


def find_domain_files(
    modules: Iterable[SourceModule], fields: frozenset[str] = EXAMPLE_DOMAIN
) -> list[SourceModule]:
    """The modules that write at least two fields of a domain.

    A field is written as a variable, an attribute, a parameter, an argument or a whole string, in the
    singular or the plural, in snake case or camel case.
    """
    words = [field.replace("_", "") for field in fields]
    found = []
    for module in modules:
        letters = module.text.replace("_", "").lower()  # a quick look first: most modules fail it
        if sum(word in letters for word in words) >= MIN_DOMAIN_FIELDS:
            written = set(map(_normalize_field, _list_written_names(module)))
            if len(fields & written) >= MIN_DOMAIN_FIELDS:
                found.append(module)
    return found


def _list_written_names(module: SourceModule) -> Iterator[str]:
    for node in module.nodes:
        match node:
            case (
                ast.Name(id=str(name))
                | ast.Attribute(attr=str(name))
                | ast.arg(arg=str(name))
                | ast.keyword(arg=str(name))
                | ast.Constant(value=str(name))
            ):
                yield name


def _normalize_field(name: str) -> str:
    snake = re.sub(r"(?<=[a-z])[A-Z]", lambda capital: f"_{capital[0]}", name).lower()
    return snake if snake.startswith(("has_", "with_")) else snake.removesuffix("s")


def find_filter_lines(
    domain_files: Iterable[SourceModule], name: str = EXAMPLE_FILTER
) -> list[str]:
    """The code lines of these files that contain the name of a filter."""
    word = re.compile(rf"\b{name}\b")
    return [
        f"{module.name}: {line}"
        for module in domain_files
        for line in module.code
        if word.search(line)
    ]


def find_capability_folders(
    modules: Iterable[SourceModule], capability: str = EXAMPLE_CAPABILITY
) -> list[str]:
    """The top-level folders with a file or folder that has the capability's word in its name."""
    names = {capability, f"{capability}s"}
    return sorted({module.parts[1] for module in modules if _list_path_words(module) & names})


def _list_path_words(module: SourceModule) -> set[str]:
    return {word for part in module.parts[1:] for word in part.split("_")}


def find_untested_modules(modules: Iterable[SourceModule], tests: Path) -> list[str]:
    """The modules without a file `test_<module>.py` anywhere below `tests`; packages are left out."""
    test_files = {path.stem for path in tests.rglob("test_*.py")}
    return [
        module.name
        for module in modules
        if not module.is_dunder and f"test_{module.parts[-1]}" not in test_files
    ]


def _name_base(base: ast.expr) -> str:
    match base:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _name_base(value)
        case _:
            return ""
