"""An instance of the first release: says to a database what that release's own code once said to one."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import sqlite3
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg

from citewell.store.sql.postgres_database import number_parameters

FIXTURES = Path(__file__).parent / "first_release"
BUSY_SECONDS = 30.0


def load_told(engine: str) -> dict[str, Any]:
    """What was filled in, and what each writer did and said."""
    told: dict[str, Any] = json.loads(
        gzip.decompress((FIXTURES / f"{engine}.json.gz").read_bytes())
    )
    return told


def decode_params(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: base64.b64decode(value["bytes"]) if isinstance(value, dict) else value
        for name, value in params.items()
    }


@dataclass
class OldSqliteInstance:
    """Runs on a thread of its own, with a connection that it opened before the upgrade."""

    path: Path
    calls: dict[str, list[dict[str, Any]]]  # of each writer
    may_go_on: threading.Event
    failures: list[str] = field(default_factory=list)
    done: int = 0

    def run(self) -> None:
        link = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        link.execute("PRAGMA foreign_keys = ON")
        try:
            for number, (owner, lines) in enumerate(self.calls.items()):
                if number == len(self.calls) // 2:
                    self.may_go_on.wait(BUSY_SECONDS)  # the other half follows the upgrade
                for line in lines:
                    self._say(link, owner, line)
        finally:
            link.close()

    def _say(self, link: sqlite3.Connection, owner: str, line: dict[str, Any]) -> None:
        try:
            if "select" in line:
                link.execute(
                    line["select"]["sql"], decode_params(line["select"]["params"])
                ).fetchall()
            else:
                link.execute("BEGIN IMMEDIATE")
                for one in line["batch"]:
                    self._run_statement(link, one)
                link.execute("COMMIT")
            self.done += 1
        except (sqlite3.Error, AssertionError) as error:
            if link.in_transaction:
                link.execute("ROLLBACK")
            self.failures.append(f"{owner}: {error!r} for {json.dumps(line)[:200]}")

    def _run_statement(self, link: sqlite3.Connection, one: dict[str, Any]) -> None:
        found = link.execute(one["sql"], decode_params(one["params"]))
        rows = found.fetchall()
        changed = len(rows) if found.description else found.rowcount
        assert one["expected"] in {None, changed}, f"{changed} rows"


@dataclass
class OldPostgresInstance:
    url: str
    calls: dict[str, list[dict[str, Any]]]
    failures: list[str] = field(default_factory=list)
    done: int = 0

    async def run(self, owners: list[str], link: asyncpg.Connection[Any]) -> None:
        for owner in owners:
            for line in self.calls[owner]:
                await self._say(link, owner, line)

    async def _say(self, link: asyncpg.Connection[Any], owner: str, line: dict[str, Any]) -> None:
        for tries in range(5):  # the release itself repeats a transaction after a deadlock
            try:
                await self._say_once(link, line)
            except asyncpg.DeadlockDetectedError:
                await asyncio.sleep(0.002 * 2**tries)
            except (asyncpg.PostgresError, AssertionError) as error:
                self.failures.append(f"{owner}: {error!r} for {json.dumps(line)[:200]}")
                return
            else:
                self.done += 1
                return

    async def _say_once(self, link: asyncpg.Connection[Any], line: dict[str, Any]) -> None:
        if "select" in line:
            await self._run_statement(link, line["select"] | {"expected": None})
            return
        async with link.transaction():
            for one in line["batch"]:
                await self._run_statement(link, one)

    async def _run_statement(self, link: asyncpg.Connection[Any], one: dict[str, Any]) -> None:
        text, names = number_parameters(one["sql"])
        params = decode_params(one["params"])
        values = [params[name] for name in names]
        if one["expected"] is None:
            await link.fetch(text, *values)
            return
        prepared = await link.prepare(text)
        rows = await prepared.fetch(*values)
        status = prepared.get_statusmsg() or ""
        changed = len(rows) or int(status.rpartition(" ")[2] or 0)
        assert one["expected"] == changed, f"{changed} rows"
