"""Running a command in this process, with the loopback web as its internet."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from citewell.cli import main


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def logs_restored() -> Iterator[None]:
    """A command sets up logging for its process; this process is pytest's."""
    ours = logging.getLogger("citewell")
    handlers, levels = logging.root.handlers[:], (logging.root.level, ours.level)
    yield
    logging.root.handlers[:] = handlers
    logging.root.setLevel(levels[0])
    ours.setLevel(levels[1])


@pytest.fixture
def run(
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    logs_restored: None,
) -> Run:
    """`run("search", "x", BRAVE_API_KEY="k")`: the arguments, and settings by keyword."""

    def go(*argv: str, **settings: str) -> Ran:
        for name in os.environ:
            monkeypatch.delenv(name)
        for name, value in (environ | settings).items():
            monkeypatch.setenv(name, value)
        code = main(list(argv))
        captured = capsys.readouterr()
        return Ran(code=code, out=captured.out, err=captured.err)

    return go
