"""A way to the PostgreSQL server that can be slow, cut or closed."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from tests.services import Postgres


@dataclass
class DatabaseProxy:
    folder: Path
    server: Postgres
    latency_seconds: float = 0.0
    is_open: bool = True
    _pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @classmethod
    @asynccontextmanager
    async def started(cls, server: Postgres) -> AsyncIterator[Self]:
        folder = Path(tempfile.mkdtemp(prefix="cw-way-"))
        proxy = cls(folder, server)
        listening = await asyncio.start_unix_server(proxy._serve, folder / ".s.PGSQL.5432")
        try:
            yield proxy
        finally:
            listening.close()
            proxy.cut()
            if proxy._tasks:
                await asyncio.wait(proxy._tasks)
            shutil.rmtree(folder, ignore_errors=True)

    def through(self, url: str) -> str:
        """The address of the same database by this way."""
        return url.replace(f"host={self.server.folder}", f"host={self.folder}")

    def cut(self) -> None:
        """End every connection, as a server that stops at once does."""
        for pair in self._pairs:
            for end in pair:
                end.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.is_open:
            writer.close()
            return
        path = self.server.folder / ".s.PGSQL.5432"
        inner_reader, inner_writer = await asyncio.open_unix_connection(path)
        pair = (writer, inner_writer)
        self._pairs.add(pair)
        both = {
            asyncio.create_task(self._forward(reader, inner_writer)),
            asyncio.create_task(self._forward(inner_reader, writer)),
        }
        self._tasks |= both
        await asyncio.wait(both)
        self._tasks -= both
        self._pairs.discard(pair)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await asyncio.sleep(self.latency_seconds / 2)
                writer.write(data)
                await writer.drain()
        writer.close()
