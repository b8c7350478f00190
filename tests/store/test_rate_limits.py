"""The file with limits of single tenants: what it may hold, and errors that name the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewell.core.errors import Misconfigured
from citewell.store.coordination.rate_limits import TenantOverrides, load_limit_file


def test_a_table_for_each_tenant_is_read(tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(
        '[tenants.acme]\nrate_per_minute = 600\ndaily_quota = 0\n[tenants."big co"]\n'
        "research_budget_cents = 5000\n"
    )

    found = load_limit_file(file)

    assert found == {
        "acme": TenantOverrides(rate_per_minute=600, daily_quota=0),
        "big co": TenantOverrides(research_budget_cents=5000),
    }


def test_without_a_file_there_is_nothing() -> None:
    assert load_limit_file(None) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tenants.acme]\n\nrate_per_minute = -1\n", "line 3 of"),
        ("[tenants.acme]\nrate_per_minute = 1.5\n", "line 2 of"),
        ("[tenants.acme]\nrate_per_minute = true\n", "line 2 of"),
        ('[tenants.acme]\nrate_per_minute = "60"\n', "line 2 of"),
        ("[tenants.acme]\nrate_per_minute = 10000000000\n", "from 0 to 1000000000"),
        ("[tenants.acme]\nrate_per_hour = 5\n", "unknown limit 'rate_per_hour'"),
        ("[tenants.a]\ndaily_quota = 1\n[tenants.b]\ndaily_quota = -2\n", "line 4 of"),
        ("# a comment\n[tenant.acme]\nrate_per_minute = 5\n", "line 2 of"),
        ("tenants = 5\n", "line 1 of"),
        ("[tenants]\nacme = 5\n", "line 2 of"),
        ("[tenants.acme]\nrate_per_minute = \n", "at line 2"),
        ("\x00\x01garbage", "line 1"),
        ("{}", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(text)

    with pytest.raises(Misconfigured) as raised:
        load_limit_file(file)

    assert message in raised.value.message
    assert "CITEWELL_LIMITS_FILE" in raised.value.message
    assert str(file) in raised.value.message


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    binary, large = tmp_path / "binary.toml", tmp_path / "large.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    large.write_text("#" * (2**20 + 1))

    for file, message in (
        (tmp_path / "absent.toml", "No such file"),
        (tmp_path, "cannot be read"),
        (binary, "not UTF-8"),
        (large, "larger than"),
    ):
        with pytest.raises(Misconfigured, match=message):
            load_limit_file(file)
