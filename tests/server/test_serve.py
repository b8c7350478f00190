from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any

import pytest

import citewell.server.http.hosting
import citewell.server.stdio.stdio_server
from citewell.cli import main
from citewell.core.config import Settings
from citewell.core.settings import CoreSettings
from citewell.server.app import App
from citewell.server.capabilities import tool_selection
from citewell.server.settings import ServerSettings
from tests.command_runs import Run
from tests.requirements import requires


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been served, instead of serving it."""
    seen: list[Any] = []

    def stdio(overrides: Mapping[str, Any]) -> int:
        seen.append(dict(overrides))
        return 0

    def http(settings: Settings, *, insecure: bool = False) -> int:
        seen.append((settings, insecure))
        return 0

    monkeypatch.setattr(citewell.server.stdio.stdio_server, "serve_stdio", stdio)
    monkeypatch.setattr(citewell.server.http.hosting, "serve_http", http)
    return seen


def test_without_http_it_speaks_stdio_with_the_chosen_tools(run: Run, served: list[Any]) -> None:
    ran = run("serve", "--toolsets", "core, connector", "--read-only")

    assert ran.code == 0
    assert served == [{"toolsets": ("core", "connector"), "read_only": True}]


def test_http_takes_host_and_port(run: Run, served: list[Any]) -> None:
    run("serve", "--http", "--host", "127.0.0.1", "--port", "8123", "--profile", "all")

    [(settings, insecure)] = served
    assert (
        settings[ServerSettings].host,
        settings[ServerSettings].port,
        settings[CoreSettings].profile,
        insecure,
    ) == (
        "127.0.0.1",
        8123,
        "all",
        False,
    )


def test_the_servers_own_exit_code_is_the_commands(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(citewell.server.http.hosting, "serve_http", lambda *_, **__: 2)

    assert run("serve", "--http").code == 2


def test_a_port_that_is_taken_is_a_configuration_error(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()

        port = taken.getsockname()[1]
        ran = run("serve", "--http", "--port", str(port))

    assert ran.code == 2
    assert ran.err == (
        f"citewell: Port {port} on 127.0.0.1 is in use by another program. "
        "Stop that program, or choose another port with --port or PORT.\n"
    )


def test_a_host_that_is_not_this_machine_is_a_configuration_error(run: Run) -> None:
    ran = run("serve", "--http", "--host", "192.0.2.1", "--insecure")

    assert ran.code == 2
    assert "192.0.2.1 is not an address of this machine" in ran.err
    assert "--host" in ran.err


def test_a_port_in_the_environment_means_http(run: Run, served: list[Any]) -> None:
    run("serve", PORT="8124")

    assert served[0][0][ServerSettings].port == 8124


def test_insecure_is_passed_on(run: Run, served: list[Any]) -> None:
    run("serve", "--http", "--host", "0.0.0.0", "--insecure")

    assert served[0][1] is True


@requires("http.open_port")
@pytest.mark.parametrize(
    ("host", "is_warned"), [("0.0.0.0", True), ("::", True), ("127.0.0.1", False)]
)
def test_an_open_port_is_warned_of_loudly(
    host: str, is_warned: bool, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(citewell.server.http.hosting, "open_listening_sockets", lambda *_: [])
    monkeypatch.setattr(citewell.server.http.hosting, "run_server", lambda *_: 0)

    ran = run("serve", "--http", "--host", host, "--insecure")

    assert ran.code == 0
    assert ("WARNING: citewell listens on" in ran.err) is is_warned


def test_a_public_interface_is_refused_with_the_reason(run: Run) -> None:
    ran = run("serve", "--http", "--host", "0.0.0.0")

    assert ran.code == 2
    assert "--insecure" in ran.err
    assert "Serving" not in ran.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALLOWED_ORIGINS", "*"),
        ("CITEWELL_ALLOWED_HOSTS", "https://research.example.org"),
        ("CITEWELL_PUBLIC_URL", "research.example.org"),
        ("CITEWELL_TRUSTED_PROXIES", "the proxy"),
        ("HTTP_READ_TIMEOUT", "soon"),
    ],
)
def test_a_setting_of_the_server_that_cannot_be_used_is_named_at_the_start(
    name: str, value: str, run: Run
) -> None:
    ran = run("serve", "--http", "--port", "8126", **{name: value})

    assert ran.code == 2
    assert name in ran.err


def test_an_unknown_profile_is_a_configuration_error(run: Run) -> None:
    ran = run("serve", "--http", "--port", "8125", "--profile", "everything")

    assert ran.code == 2
    assert "everything" in ran.err


def test_help_gives_the_number_of_tools_of_the_default_profile(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["serve", "--help"])

    tools = tool_selection.load_manifest()["tools"]
    offered = [entry for entry in tools if entry["default"] and not entry["requiredSetting"]]
    assert len(offered) == 16
    assert "sixteen tools" in " ".join(capsys.readouterr().out.split())


def test_a_toolset_with_a_plus_is_added_over_http_too(run: Run, served: list[Any]) -> None:
    run("serve", "--http", "--toolsets", "+connector")

    offered = App(served[0][0]).tools
    assert {"web_search", "search", "fetch"} <= set(offered)
