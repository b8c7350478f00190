"""Ledgers from before cents were fixed when an entry is written."""

from __future__ import annotations

import sqlite3

from citewell.core.values.research import TICKS_PER_CENT
from citewell.store.sql import migrations
from citewell.store.sql.database import SQLITE_DIALECT
from tests.requirements import requires

HALF = TICKS_PER_CENT // 2


@requires("deep.rounding")
def test_entries_written_before_get_cents_that_add_up_and_keep_their_ticks() -> None:
    link = sqlite3.connect(":memory:")
    steps = migrations.load_migrations("state", SQLITE_DIALECT)
    for statement in (sql for step in steps[:4] for sql in step):
        link.execute(statement)
    link.execute("INSERT INTO account VALUES ('o', 1, 0, 0, 0, 0, 0)")
    old = [
        ("credit", 10 * TICKS_PER_CENT + 7, None),
        ("settle", HALF, "a"),
        ("settle", HALF, "b"),
        ("settle", 3 * HALF, "a"),
        ("settle", -HALF, "a"),
    ]
    for number, (kind, ticks, job) in enumerate(old):
        cents, remainder = divmod(ticks, TICKS_PER_CENT)
        link.execute(
            "INSERT INTO ledger (id, owner, number, entered, type, cents, remainder, job) "
            "VALUES (?, 'o', ?, 0, ?, ?, ?, ?)",
            (f"id{number}", number, kind, cents, remainder, job),
        )

    for statement in steps[4]:
        link.execute(statement)

    rows = link.execute("SELECT cents, remainder FROM ledger ORDER BY number").fetchall()
    assert [cents for cents, _ in rows] == [10, 1, 1, 1, 0]
    assert [cents * TICKS_PER_CENT + rest for cents, rest in rows] == [ticks for _, ticks, _ in old]
    shown = link.execute("SELECT credited_cents, settled_cents, reserved_cents FROM account")
    assert shown.fetchall() == [(10, 3, 0)]
