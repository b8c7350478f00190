"""Finds functions, methods, properties and classes of the source that nothing in the source uses.

`python -m tests.meta.dead_code` lists what is unused and not allowed, and allowances that are no longer
needed, and exits 1 if there are any. Code that only tests use counts as unused.
"""

from __future__ import annotations

import sys
from pathlib import Path

from vulture import Vulture

from citewell.domains.record_finders import REGISTRIES
from citewell.reading.documents.readers_by_kind import READERS
from citewell.workers.task_table import ENCODER_TASK_PATHS, TASK_PATHS

SOURCE = Path(__file__).resolve().parents[2] / "src"
KINDS = frozenset({"function", "class", "method", "property"})
ALLOWED = {
    "__init_subclass__": "Python calls it for each section of settings",
    "__getattr__": "Python calls it for `citewell.__version__`",
    "_": "typer calls it: the options of the program itself",
    "_require_identifier": "pydantic calls it: a validator",
    "serialize_existence": "pydantic calls it: a serializer",
    "capture_signals": "uvicorn calls it: an overridden method",
    "send_400_response": "uvicorn calls it: an overridden method",
    "append_step": "the contract of a session store; tests write sessions with it",
    "remove_entry": "the contract of a cache; tests empty caches with it",
    "add_claim_event": "the contract of a research store; tests build histories with it",
    "extract_markdown": "the extraction alone, for benchmarks and training",
    "held_bytes": "tests hold the memory bound with it",
    "idle_count": "tests wait for idle workers with it",
    "is_running": "tests wait for the browser with it",
    "is_keyless": "tests compare the documented keyless providers with it",
    "deserialize": "DBOS calls it: an overridden method",
    "serialize": "DBOS calls it: an overridden method",
    "sleep_until_due": "the port of a workflow; no research workflow sleeps, and tests hold it to its word",
    "running_count": "tests wait for jobs with it",
}


def find_unused_code() -> dict[str, str]:
    """The unused names, each with the place of its definition; tasks and readers are called by name."""
    tasks = {path.rpartition(":")[2] for path in TASK_PATHS | ENCODER_TASK_PATHS}
    tasks |= {path.rpartition(":")[2] for path in READERS.values()}
    tasks |= {registry.search.rpartition(":")[2] for registry in REGISTRIES.values()}
    finder = Vulture()
    finder.scavenge([str(SOURCE)])
    return {
        item.name: f"{item.filename}:{item.first_lineno}"
        for item in finder.get_unused_code(min_confidence=60)
        if item.typ in KINDS and item.name not in tasks
    }


def main() -> int:
    unused = find_unused_code()
    for name in sorted(unused.keys() - ALLOWED):
        sys.stdout.write(f"{unused[name]}: {name} is unused\n")
    for name in sorted(ALLOWED.keys() - unused.keys()):
        sys.stdout.write(f"{name} is used or gone; take it off the list in {__file__}\n")
    return 1 if unused.keys() != ALLOWED.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
