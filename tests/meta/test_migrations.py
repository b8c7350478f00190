"""A migration only adds, so that programs of the previous release survive it, unless it is a contract."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from citewell.store.sql import migrations

FOLDER = Path(migrations.__file__).parent
FILES = sorted(path.name for path in FOLDER.glob("*.sql"))
# What a program of the previous release could stumble over, by the words of the statement.
DESTRUCTIVE = {
    "drops a table or column": r"\bDROP\s+(TABLE|COLUMN|VIEW|CONSTRAINT|TRIGGER|FUNCTION)\b",
    "renames": r"\bRENAME\b",
    "changes a type": r"\bALTER\s+(COLUMN\s+)?\w+\s+(SET\s+DATA\s+)?TYPE\b",
    "forbids NULL": r"\bSET\s+NOT\s+NULL\b",
    "adds a constraint": r"\bADD\s+(CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY)\b",
    "deletes rows": r"^\s*(DELETE|TRUNCATE)\b",
}
NEW_TABLE = re.compile(r"\bCREATE\s+(?:UNLOGGED\s+|VIRTUAL\s+)?TABLE\s+(\w+)", re.IGNORECASE)
UNIQUE_INDEX = re.compile(r"\bCREATE\s+UNIQUE\s+INDEX\s+\w+\s+ON\s+(\w+)", re.IGNORECASE)
NEW_COLUMN = re.compile(r"\bADD\s+(?:COLUMN\s+)?(?!CONSTRAINT\b)\w+\s[^,;]*", re.IGNORECASE)


def list_statements(text: str) -> list[str]:
    plain = re.sub(r"--[^\n]*", "", text)
    return [part.strip() for part in plain.split(";") if part.strip()]


def find_dangers(text: str) -> list[str]:
    """What in this migration a program of the previous release may not survive."""
    statements = list_statements(text)
    fresh = {match[1].lower() for one in statements for match in NEW_TABLE.finditer(one)}
    found = []
    for one in statements:
        found += [
            f"{what}: {one[:60]}"
            for what, pattern in DESTRUCTIVE.items()
            if re.search(pattern, one, re.IGNORECASE)
        ]
        found += [
            f"needs a value that old programs do not write: {column[0][:60]}"
            for column in NEW_COLUMN.finditer(one)
            if "NOT NULL" in column[0].upper() and "DEFAULT" not in column[0].upper()
        ]
        found += [
            f"refuses rows that old programs write: {one[:60]}"
            for index in UNIQUE_INDEX.finditer(one)
            if index[1].lower() not in fresh
        ]
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_migration_only_adds_unless_it_is_marked_as_a_contract(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    # A unique index may stand in the file of one engine, and its table in the common one.
    common = FOLDER / f"{name.split('.', maxsplit=1)[0]}.sql"
    beside = common.read_text(encoding="utf-8") if common.exists() and common.name != name else ""

    dangers = [one for one in find_dangers(f"{beside};{text}") if one not in find_dangers(beside)]

    if text.startswith(migrations.CONTRACT_MARK):
        assert len(text.splitlines()[0]) > len(migrations.CONTRACT_MARK) + 10, "give the reason"
    else:
        assert dangers == []


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE job",
        "ALTER TABLE job DROP COLUMN body",
        "ALTER TABLE job RENAME COLUMN body TO content",
        "ALTER TABLE job ADD COLUMN rank BIGINT NOT NULL",
        "ALTER TABLE job ALTER COLUMN body SET NOT NULL",
        "ALTER TABLE job ALTER COLUMN cap TYPE TEXT",
        "ALTER TABLE job ADD CONSTRAINT positive CHECK (cap > 0)",
        "CREATE UNIQUE INDEX one_job ON job (thread)",
        "DELETE FROM job",
    ],
)
def test_what_an_older_program_does_not_survive_is_noticed(sql: str) -> None:
    assert find_dangers(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE note (id TEXT PRIMARY KEY, body TEXT NOT NULL)",
        "ALTER TABLE job ADD COLUMN rank BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE job ADD COLUMN rank BIGINT",
        "CREATE INDEX job_rank ON job (rank)",
        "CREATE TABLE note (id TEXT); CREATE UNIQUE INDEX one ON note (id)",
    ],
)
def test_what_an_older_program_survives_is_allowed(sql: str) -> None:
    assert find_dangers(sql) == []


@pytest.mark.parametrize("schema", ["state", "cache"])
def test_the_numbers_of_migrations_have_no_gap(schema: str) -> None:
    """The version of a schema is the number of its migrations, and that of its newest file."""
    numbers = {int(name[len(schema) + 1 :][:4]) for name in FILES if name.startswith(schema)}

    assert sorted(numbers) == list(range(1, len(numbers) + 1))
