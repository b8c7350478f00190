"""The state on each engine, which most contract suites of stores begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.states import ENGINES, Kept, kept


@pytest.fixture(params=sorted(ENGINES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    return kept(request.param, tmp_path / "data")
