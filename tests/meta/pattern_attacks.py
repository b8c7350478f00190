"""Finds every regular expression of the product, and texts on which a bad one takes quadratic time.

An attack repeats what a pattern begins with, or what one of its loops matches, so that an engine
that tries again at every place reads the same text again and again.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, TypeGuard

SOURCE = Path(__file__).parents[2] / "src" / "citewell"
SIZES = (512, 4_096, 32_768, 262_144)
# Eight times the text takes eight times as long, ten with a logarithm, and 64 when it is quadratic.
MAX_GROWTH = 28.0
MIN_SECONDS = 0.004  # less is not told from the noise of a clock
MAX_SMALL_SECONDS = 0.25  # for 4 KB; what a cubic pattern takes there is not waited for at 32 KB
_SMALL_SIZE = 4_096  # below it, loops with an upper bound look quadratic
_MAX_LOOP = 40  # a loop that ends earlier cannot grow with the text
_OWN_INPUT = frozenset(("cli", "config.py", "environment"))  # these read what the user wrote
_CALLS = frozenset(("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split"))
_CLASS_SAMPLES = {
    kinds.CATEGORY_DIGIT: "1",
    kinds.CATEGORY_NOT_DIGIT: "a",
    kinds.CATEGORY_SPACE: " ",
    kinds.CATEGORY_NOT_SPACE: "a",
    kinds.CATEGORY_WORD: "a",
    kinds.CATEGORY_NOT_WORD: "-",
}


@dataclass(frozen=True, kw_only=True)
class UsedPattern:
    """One regular expression, with the method it is used by."""

    place: str  # file and line
    source: str
    flags: int
    method: str


def list_used_patterns() -> list[UsedPattern]:
    """The patterns of all modules that can be read from the source, once for each method."""
    found: dict[tuple[str, int, str], UsedPattern] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if path.relative_to(SOURCE).parts[0] in _OWN_INPUT:
            continue
        for pattern in _list_module_patterns(path):
            found.setdefault((pattern.source, pattern.flags, pattern.method), pattern)
    return list(found.values())


def _list_module_patterns(path: Path) -> Iterator[UsedPattern]:
    tree = ast.parse(path.read_text("utf-8"))
    names = _read_string_constants(tree)
    methods = _collect_methods(tree)
    where = path.relative_to(SOURCE)
    assigned = {
        id(node.value): _read_target(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if not _is_pattern_call(node):
            continue
        source = _evaluate_text(node.args[0], names)
        if source is None:
            continue
        flags = _read_flags(node)
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if called == "compile":
            uses = methods.get(assigned.get(id(node)) or "", set()) or {"search"}
        else:
            uses = {called}
        for method in uses:
            yield UsedPattern(
                place=f"{where}:{node.lineno}", source=source, flags=flags, method=method
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


def _read_target(node: ast.Assign | ast.AnnAssign) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return target.id if isinstance(target, ast.Name) else ""


def _read_string_constants(tree: ast.Module) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = _evaluate_text(node.value, names)
            if value is not None:
                names[node.targets[0].id] = value
    return names


def _evaluate_text(node: ast.AST, names: dict[str, str]) -> str | None:
    """The text of a literal, a sum of literals, an f-string or a constant; None for anything else."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bytes):
            return node.value.decode("latin-1")
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _evaluate_text(node.left, names), _evaluate_text(node.right, names)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        parts = [
            _evaluate_text(v.value if isinstance(v, ast.FormattedValue) else v, names) or "a"
            for v in node.values
        ]
        return "".join(parts)
    return None


def _read_flags(node: ast.Call) -> int:
    flags = 0
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            flag = getattr(re, part.attr, None) if part.value.id == "re" else None
            if isinstance(flag, re.RegexFlag):
                flags |= int(flag)
    return flags


def _collect_methods(tree: ast.Module) -> dict[str, set[str]]:
    """How each pattern constant is used in its module."""
    methods: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.attr in _CALLS
        ):
            methods.setdefault(node.value.id, set()).add(node.attr)
    return methods


def list_attacks(pattern: UsedPattern) -> list[tuple[str, str, str]]:
    """Beginning, repeated part and end of every attack on the pattern."""
    try:
        parsed = parser.parse(pattern.source, pattern.flags)
    except re.error:
        return []
    attacks: dict[tuple[str, str, str], None] = {}
    for before, pump in _list_loops(list(parsed), ""):
        for end in ("\x00", ""):
            attacks[before, pump, end] = None
        if before:
            attacks["", before + pump, "\x00"] = None
            attacks["", before, "\x00"] = None
    sample = _build_sample(list(parsed))
    if sample:
        attacks["", sample, "\x00"] = None
        attacks["", sample[:-1] or sample, "\x00"] = None
    return list(attacks)


