"""Sessions that a test stores and finds again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore


def begin(home: Path, session_id: str = "id") -> None:
    async def run() -> None:
        state = StateStore(Settings(data_dir=home / "data"))
        await state.sessions.create_session("someone", session_id, b"head", [b"one"])
        await state.aclose()

    asyncio.run(run())


def sessions(home: Path) -> list[str]:
    async def run() -> list[Any]:
        state = StateStore(Settings(data_dir=home / "data"))
        heads = await state.sessions.list_heads("someone")
        await state.aclose()
        return [head.id for head in heads]

    return asyncio.run(run())
