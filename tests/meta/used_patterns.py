"""Finds every regular expression of the product, with the methods it is used by.

Patterns of modules and classes, and what cached functions `load_…` without arguments return, are
taken from the imported modules, however they were put together; patterns that other functions write
out are read from the source.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

import citewell
from citewell.core.lazy_patterns import LazyPattern

# What reads only what the user wrote.
_OWN_INPUT = re.compile(
    r"citewell\.(?:cli|__main__|core\.config|core\.environment|[a-z_]+\.commands)\b"
)
_CALLS = frozenset(("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split"))
_MAX_NESTING = 4  # tuples of tuples of patterns
_UNKNOWN_TEXT = "a"  # stands for a part of a pattern that is known only when the function runs


@dataclass(frozen=True, kw_only=True)
class UsedPattern:
    """One regular expression, with the method it is used by."""

    place: str  # the file, with the line or the name
    source: str
    flags: int
    method: str
    is_bytes: bool = False


@functools.cache
def list_used_patterns() -> tuple[UsedPattern, ...]:
    """The patterns of all modules that read foreign text, once for each method."""
    shared: dict[str, set[str]] = {}
    for module in _import_modules():
        _collect_methods(module, shared)
    found: dict[tuple[str, int, str], UsedPattern] = {}
    for module in _import_modules():
        own: dict[str, set[str]] = {}
        _collect_methods(module, own)
        constants = _list_constants(module, own, shared, _list_imported_names(module))
        for pattern in (*constants, *_list_literals(module, own)):
            key = (pattern.source, pattern.flags & ~re.UNICODE, pattern.method)
            found.setdefault(key, pattern)
    return tuple(found.values())


def list_disguised_imports() -> list[str]:
    """Modules that import regular expressions in a way in which calls are not found."""
    return [
        module.__name__
        for module in _import_modules()
        for node in _list_nodes(module)
        if (isinstance(node, ast.ImportFrom) and node.module in {"re", "regex"})
        or (
            isinstance(node, ast.Import)
            and any(a.name == "regex" or (a.name == "re" and a.asname) for a in node.names)
        )
    ]


@functools.cache
def _import_modules() -> tuple[ModuleType, ...]:
    return tuple(
        importlib.import_module(info.name)
        for info in pkgutil.walk_packages(citewell.__path__, "citewell.")
        if not _OWN_INPUT.match(info.name)
    )


def _locate_module(module: ModuleType) -> Path:
    return Path(str(module.__file__))


def _name_place(module: ModuleType) -> str:
    return str(_locate_module(module).relative_to(Path(str(citewell.__file__)).parent))


@functools.cache
def _list_nodes(module: ModuleType) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(_locate_module(module).read_text("utf-8"))))


def _collect_methods(module: ModuleType, methods: dict[str, set[str]]) -> None:
    """How each name is used, be it of this module (`NAME.sub`) or of another (`words.NAME.sub`)."""
    for node in _list_nodes(module):
        if not isinstance(node, ast.Attribute) or node.attr not in _CALLS:
            continue
        owner = node.value
        if isinstance(owner, ast.Subscript):
            owner = owner.value
        if isinstance(owner, ast.Name | ast.Attribute):
            name = owner.id if isinstance(owner, ast.Name) else owner.attr
            methods.setdefault(name, set()).add(node.attr)


def _list_imported_names(module: ModuleType) -> frozenset[str]:
    return frozenset(
        alias.asname or alias.name
        for node in _list_nodes(module)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )


def _list_constants(
    module: ModuleType,
    own: dict[str, set[str]],
    shared: dict[str, set[str]],
    imported: frozenset[str],
) -> Iterator[UsedPattern]:
    for name, value in list(vars(module).items()):
        if name in imported:
            continue
        is_cached = name.startswith("load_") and hasattr(value, "cache_info")
        is_loader = is_cached and not inspect.signature(value).parameters
        for pattern in _unpack_patterns(value() if is_loader else value, module.__name__, 0):
            # How a member of a table is used is not known; this takes the longest of all.
            for method in (own if name.startswith("_") else shared).get(name) or {"finditer"}:
                yield UsedPattern(
                    place=f"{_name_place(module)}:{name}",
                    source=_read_text(pattern.pattern),
                    flags=pattern.flags,
                    method=method,
                    is_bytes=isinstance(pattern.pattern, bytes),
                )


def _unpack_patterns(value: Any, module: str, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, LazyPattern):
        value = value.compiled
    if isinstance(value, re.Pattern):
        yield value
    if depth == _MAX_NESTING or isinstance(value, re.Pattern | str | bytes | ModuleType):
        return
    parts: list[Any] = []
    if isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, tuple | list | set | frozenset):
        parts = list(value)
    elif isinstance(value, type):
        parts = list(vars(value).values()) if value.__module__ == module else []
    elif type(value).__module__.startswith("citewell."):
        names = (*getattr(value, "__dict__", ()), *getattr(type(value), "__slots__", ()))
        parts = [getattr(value, name, None) for name in names]
    for part in parts:
        yield from _unpack_patterns(part, module, depth + 1)


def _list_literals(module: ModuleType, methods: dict[str, set[str]]) -> Iterator[UsedPattern]:
    nodes = _list_nodes(module)
    if not any(_is_pattern_call(node) for node in nodes):
        return
    targets = {
        id(node.value): target.id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name)
    }
    for function in nodes:
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        for node in ast.walk(function):
            if not _is_pattern_call(node):
                continue
            source = _evaluate_text(node.args[0], vars(module))
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            uses = {called} if called != "compile" else methods.get(targets.get(id(node), ""))
            for method in uses or {"finditer"} if source is not None else ():
                yield UsedPattern(
                    place=f"{_name_place(module)}:{node.lineno}",
                    source=_read_text(source),
                    flags=_read_flags(node),
                    method=method,
                    is_bytes=isinstance(source, bytes),
                )


def _is_pattern_call(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and (node.func.attr == "compile" or node.func.attr in _CALLS)
        and bool(node.args)
    )


def _evaluate_text(node: ast.AST, names: Mapping[str, Any]) -> str | bytes | None:
    """The text of a literal, a constant, a sum or an f-string; None if nothing of it is known."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str | bytes) else None
    if isinstance(node, ast.Name):
        value = names.get(node.id)
        return value if isinstance(value, str | bytes) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        values: list[ast.AST] = [node.left, node.right]
    elif isinstance(node, ast.JoinedStr):
        values = [v.value if isinstance(v, ast.FormattedValue) else v for v in node.values]
    else:
        return None
    parts = [_evaluate_text(value, names) for value in values]
    if not any(parts):
        return None
    whole = "".join(_UNKNOWN_TEXT if part is None else _read_text(part) for part in parts)
    return whole.encode("latin-1") if any(isinstance(p, bytes) for p in parts) else whole


def _read_text(source: str | bytes | None) -> str:
    return source.decode("latin-1") if isinstance(source, bytes) else source or ""


def _read_flags(node: ast.Call) -> int:
    flags = 0
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            flag = getattr(re, part.attr, None) if part.value.id == "re" else None
            if isinstance(flag, re.RegexFlag):
                flags |= int(flag)
    return flags
