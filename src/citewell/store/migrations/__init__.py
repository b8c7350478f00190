"""The shape of each database: numbered SQL files, applied in order and never edited afterwards.

A file holds statements of the common subset, each ended by a semicolon, with no other semicolon
in it. `{bytes}` stands for the engine's type of byte strings.
"""

from __future__ import annotations

from pathlib import Path


def load(name: str, *, bytes_type: str) -> tuple[tuple[str, ...], ...]:
    """The statements of each migration of the database called `name`, the first one first."""
    files = sorted(Path(__file__).parent.glob(f"{name}_[0-9][0-9][0-9][0-9].sql"))
    return tuple(_statements(file.read_text(encoding="utf-8"), bytes_type) for file in files)


def _statements(text: str, bytes_type: str) -> tuple[str, ...]:
    parts = text.replace("{bytes}", bytes_type).split(";")
    return tuple(part.strip() for part in parts if part.strip())
