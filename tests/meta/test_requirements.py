"""Every requirement that is held is named by a test, and every test names requirements that exist."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from citewell.core import tooling as tools
from tests.requirements import load_requirements

TESTS = Path(__file__).parents[1]
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedTest:
    """A test function, the ids it names, and the texts in it and in what it uses of its module."""

    node_id: str
    ids: frozenset[str]
    texts: frozenset[str]


class ModuleNames:
    """The top-level definitions of a test module, and which of them a piece of code uses."""

    def __init__(self, tree: ast.Module) -> None:
        self._nodes: dict[str, ast.AST] = {}
        self.functions: list[Definition] = []
        for node in tree.body:
            if isinstance(node, Definition):
                self.functions.append(node)
                self._nodes[node.name] = node
            elif isinstance(node, ast.ClassDef):
                self._nodes[node.name] = node
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        self._nodes[target.id] = node

    def collect_used_nodes(self, node: ast.AST) -> list[ast.AST]:
        """The node itself and every definition of the module it reaches, fixtures included."""
        reached, waiting = [node], [node]
        seen: set[str] = set()
        while waiting:
            for part in ast.walk(waiting.pop()):
                name = getattr(part, "id", None) or getattr(part, "arg", None)
                if isinstance(name, str) and name in self._nodes and name not in seen:
                    seen.add(name)
                    reached.append(self._nodes[name])
                    waiting.append(self._nodes[name])
        return reached

    def find_collected_test(self, name: str) -> ast.AST | None:
        """The definition pytest collects under a name: the last one in the module."""
        return self._nodes.get(name)


def collect_texts(nodes: list[ast.AST]) -> frozenset[str]:
    return frozenset(
        part.value
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def collect_marked_ids(node: Definition, names: ModuleNames) -> frozenset[str]:
    """The ids in the marks of a test and of its cases."""
    found: set[str] = set()
    for decorator in node.decorator_list:
        for used in names.collect_used_nodes(decorator):
            for part in ast.walk(used):
                if isinstance(part, ast.Call) and getattr(part.func, "id", "") == "requires":
                    found |= read_mark_ids(part, used, names)
    return frozenset(found)


def read_mark_ids(mark: ast.Call, owner: ast.AST, names: ModuleNames) -> set[str]:
    """Literal ids; of a mark that is filled from a table, every known id in that table."""
    literal = [str(part.value) for part in mark.args if isinstance(part, ast.Constant)]
    if len(literal) == len(mark.args):
        return set(literal)
    return set(load_requirements()) & collect_texts(names.collect_used_nodes(owner))


@cache
def collect_marked_tests() -> tuple[MarkedTest, ...]:
    found: list[MarkedTest] = []
    for path in sorted(TESTS.rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if "requires(" not in source:
            continue
        names = ModuleNames(ast.parse(source))
        for node in names.functions:
            ids = collect_marked_ids(node, names)
            is_collected = (
                node.name.startswith("test_") and names.find_collected_test(node.name) is node
            )
            assert is_collected or not ids, f"{path.name}: {node.name} is marked and no test."
            if ids:
                texts = collect_texts(names.collect_used_nodes(node))
                node_id = f"{path.relative_to(TESTS)}::{node.name}"
                found.append(MarkedTest(node_id=node_id, ids=ids, texts=texts))
    return tuple(found)


def test_every_id_that_a_test_names_exists_and_is_held() -> None:
    known = load_requirements()

    wrong = {
        f"{test.node_id} names {one}"
        for test in collect_marked_tests()
        for one in test.ids
        if one not in known or not known[one].is_held
    }

    assert not wrong


def test_every_held_requirement_is_named_by_a_test() -> None:
    named = {one for test in collect_marked_tests() for one in test.ids}

    orphans = {one for one, what in load_requirements().items() if what.is_held} - named

    assert not orphans


def test_the_marks_that_pytest_collects_are_those_in_the_source(
    request: pytest.FixtureRequest,
) -> None:
    """Of the tests that this run collects; without a selection, of all."""
    in_source = {test.node_id: set(test.ids) for test in collect_marked_tests()}
    collected: dict[str, set[str]] = {}
    for item in request.session.items:
        node_id = f"{item.path.relative_to(TESTS)}::{item.name.partition('[')[0]}"
        ids = {str(one) for mark in item.iter_markers("requirement") for one in mark.args}
        collected.setdefault(node_id, set()).update(ids)
    selected = request.config.option.keyword or request.config.option.markexpr
    whole = not selected and not any("::" in argument for argument in request.config.args)

    differing = {
        node_id
        for node_id, ids in collected.items()
        if (in_source.get(node_id, set()) != ids if whole else ids - in_source.get(node_id, set()))
    }

    assert not differing
    assert not whole or set(request.config.args) != {str(TESTS)} or set(in_source) <= set(collected)


@pytest.mark.parametrize("tool", tools.list_tool_names())
def test_a_tool_is_called_by_a_test_of_its_requirements(tool: str) -> None:
    own = [
        test
        for test in collect_marked_tests()
        if any(one.startswith(f"{tool}.") for one in test.ids) and tool in test.texts
    ]

    assert own


def test_a_requirement_has_a_short_id_and_one_sentence() -> None:
    odd = {
        one
        for one, what in load_requirements().items()
        if not re.fullmatch(r"[a-z_]+\.[a-z0-9_]+", one)
        or not what.sentence.endswith(".")
        or "\n" in what.sentence
    }

    assert not odd
