"""How the process ends when its surroundings fail it: a code that means something, no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_stdio import Environ, by_id, converse, legacy, request, start

FULL = Path("/dev/full")
LONG = ("-m", "citewell", "tools", "--json")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and signals are Unix's here")


def run(
    command: tuple[str, ...], environ: Environ, stdout: int
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *command],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environ,
        timeout=50,
        check=False,
    )


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("command", [LONG, ("-m", "citewell", "--version")], ids=" ".join)
def test_a_full_disk_is_told_in_a_sentence(command: tuple[str, ...], environ: Environ) -> None:
    with FULL.open("wb") as full:
        done = run(command, environ, full.fileno())

    assert done.returncode == 74
    assert done.stderr.decode().splitlines() == [
        "citewell: Reading or writing failed: No space left on device."
    ]


@pytest.mark.parametrize("command", [LONG, ("-m", "citewell", "tools")], ids=" ".join)
def test_a_reader_that_has_enough_ends_the_command_quietly(
    command: tuple[str, ...], environ: Environ
) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = run(command, environ, writing)

    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def heed_interrupts() -> None:
    """A test run in the background has children that ignore Ctrl-C; a chat client's do not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_at_the_front_ends_the_server_quietly(environ: Environ) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "citewell", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - it only resets a signal
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(legacy()[0]).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()

    process.send_signal(signal.SIGINT)
    process.wait(timeout=20)  # with stdin still open: a closed one would end it too
    _, errors = process.communicate(timeout=20)

    assert (process.returncode, errors) == (130, b"")


def test_a_client_without_stderr_is_served(environ: Environ) -> None:
    """The lowest free descriptor is then 2, where every stray word would go."""
    closing = "import os, sys; os.close(2); os.execv(sys.executable, [sys.executable, '-m', 'citewell', 'serve'])"
    call = request(2, "tools/call", {"name": "web_search", "arguments": {"query": ""}})

    lines = converse(environ, legacy(call), replies=2, command=("-c", closing))

    assert by_id(lines)["2"]["result"]["isError"]


def test_a_port_in_the_settings_file_is_listened_on(environ: Environ, tmp_path: Path) -> None:
    """An interface nobody may listen on openly tells HTTP from stdio without a port being taken."""
    path = tmp_path / "config.toml"
    path.write_text('PORT = 8127\nCITEWELL_HOST = "0.0.0.0"\n', encoding="utf-8")

    process = start(environ | {"CITEWELL_CONFIG": str(path)})
    out, errors = process.communicate(timeout=20)

    assert (process.returncode, out) == (2, b"")
    assert b"--insecure" in errors