def _list_loops(items: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """Each loop of the pattern: what must stand before it, and what it repeats."""
    for kind, value in items:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            low, high, inner = value
            if high >= _MAX_LOOP:
                for pump in _list_samples(list(inner)):
                    yield before, pump
            yield from _list_loops(list(inner), before)
            before += _build_sample(list(inner)) * max(low, 1 if high else 0)
            continue
        if kind == kinds.SUBPATTERN:
            yield from _list_loops(list(value[3]), before)
        elif kind == kinds.BRANCH:
            for branch in value[1]:
                yield from _list_loops(list(branch), before)
        elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            yield from _list_loops(list(value[1]), before)
        elif kind == kinds.ATOMIC_GROUP:
            yield from _list_loops(list(value), before)
        before += _build_sample([(kind, value)])


def _list_samples(items: list[Any]) -> list[str]:
    """A few texts that the items match: one for each branch or member of a class at their start."""
    if len(items) == 1:
        kind, value = items[0]
        if kind == kinds.BRANCH:
            return [_build_sample(list(branch)) for branch in value[1] if branch][:6]
        if kind == kinds.SUBPATTERN:
            return _list_samples(list(value[3]))
        if kind == kinds.IN:
            return _list_members(value)
        if kind in (kinds.ANY, kinds.NOT_LITERAL):
            return ["a", " ", "<", "("]
    sample = _build_sample(items)
    return [sample] if sample else []


def _list_members(members: list[Any]) -> list[str]:
    if members[0][0] == kinds.NEGATE:
        refused = {chr(v) for k, v in members[1:] if k == kinds.LITERAL}
        return [c for c in 'a <([-"1\n' if c not in refused][:4]
    found = []
    for kind, value in members:
        if kind == kinds.LITERAL:
            found.append(chr(value))
        elif kind == kinds.RANGE:
            found.append(chr(value[0]))
        elif kind == kinds.CATEGORY:
            found.append(_CLASS_SAMPLES[value])
    return found[:4]


def _build_sample(items: list[Any]) -> str:
    """One text that the items match, as a rule."""
    pieces: list[str] = []
    for kind, value in items:
        if kind == kinds.LITERAL:
            pieces.append(chr(value))
        elif kind in (kinds.ANY, kinds.NOT_LITERAL):
            pieces.append("a")
        elif kind == kinds.IN:
            pieces.append((_list_members(value) or ["a"])[0])
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            low, _, inner = value
            pieces.append(_build_sample(list(inner)) * low)
        elif kind == kinds.SUBPATTERN:
            pieces.append(_build_sample(list(value[3])))
        elif kind == kinds.ATOMIC_GROUP:
            pieces.append(_build_sample(list(value)))
        elif kind == kinds.BRANCH:
            pieces.append(_build_sample(list(value[1][0])))
    return "".join(pieces)


def build_attack(attack: tuple[str, str, str], size: int) -> str:
    before, pump, end = attack
    return before + pump * (max(size - len(before), 1) // len(pump)) + end


def find_growth(run: Callable[[str], object], attack: tuple[str, str, str]) -> str:
    """What is wrong with the growth of the time that `run` takes, or an empty text."""
    before = 0.0
    for size in SIZES:
        text = build_attack(attack, size)
        spent = _measure_cpu(run, text)
        if _takes_too_long(size, before, spent):
            spent = min(spent, _measure_cpu(run, text))  # a stumble of the machine is not repeated
            if _takes_too_long(size, before, spent):
                return f"{spent:.3f} s at {size} characters after {before:.3f} s: {attack!r:.200}"
        if size > _SMALL_SIZE and spent > MIN_SECONDS:
            break  # its growth is known
        before = spent
    return ""


def _takes_too_long(size: int, before: float, spent: float) -> bool:
    if size <= _SMALL_SIZE:
        return spent > MAX_SMALL_SECONDS
    return spent > MIN_SECONDS and spent > before * MAX_GROWTH


def _measure_cpu(run: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    run(text)
    return time.thread_time() - start


def find_slow_attack(pattern: UsedPattern) -> str:
    """The first attack on which the pattern takes more than linear time, or an empty text."""
    compiled = re.compile(pattern.source, pattern.flags)
    run: Callable[[str], object]
    if pattern.method in {"match", "fullmatch"}:
        run = getattr(compiled, pattern.method)
    elif pattern.method == "search":
        run = compiled.search
    else:
        run = lambda text: sum(1 for _ in compiled.finditer(text))  # noqa: E731 - one line is plainest
    for attack in list_attacks(pattern):
        if problem := find_growth(run, attack):
            return problem
    return ""
