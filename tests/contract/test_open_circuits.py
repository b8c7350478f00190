"""A breaker that opens in one process opens in the others that share its store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from citewell.core.config import Settings
from citewell.net.upstream.origin_limits import BreakerSnapshot, BreakerState
from citewell.server.app import App
from citewell.server.startup import BreakerSharing
from tests.contract.states import ENGINES
from tests.services import postgres_or_skip

HOME = "http://127.0.0.1:9"


async def share_between(settings: Settings, seconds: float) -> tuple[int, int, BreakerSnapshot]:
    """How many pauses were told and adopted, and how the breaker of the second process stands."""
    first, second = App(settings), App(settings)
    try:
        for app in (first, second):
            app.network.open_upstream("registry", base_url=HOME)
        first.network.open_upstream("registry", base_url=HOME).pause_requests(seconds)
        sharing, other = BreakerSharing(first), BreakerSharing(second)
        told = await sharing.announce_openings() + await sharing.announce_openings()
        adopted = await other.adopt_openings() + await other.adopt_openings()
        assert await other.announce_openings() == 0  # what was heard is not told again
        return told, adopted, second.network.collect_health()["registry"]
    finally:
        await first.aclose()
        await second.aclose()


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_a_pause_of_one_process_is_adopted_by_another_once(engine: str, tmp_path: Path) -> None:
    url = postgres_or_skip().new() if engine == "postgres" else None
    settings = Settings(data_dir=tmp_path, database_url=url, master_key="5a" * 32)

    told, adopted, snapshot = asyncio.run(share_between(settings, 30.0))

    assert (told, adopted) == (1, 1)
    assert snapshot.state is BreakerState.OPEN
    assert snapshot.last_error == "rate_limited"
    assert 20 < (snapshot.retry_after or 0) <= 30


def test_a_pause_that_is_over_soon_is_not_told(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, master_key="5a" * 32)

    told, adopted, snapshot = asyncio.run(share_between(settings, 1.0))

    assert (told, adopted) == (0, 0)
    assert snapshot.state is BreakerState.CLOSED
