from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from citewell.cli import screen
from citewell.cli.tool_command import ImageProtocol, detect_image_protocol, encode_inline_image
from citewell.core.errors import RefusedByPolicy
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.search.image_filters import ThumbnailFetcher
from tests.command_runs import Run
from tests.contract.recordings import Canned

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 10
JPEG = b"\xff\xd8\xff" + b"x" * 10


def test_images_are_listed_with_size_licence_and_attribution(run: Run) -> None:
    ran = run("images", "lighthouse dusk", "--provider", "commons")

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[0] == "1. Lighthouse at dusk"
    assert lines[1].endswith("/picture/commons/0.jpg")
    assert lines[2] == "4000 × 3000 · CC BY-SA 4.0"
    assert lines[3] == "Page: https://commons.wikimedia.org/wiki/File:0.jpg"
    assert lines[4] == "“Lighthouse at dusk” by Example User, CC BY-SA 4.0, via Wikimedia Commons"


def test_json_is_the_tools_own_answer(run: Run) -> None:
    ran = run("images", "lighthouse", "--type", "lineart", "--provider", "commons", "--json")

    assert [image["title"] for image in ran.json()["images"]] == ["Lighthouse drawing"]


def test_no_image_found_is_exit_code_1(run: Run) -> None:
    assert run("images", "zzqxv wvuqz", "--provider", "commons").code == 1


def test_a_pipe_gets_no_images_even_if_the_terminal_could(run: Run) -> None:
    ran = run("images", "lighthouse", "--provider", "commons", TERM_PROGRAM="iTerm.app")

    assert "\x1b" not in ran.out


def on_terminal(monkeypatch: pytest.MonkeyPatch, run: Run, **settings: str) -> str:
    monkeypatch.setattr(screen, "is_terminal", lambda: True)
    ran = run("images", "lighthouse", "--provider", "commons", TERM_PROGRAM="iTerm.app", **settings)
    return ran.out


def test_a_terminal_that_can_shows_previews(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    assert on_terminal(monkeypatch, run).count("\x1b]1337;File=inline=1") == 4


def test_previews_can_be_switched_off(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    assert "\x1b]1337" not in on_terminal(monkeypatch, run, CITEWELL_THUMBNAILS="false")


@pytest.mark.parametrize(
    ("environ", "protocol"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, ImageProtocol.ITERM),
        ({"LC_TERMINAL": "iTerm2"}, ImageProtocol.ITERM),
        ({"TERM_PROGRAM": "WezTerm"}, ImageProtocol.ITERM),
        ({"TERM": "xterm-kitty"}, ImageProtocol.KITTY),
        ({"TERM": "xterm-ghostty"}, ImageProtocol.KITTY),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, None),
        ({"TERM": "screen-256color", "LC_TERMINAL": "iTerm2"}, None),
        ({"TERM": "xterm-256color"}, None),
        ({}, None),
    ],
)
def test_only_a_terminal_that_says_so_gets_images(
    environ: dict[str, str], protocol: ImageProtocol | None
) -> None:
    assert detect_image_protocol(environ, is_terminal=True) == protocol
    assert detect_image_protocol(environ, is_terminal=False) is None


def test_kitty_gets_png_in_chunks_and_nothing_else() -> None:
    large = PNG + b"y" * 9000

    sent = encode_inline_image(large, ImageProtocol.KITTY)

    pieces = [piece.partition(";") for piece in sent.strip().split("\x1b\\") if piece]
    assert base64.standard_b64decode("".join(data for _, _, data in pieces)) == large
    assert [head.rpartition("m=")[2] for head, _, _ in pieces] == ["1", "1", "0"][-len(pieces) :]
    assert all(len(data) <= 4096 for _, _, data in pieces)
    assert encode_inline_image(JPEG, ImageProtocol.KITTY) == ""


def test_previews_come_through_the_guard_and_only_if_they_are_images() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        name = request.url.rpartition("/")[2]
        if name == "private":
            raise RefusedByPolicy("not public")
        bodies = {"png": PNG, "jpeg": JPEG, "page": b"<html>", "escape": b"\x1b]0;evil\a"}
        status = 404 if name == "missing" else 200
        return HttpResponse(status=status, url=request.url, headers={}, body=bodies.get(name, PNG))

    sender: Any = Canned(answer)
    names = ["png", "jpeg", "page", "escape", "private", "missing"]
    links = [f"https://example.org/{name}" for name in names]

    found = asyncio.run(ThumbnailFetcher(sender).fetch_thumbnails([*links, None]))

    assert found == [PNG, JPEG, None, None, None, None, None]
    assert all(request.max_bytes <= 512 * 1024 and request.page for request in sender.sent)
