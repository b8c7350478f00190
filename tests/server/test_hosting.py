from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.command_runs import Run
from tests.requirements import requires

WRONG = [
    ("CITEWELL_TOOL_TIMEOUT", "soon", "duration"),
    ("CITEWELL_TOOLSETS", "nope", "toolsets are"),
    ("CITEWELL_PROFILE", "nope", "profiles are"),
    ("CITEWELL_READ_ONLY", "maybe", "true or false"),
    ("PORT", "99999", "65535"),
    ("CITEWELL_DATABASE_URL", "mysql://u:hidden@h/d", "postgresql://"),
    ("REDIS_URL", "localhost", "redis://"),
    ("REDIS_URL", "redis://h:port", "redis://"),
    ("CITEWELL_ARCHIVE_BASE_URL", "web.archive.org", "https://"),
    ("CITEWELL_MASTER_KEY", "hidden", "64 hexadecimal digits"),
    ("CACHE_ENCRYPTION_KEY", "hidden", "64 hexadecimal digits"),
    ("ADMIN_API_KEY", "hidden", "16 characters"),
    ("CITEWELL_PROXY", "::hidden", "http://"),
    ("CITEWELL_CA_FILE", "/nowhere/ca.pem", "not a file"),
    ("SEARCH_ROUTING", "nope", "not a provider"),
    ("LOG_FORMAT", "xml", "'text' or 'json'"),
    ("ALLOWED_ORIGINS", "not an origin", "ALLOWED_ORIGINS"),
]


@requires("start.settings", "start.check")
@pytest.mark.parametrize(("name", "value", "wanted_text"), WRONG)
def test_a_wrong_setting_is_named_with_what_to_write(
    run: Run, name: str, value: str, wanted_text: str
) -> None:
    ran = run("serve", "--http", "--check", **{name: value})

    assert ran.code == 2
    assert wanted_text in ran.err
    assert name in ran.err or "nope" in value
    assert "hidden" not in ran.err


@requires("start.settings")
def test_the_line_of_the_settings_file_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('# mine\nlog_level = "info"\nCITEWELL_TOOL_TIMEOUT = "soon"\n')

    ran = run("serve", "--check", CITEWELL_CONFIG=str(file))

    assert ran.code == 2
    assert "CITEWELL_TOOL_TIMEOUT: write a duration" in ran.err
    assert f"(set in {file}, line 3)" in ran.err


@requires("start.settings")
def test_an_unreadable_settings_file_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("log_level = \n")

    ran = run("serve", "--check", CITEWELL_CONFIG=str(file))

    assert ran.code == 2
    assert str(file) in ran.err
    assert "line 1" in ran.err


@requires("start.check")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_that_could_start_is_told_and_nothing_is_changed(
    run: Run, tmp_path: Path, transport: str
) -> None:
    flags = () if transport == "stdio" else ("--http", "--port", str(find_free_port()))
    before = sorted(tmp_path.rglob("*"))

    ran = run("serve", "--check", *flags)

    assert ran.code == 0
    assert ran.out.startswith("The server can start: ")
    assert sorted(tmp_path.rglob("*")) == before


@requires("start.check")
def test_a_port_in_use_fails_the_check(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = run("serve", "--check", "--port", port)

    assert ran.code == 2
    assert f"Port {port}" in ran.err


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@requires("start.check")
def test_a_public_interface_without_authentication_fails_the_check(run: Run) -> None:
    ran = run("serve", "--check", "--host", "0.0.0.0")

    assert ran.code == 2
    assert "0.0.0.0" in ran.err


@requires("start.check")
def test_a_wrong_master_key_fails_the_check(run: Run) -> None:
    run("credits", "add", "1", CITEWELL_MASTER_KEY="11" * 32)

    ran = run("serve", "--check", CITEWELL_MASTER_KEY="22" * 32)

    assert ran.code == 2
    assert "master key" in ran.err
