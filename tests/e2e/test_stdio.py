"""The stdio process as a client sees it: clean, instant, gone when it should be."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conditions import has_ended, wait_until
from tests.internet.serve import Internet

Environ = dict[str, str]
META = "io.modelcontextprotocol/"
CLIENT = {"name": "probe", "version": "1"}
ENVELOPE = {
    META + "protocolVersion": "2026-07-28",
    META + "clientInfo": CLIENT,
    META + "clientCapabilities": {},
}
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": CLIENT,
}

NOISY = """
import os, subprocess, sys
from citewell.search.search_service import WebSearchService
quiet = WebSearchService.search_web_pages
async def noisy(self, *args, **kwargs):
    print("noise from a library")
    os.write(1, b"noise past Python\\n")
    subprocess.run(["echo", "noise from a child"])
    return await quiet(self, *args, **kwargs)
WebSearchService.search_web_pages = noisy
sys.argv = ["citewell", "serve"]
from citewell.__main__ import main
sys.exit(main())
"""


def request(number: Any, method: str, params: Any = None) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else message | {"params": params}


def note(method: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method}


def legacy(*more: dict[str, Any]) -> list[dict[str, Any]]:
    return [request(1, "initialize", INITIALIZE), note("notifications/initialized"), *more]


def start(
    environ: Environ, command: Sequence[str] = ("-m", "citewell", "serve")
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
    )


def converse(
    environ: Environ,
    messages: Sequence[Any],
    *,
    replies: int,
    command: Sequence[str] = ("-m", "citewell", "serve"),
) -> list[bytes]:
    """Send everything, wait for that many frames, then leave; every line of stdout comes back."""
    process = start(environ, command)
    assert process.stdout
    tell(process, *messages)
    lines = [process.stdout.readline() for _ in range(replies)]
    rest, errors = process.communicate(timeout=20)
    assert process.returncode == 0, errors.decode()
    return lines + rest.splitlines(keepends=True)


def by_id(lines: list[bytes]) -> dict[Any, Any]:
    return {str(frame.get("id")): frame for frame in map(json.loads, lines)}


CALL = request(9, "tools/call", {"name": "web_search", "arguments": {"query": ""}})
SESSIONS: dict[str, tuple[list[Any], int]] = {
    "handshake and list": (legacy(request(2, "tools/list")), 2),
    "old version": ([request(1, "initialize", INITIALIZE | {"protocolVersion": "2024-11-05"}), note("notifications/initialized"), request(2, "tools/list")], 2),
    "unknown version": ([request(1, "initialize", INITIALIZE | {"protocolVersion": "1999-01-01"}), request("two", "tools/list")], 2),
    "pings between": (legacy(request(2, "ping"), request(3, "tools/list"), request(4, "ping"), request(5, "tools/list", {})), 5),
    "a call at once": (legacy(CALL, request(2, "tools/list")), 3),
    "prompts and resources": (legacy(request(2, "prompts/list"), request(3, "resources/list"), request(4, "tools/list")), 4),
    "list before handshake": ([request(1, "tools/list"), *legacy()[:1]], 2),
    "bad initialize": ([request(1, "initialize", {"protocolVersion": 5}), request(2, "ping")], 2),
    "unknown method": (legacy(request(2, "no/such/method")), 2),
    "modern": ([request(1, "server/discover", {"_meta": ENVELOPE}), request(2, "tools/list", {"_meta": ENVELOPE})], 2),
    "modern without a client": ([request(1, "tools/list", {"_meta": {META + "protocolVersion": "2026-07-28"}})], 1),
    "unknown tool": (legacy(request(2, "tools/call", {"name": "nothing", "arguments": {}})), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", SESSIONS)
def test_no_client_can_tell_the_front_from_the_sdk(name: str, environ: Environ) -> None:
    messages, replies = SESSIONS[name]

    with_front = converse(environ, messages, replies=replies)
    without = converse(environ | {"CITEWELL_FRONT": "0"}, messages, replies=replies)

    assert by_id(with_front) == by_id(without)
    assert len(with_front) == len(without)


def test_a_session_of_plain_calls_never_imports_the_sdk(environ: Environ) -> None:
    process = start(environ | {"PYTHONPROFILEIMPORTTIME": "1"})
    assert process.stdout
    lists = [request(4, "prompts/list"), request(5, "resources/list"), request(6, "ping")]
    tell(process, *legacy(request(2, "tools/list"), request(3, "ping"), CALL, *lists))
    replies = [process.stdout.readline() for _ in range(7)]
    _, imported = process.communicate(timeout=20)

    assert set(by_id(replies)) == {"1", "2", "3", "4", "5", "6", "9"}
    assert not re.search(rb"\| +(mcp|mcp_types|starlette|uvicorn)$", imported, re.MULTILINE)


def test_only_frames_reach_stdout_even_when_a_library_prints(environ: Environ) -> None:
    search = request(
        2, "tools/call", {"name": "web_search", "arguments": {"query": "http caching"}}
    )

    lines = converse(environ, legacy(search), replies=2, command=("-c", NOISY))

    assert [json.loads(line)["jsonrpc"] for line in lines] == ["2.0", "2.0"]
    assert not by_id(lines)["2"]["result"].get("isError", False)


JUNK = {
    b"garbage": -32700,
    b"\xff\xfe\x00": -32700,
    b"[]": -32600,
    b'{"jsonrpc":"2.0"}': -32600,
    b'{"jsonrpc":"2.0","id":"odd","method":"ping","params":{"x":"\\ud83d"}}': -32600,
    b'{"a":' * 100_000: -32700,
}


@pytest.mark.parametrize("junk", JUNK)
def test_a_first_line_that_is_no_message_is_answered_and_ends_nothing(
    junk: bytes, environ: Environ
) -> None:
    lines = converse(environ, [junk, *legacy(), request(7, "ping")], replies=3)

    frames = [json.loads(line) for line in lines]
    codes = [frame["error"]["code"] for frame in frames if "error" in frame]
    assert codes == [JUNK[junk]]
    assert by_id(lines)["7"]["result"] == {}


@pytest.fixture(scope="module")
def greeted(
    loopback_web: Internet, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[subprocess.Popen[bytes]]:
    """One process after the handshake, for cases that leave nothing behind in it."""
    process = start(loopback_web.env() | {"HOME": str(tmp_path_factory.mktemp("home"))})
    tell(process, *legacy())
    assert process.stdout
    process.stdout.readline()
    yield process
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 0, errors.decode()


def tell(process: subprocess.Popen[bytes], *messages: Any) -> None:
    assert process.stdin
    for message in messages:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        process.stdin.write(line + b"\n")
    process.stdin.flush()


@pytest.mark.parametrize("junk", JUNK)
def test_a_later_line_that_is_no_message_is_answered_and_ends_nothing(
    junk: bytes, greeted: subprocess.Popen[bytes]
) -> None:
    tell(greeted, junk, request(7, "ping"))

    assert greeted.stdout
    lines = [greeted.stdout.readline() for _ in range(2)]
    frames = [json.loads(line) for line in lines]
    assert [frame["error"]["code"] for frame in frames if "error" in frame] == [JUNK[junk]]
    assert by_id(lines)["7"]["result"] == {}


def test_an_unreadable_request_is_answered_under_its_own_id(environ: Environ) -> None:
    junk = next(line for line in JUNK if b"odd" in line)

    lines = converse(environ, [*legacy(), junk], replies=2)

    assert by_id(lines)["odd"]["error"]["code"] == -32600


def test_a_client_that_never_reads_stderr_is_served(environ: Environ) -> None:
    """Each call writes an audit line; a pipe holds a few hundred of them."""
    calls = [
        request(number, "tools/call", {"name": "web_search", "arguments": {"query": ""}})
        for number in range(2, 1002)
    ]

    lines = converse(environ | {"AUDIT_ENABLED": "true"}, legacy(*calls), replies=1001)

    assert len(lines) == 1001


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({}, 0), ({"AUDIT_ENABLED": "true"}, 1), ({"AUDIT_ENABLED": "false"}, 0)],
)
def test_an_audit_line_reaches_stderr_only_on_request(
    settings: Environ, expected: int, environ: Environ
) -> None:
    process = start(environ | settings)
    assert process.stdin
    assert process.stdout
    for message in legacy(CALL):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    for _ in range(2):
        process.stdout.readline()
    _, errors = process.communicate(timeout=20)

    assert errors.count(b'"event_type":"tool_call"') == expected


def test_a_file_for_audit_lines_is_written_over_stdio_too(environ: Environ, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"

    converse(environ | {"AUDIT_OUTPUT_PATH": str(path)}, legacy(CALL), replies=2)

    assert json.loads(path.read_text())["tool_name"] == "web_search"


@pytest.mark.parametrize("flags", [("--profile", "nope"), ("--toolsets=+nope",)])
def test_an_unknown_choice_of_tools_on_the_command_line_ends_the_process(
    flags: tuple[str, ...], environ: Environ
) -> None:
    process = start(environ, ("-m", "citewell", "serve", *flags))

    out, errors = process.communicate(input=json.dumps(CALL).encode() + b"\n", timeout=20)

    assert (process.returncode, out) == (2, b"")
    assert errors.startswith(b"citewell: The choice of tools on the command line is not valid")
    assert errors.count(b"\n") == 1


def test_the_process_ends_when_the_client_closes_its_pipe(environ: Environ) -> None:
    process = start(environ)

    process.communicate(input=json.dumps(legacy()[0]).encode() + b"\n", timeout=20)

    assert process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no parent process to watch for")
def test_the_process_ends_when_its_parent_is_killed(environ: Environ, tmp_path: Path) -> None:
    """The parent dies with its pipes kept open by somebody else."""
    script = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-m', 'citewell', 'serve'], stdin={'{}'})\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    ).format("int(sys.argv[1])")
    reading, writing = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(reading)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[reading],
        env=environ,
    )
    assert parent.stdout
    child = int(parent.stdout.readline())
    os.write(writing, json.dumps(legacy()[0]).encode() + b"\n" + json.dumps(CALL).encode() + b"\n")
    frames = parent.stdout.readline(), parent.stdout.readline()

    parent.send_signal(signal.SIGKILL)
    parent.wait(10)

    assert all(json.loads(frame)["jsonrpc"] for frame in frames)
    wait_until(lambda: has_ended(child))
    os.close(writing)
    os.close(reading)
    parent.stdout.close()


WRONG = {
    "a choice of tools": {"CITEWELL_TOOLSETS": "nonsense"},
    "a choice that is no list of names": {"CITEWELL_TOOLS": "[1]"},
    "a key": {"CACHE_ENCRYPTION_KEY": "short"},
    "a key, with other tools": {"CACHE_ENCRYPTION_KEY": "short", "CITEWELL_TOOLSETS": "all"},
    "a number": {"MAX_HTML_BYTES": "0"},
}


@pytest.mark.parametrize("front", ["0", "1"])
@pytest.mark.parametrize("wrong", WRONG)
def test_with_a_wrong_setting_every_call_says_what_is_wrong(
    wrong: str, front: str, environ: Environ
) -> None:
    name, value = next(iter(WRONG[wrong].items()))
    process = start(environ | WRONG[wrong] | {"CITEWELL_FRONT": front})
    assert process.stdin
    assert process.stdout
    for message in legacy(request(2, "tools/list"), CALL):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    frames = by_id([process.stdout.readline() for _ in range(3)])
    rest, errors = process.communicate(timeout=20)

    assert (process.returncode, rest) == (2, b"")
    assert "web_search" in {tool["name"] for tool in frames["2"]["result"]["tools"]}
    told = frames["9"]["result"]["content"][0]["text"]
    assert frames["9"]["result"]["isError"]
    assert json.loads(told.partition("\n\n")[2])["error"]["kind"] == "config"
    assert name in told or value in told
    assert told.partition("\n\n")[0] in errors.decode()


@pytest.mark.parametrize("port", ["zero", "-1", "65536"])
def test_a_port_that_is_none_ends_the_process(port: str, environ: Environ) -> None:
    """Whether HTTP was meant cannot be told, so neither is served."""
    process = start(environ | {"PORT": port})

    out, errors = process.communicate(input=json.dumps(CALL).encode() + b"\n", timeout=20)

    assert (process.returncode, out) == (2, b"")
    assert b"PORT" in errors


def test_a_short_text_stays_short_when_the_answer_is_in_memory(environ: Environ) -> None:
    calls = [
        request(
            number, "tools/call", {"name": "web_search", "arguments": {"query": "http caching"}}
        )
        for number in (2, 3, 4)
    ]
    process = start(environ | {"CITEWELL_STRUCTURED_TEXT": "false"})
    assert process.stdin
    assert process.stdout
    texts = []
    for message in legacy(*calls):
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        if "id" in message:
            result = json.loads(process.stdout.readline())["result"]
            texts += [item["text"] for item in result.get("content", ())]
    process.communicate(timeout=20)

    assert texts == ["The result is in structuredContent."] * 3
