"""The shape of each database: numbered SQL files, applied in order and never edited afterwards.

A file holds statements of the common subset, each ended by a semicolon, with no other semicolon
in it. `{bytes}` and `{serial}` stand for the engine's types. What only one engine understands is
in a file of the same number with the engine's name before `.sql`, run after the common one.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from citewell.store.sql import Dialect

_NAME = re.compile(r"(?P<schema>[a-z]+)_(?P<number>\d{4})(?:\.(?P<engine>[a-z]+))?\.sql")
_FLEETING = {"cache"}  # what may be lost in a crash of the server needs no write-ahead log there


def load(name: str, dialect: Dialect) -> tuple[tuple[str, ...], ...]:
    """The statements of each migration of the database called `name`, the first one first."""
    found = sorted(
        (match["number"], match["engine"] or "", file)
        for file in Path(__file__).parent.iterdir()
        if (match := _NAME.fullmatch(file.name))
        and match["schema"] == name
        and match["engine"] in {None, dialect.name}
    )
    return tuple(
        tuple(statement for *_, file in files for statement in _statements(file, name, dialect))
        for _, files in groupby(found, key=lambda entry: entry[0])
    )


def _statements(file: Path, name: str, dialect: Dialect) -> tuple[str, ...]:
    text = file.read_text(encoding="utf-8")
    text = text.replace("{bytes}", dialect.bytes_type).replace("{serial}", dialect.serial_type)
    if dialect.name == "postgres" and name in _FLEETING:
        text = text.replace("CREATE TABLE", "CREATE UNLOGGED TABLE")
    return tuple(part.strip() for part in text.split(";") if part.strip())
