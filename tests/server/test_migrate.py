"""`citewell migrate` updates the schemas of the databases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from citewell.cli import main


def test_migrate_tells_the_schema_of_each_database(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["migrate"]) == 0

    assert re.fullmatch(r"state: schema \d+\ncache: schema \d+\n", capsys.readouterr().out)
