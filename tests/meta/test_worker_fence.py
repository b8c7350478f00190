"""The server's process parses nothing that comes from outside: what may, and that it does not."""

from __future__ import annotations

import ast
import asyncio
import json
import subprocess
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import get_type_hints

import pytest
import selectolax.lexbor
from pydantic import TypeAdapter

from citewell.workers.task_table import ENCODER_TASK_PATHS, PRELOADED_MODULES, TASK_PATHS
from tests.internet.serve import Internet
from tests.parsing_guard import ParsedOutsideWorker

SOURCE = Path(__file__).parents[2] / "src" / "citewell"
SERVER_SIDE = ("citewell.reading.page_tasks", "citewell.reading.pages.")
TREE_BUILDERS = ("LexborHTMLParser", "convert_html_text", "limit_markup", "decode_body")
NEVER_LOADED = (
    "selectolax",
    "citewell.reading.page_reading",
    "citewell.reading.html.main_content",
    "citewell.reading.css.style_cascade",
)


def list_modules(*words: str) -> dict[str, ast.Module]:
    """The modules in whose text one of the words stands; to read all of them takes seconds."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        text = path.read_text("utf-8")
        if any(word in text for word in words):
            found[name] = ast.parse(text)
    return found


def imports_parser(tree: ast.Module) -> bool:
    """Whether the module uses the parser, other than to name its types."""
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    return any(
        isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("selectolax")
        and id(node) not in typing_only
        for node in ast.walk(tree)
    )


@pytest.mark.parametrize("path", sorted(TASK_PATHS | ENCODER_TASK_PATHS))
def test_a_task_is_a_function_whose_types_can_travel(path: str) -> None:
    module, _, name = path.partition(":")

    function = getattr(import_module(module), name)

    hints = get_type_hints(function)
    assert set(signature(function).parameters) | {"return"} == set(hints)
    for hint in hints.values():
        TypeAdapter(hint)
    assert not asyncio.iscoroutinefunction(function)


def test_workers_load_beforehand_what_exists() -> None:
    assert {import_module(name).__name__ for name in PRELOADED_MODULES} == set(PRELOADED_MODULES)


def test_only_modules_of_tasks_use_the_parser() -> None:
    holders = {path.partition(":")[0] for path in TASK_PATHS}

    users = {name for name, tree in list_modules("selectolax").items() if imports_parser(tree)}

    assert "citewell.reading.page_reading" in users
    strays = {name for name in users if not name.startswith("citewell.reading.")} - holders
    assert strays | {name for name in users if name.startswith(SERVER_SIDE)} == set()


def test_no_coroutine_of_ours_builds_a_tree() -> None:
    guilty = [
        f"{name}:{function.name}"
        for name, tree in list_modules(*TREE_BUILDERS).items()
        for function in ast.walk(tree)
        if isinstance(function, ast.AsyncFunctionDef)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in TREE_BUILDERS
    ]

    assert guilty == []


def test_a_test_that_parses_on_the_loop_fails() -> None:
    async def parse() -> None:
        selectolax.lexbor.LexborHTMLParser("<p>x</p>")

    with pytest.raises(ParsedOutsideWorker):
        asyncio.run(parse())


@pytest.mark.process
def test_a_server_that_reads_a_page_never_loads_the_parser(
    internet: Internet, environ: dict[str, str]
) -> None:
    url = internet.page("batteries.example.org", "lithium-ion-ageing")
    script = (
        "import asyncio, json, os, sys\n"
        "from citewell.core import config\n"
        "from citewell.server.app import App\n"
        "async def main():\n"
        "    app = App(config.load_settings(os.environ))\n"
        f"    outcome = await app.call_tool('scrape_page', {{'url': {url!r}}})\n"
        "    await app.aclose()\n"
        "    return outcome\n"
        "outcome = asyncio.run(main())\n"
        "print(json.dumps([not outcome.is_error, sorted(sys.modules)]))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, env=environ, check=True, timeout=50,
    )  # fmt: skip

    was_read, loaded = json.loads(done.stdout.splitlines()[-1])
    assert was_read
    assert set(NEVER_LOADED) & set(loaded) == set()


def test_the_process_that_holds_a_model_reads_no_page_and_no_answer() -> None:
    assert not TASK_PATHS & ENCODER_TASK_PATHS
    holders = ("citewell.evidence.encoding.", "citewell.evidence.judging.nli_model:")
    assert all(path.startswith(holders) for path in ENCODER_TASK_PATHS)
