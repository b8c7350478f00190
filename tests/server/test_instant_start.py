"""The front answers only what it can answer exactly as the SDK would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.server.stdio.instant_start import InstantStart

REPLIES = {
    "latest": "2025-11-25",
    "initialize": {
        "2025-06-18": {"protocolVersion": "2025-06-18"},
        "2025-11-25": {"protocolVersion": "2025-11-25"},
    },
    "discover": {"supportedVersions": ["2026-07-28"]},
    "list": {"legacy": {"tools": []}, "modern": {"ttlMs": 1, "tools": []}},
}
META = "io.modelcontextprotocol/"
CLIENT = {"name": "probe", "version": "1"}
ENVELOPE = {
    "_meta": {
        META + "protocolVersion": "2026-07-28",
        META + "clientInfo": CLIENT,
        META + "clientCapabilities": {},
    }
}


def opened(**changes: Any) -> dict[str, Any]:
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT} | changes
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


def ask(method: str, params: Any = None, *, number: Any = 2) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else message | {"params": params}


class Talk:
    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.front = InstantStart(
            REPLIES, [{"name": "web_search"}], lambda frame: self.frames.append(json.loads(frame))
        )

    def say(self, message: Any) -> bool:
        return self.front.answer_line(
            message if isinstance(message, bytes) else json.dumps(message).encode()
        )


def test_a_handshake_and_the_list_are_answered_at_once() -> None:
    talk = Talk()

    taken = [
        talk.say(opened()),
        talk.say({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        talk.say(ask("tools/list")),
    ]

    assert taken == [True, True, True]
    assert talk.frames == [
        {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18"}},
        {"jsonrpc": "2.0", "id": 2, "result": {"tools": [{"name": "web_search"}]}},
    ]
    assert talk.front.answered == [1, 2]
    assert len(talk.front.taken) == 3


def test_an_unknown_version_is_offered_the_latest() -> None:
    talk = Talk()

    talk.say(opened(protocolVersion="1999-01-01"))

    assert talk.frames[0]["result"] == {"protocolVersion": "2025-11-25"}


def test_a_modern_client_is_answered_in_its_era() -> None:
    talk = Talk()

    talk.say(ask("server/discover", ENVELOPE, number="a"))
    talk.say(ask("tools/list", ENVELOPE, number="b"))

    assert [frame["id"] for frame in talk.frames] == ["a", "b"]
    assert talk.frames[0]["result"] == REPLIES["discover"]
    assert talk.frames[1]["result"] == {"ttlMs": 1, "tools": [{"name": "web_search"}]}


@pytest.mark.parametrize(
    "first",
    [
        b"not json",
        b"[1]",
        ask("tools/list"),
        ask("ping"),
        opened(capabilities={"roots": {"listChanged": "yes"}}),
        opened(capabilities=[]),
        opened(clientInfo={"name": "probe"}),
        opened(surprise=1),
        {"jsonrpc": "2.0", "id": 1.5, "method": "initialize", "params": opened()["params"]},
        {"jsonrpc": "1.0", "id": 1, "method": "initialize", "params": opened()["params"]},
        ask("tools/list", {"_meta": ENVELOPE["_meta"] | {META + "protocolVersion": "2030-01-01"}}),
        {"jsonrpc": "2.0", "id": 5, "result": {}},
    ],
)
def test_anything_out_of_the_ordinary_is_left_to_the_sdk(first: Any) -> None:
    talk = Talk()

    assert not talk.say(first)
    assert talk.frames == []


@pytest.mark.parametrize(
    "later",
    [
        ask("tools/call", {"name": "x"}),
        ask("tools/list", {"cursor": "2"}),
        ask("initialize", opened()["params"]),
    ],
)
def test_what_needs_the_sdk_after_the_handshake_waits_for_it(later: dict[str, Any]) -> None:
    talk = Talk()
    talk.say(opened())

    assert not talk.say(later)
    assert len(talk.frames) == 1


def test_a_ping_between_is_answered() -> None:
    talk = Talk()
    talk.say(opened())

    assert talk.say(ask("ping"))
    assert talk.frames[1]["result"] == {}
