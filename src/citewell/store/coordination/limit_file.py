"""Reads the file with limits of single tenants, and says which line of it is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from citewell.core.errors import Misconfigured

MAX_LIMIT = 10**9
_SETTING = "CITEWELL_LIMITS_FILE"
_TABLE = "tenants"
_MAX_FILE_BYTES = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantOverrides:
    """Limits of one tenant instead of the settings'; None keeps the setting, 0 switches a limit off.

    The names are those of the file.
    """

    rate_per_minute: int | None = None
    daily_quota: int | None = None
    max_concurrent_calls: int | None = None
    user_rate_per_minute: int | None = None
    user_daily_quota: int | None = None
    user_max_concurrent_calls: int | None = None
    research_budget_cents: int | None = None


def load_limit_file(path: Path | None) -> Mapping[str, TenantOverrides]:
    """The overrides by tenant; none without a file. Raises Misconfigured with the line to change."""
    if path is None:
        return {}
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise _build_file_error(path, f"is larger than {_MAX_FILE_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise _build_file_error(path, f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise _build_file_error(path, "is not UTF-8") from None
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _build_file_error(path, f"is not valid TOML: {error}") from None
    return _parse_tenants(path, text, found)


def _parse_tenants(path: Path, text: str, found: Mapping[str, Any]) -> dict[str, TenantOverrides]:
    for name in found:
        if name != _TABLE:
            raise _build_line_error(
                path, text, (name,), f"has {name!r}, but only tables [tenants.NAME] are known"
            )
    tenants = found.get(_TABLE, {})
    if not isinstance(tenants, dict):
        raise _build_line_error(path, text, (_TABLE,), "must have tables [tenants.NAME]")
    return {name: _parse_tenant(path, text, name, table) for name, table in tenants.items()}


def _parse_tenant(path: Path, text: str, tenant: str, table: Any) -> TenantOverrides:
    known = [field.name for field in fields(TenantOverrides)]
    if not isinstance(table, dict):
        raise _build_line_error(
            path, text, (_TABLE, tenant), f"must have a table [tenants.{tenant}] with limits"
        )
    for key, value in table.items():
        if key not in known:
            problem = f"has the unknown limit {key!r}; there are {', '.join(known)}"
        elif type(value) is not int or not 0 <= value <= MAX_LIMIT:
            problem = f"must have a whole number from 0 to {MAX_LIMIT} for {key}"
        else:
            continue
        raise _build_line_error(path, text, (_TABLE, tenant, key), problem)
    return TenantOverrides(**table)


def _build_line_error(path: Path, text: str, place: tuple[str, ...], problem: str) -> Misconfigured:
    return _build_file_error(path, problem, line=_find_line(text, place))


def _build_file_error(path: Path, problem: str, *, line: int | None = None) -> Misconfigured:
    where = f"line {line} of " if line else ""
    return Misconfigured(
        f"{_SETTING} cannot be used: {where}{path} {problem}.",
        action="inform_user",
        settings=(_SETTING,),
    )


def _find_line(text: str, place: tuple[str, ...]) -> int | None:
    """The line on which the last name of `place` is written, after the lines of the others."""
    lines = text.splitlines()
    start = 0
    for name in place:
        named = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        matching = (index for index in range(start, len(lines)) if named.search(lines[index]))
        start = next(matching, start)
    return start + 1 if lines else None
