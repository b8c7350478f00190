"""The audit webhook: at least once and in order, whatever the receiver does."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citewell.audit.audit_recorder import MAX_BACKOFF_SECONDS, AuditWebhook
from citewell.audit.audit_segments import AuditEvent
from citewell.core.config import Settings
from citewell.net.http.signed_webhook import SignedWebhook
from citewell.net.network import Network
from citewell.server.state.state_store import StateStore
from tests.requirements import requires

SECRET = "a secret of the receiver"
OK = b"HTTP/1.1 204 No Content\r\n\r\n"
DAY = 86400.0


@dataclass
class Receiver:
    """An HTTP server that answers in any way, or not at all."""

    answer: bytes | None = OK
    bodies: list[bytes] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def rows(self) -> list[int]:
        return [event["row"] for body in self.bodies for event in json.loads(body)["events"]]

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield f"http://127.0.0.1:{self.port}/audit"
        finally:
            server.close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            int(line.split(":")[1])
            for line in head.lower().splitlines()
            if "content-length" in line
        )
        self.heads.append(head)
        self.bodies.append(await reader.readexactly(length))
        if self.answer is None:
            await reader.read()  # until the sender gives up
        else:
            writer.write(self.answer)
        writer.close()


async def fill(state: StateStore, *users: str, at: float = 1000.0) -> None:
    for user in users:
        event = AuditEvent(happened_at=at, tenant_id="acme", user_id=user)
        await state.audit.append_event(f"acme/{user}", event)
    await state.audit.seal_waiting_rows()


Scenario = Callable[[StateStore, AuditWebhook], Awaitable[Any]]


def deliver(folder: Path, receiver: Receiver, scenario: Scenario) -> Any:
    """Run a scenario with a webhook that starts at an empty log."""

    async def run() -> Any:
        settings = Settings(data_dir=folder)
        state, network = StateStore(settings), Network(settings)
        try:
            async with receiver.listening() as url:
                network.guard.trust_service(url)
                signed = SignedWebhook(
                    network.client,
                    url=url,
                    secret=SECRET,
                    clock=lambda: 1700.0,
                    max_seconds=0.3,
                )
                webhook = AuditWebhook(state.audit, state.leases, signed)
                await webhook.run_round()
                return await scenario(state, webhook)
        finally:
            await network.aclose()
            await state.aclose()

    return asyncio.run(run())


@requires("audit.webhook")
def test_rows_are_sent_once_in_order_and_signed(tmp_path: Path) -> None:
    receiver = Receiver()

    async def scenario(state: StateStore, webhook: AuditWebhook) -> None:
        await fill(state, "ada", "bob")
        await webhook.run_round()
        await webhook.run_round()
        await fill(state, "cyd")
        await webhook.run_round()

    deliver(tmp_path, receiver, scenario)

    assert receiver.rows == [1, 2, 3]
    expected = hmac.new(SECRET.encode(), b"1700." + receiver.bodies[0], hashlib.sha256).hexdigest()
    assert f"x-citewell-signature: t=1700,v1={expected}" in receiver.heads[0].lower()
    assert "x-citewell-delivery: 1-2" in receiver.heads[0].lower()
    assert json.loads(receiver.bodies[0])["events"][0]["user_id"] == "ada"


def test_rows_from_before_the_webhook_was_set_are_not_sent(tmp_path: Path) -> None:
    receiver = Receiver()

    async def before() -> None:
        state = StateStore(Settings(data_dir=tmp_path))
        await fill(state, "ada")
        await state.aclose()

    async def scenario(state: StateStore, webhook: AuditWebhook) -> None:
        await fill(state, "bob")
        await webhook.run_round()

    asyncio.run(before())
    deliver(tmp_path, receiver, scenario)

    assert receiver.rows == [2]


FAILURES = {
    "500": b"HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n",
    "nothing": b"",
    "slow": None,
    "garbage": b"hello\r\n\r\n",
    "redirect to private space": (
        b"HTTP/1.1 307 On\r\nlocation: http://127.0.0.1:1/secret\r\ncontent-length: 0\r\n\r\n"
    ),
}


@requires("audit.webhook")
@pytest.mark.parametrize("name", sorted(FAILURES))
def test_a_receiver_that_fails_gets_the_same_rows_later_and_less_often(
    name: str, tmp_path: Path
) -> None:
    receiver = Receiver(answer=FAILURES[name])

    async def scenario(state: StateStore, webhook: AuditWebhook) -> Any:
        await fill(state, "ada")
        pauses = [await webhook.run_round() for _ in range(3)]
        refused = await state.audit.load_cursor("webhook")
        receiver.answer = OK
        await fill(state, "bob")
        receiver.bodies.clear()
        pauses.append(await webhook.run_round())
        return pauses, refused

    pauses, refused = deliver(tmp_path, receiver, scenario)

    assert pauses == [2.0, 4.0, 8.0, 1.0]
    assert refused == 0
    assert receiver.rows == [1, 2]


def test_the_pause_after_failures_is_bounded(tmp_path: Path) -> None:
    receiver = Receiver(answer=FAILURES["500"])

    async def scenario(state: StateStore, webhook: AuditWebhook) -> Any:
        await fill(state, "ada")
        return [await webhook.run_round() for _ in range(12)]

    assert deliver(tmp_path, receiver, scenario)[-1] == MAX_BACKOFF_SECONDS


def test_rows_that_were_removed_before_they_were_taken_are_reported(tmp_path: Path) -> None:
    receiver = Receiver()

    async def scenario(state: StateStore, webhook: AuditWebhook) -> None:
        await fill(state, "ada", "bob", at=1 * DAY)
        await fill(state, "cyd", at=5 * DAY)
        await state.audit.remove_rows_before(2 * DAY)
        await webhook.run_round()

    deliver(tmp_path, receiver, scenario)

    (sent,) = map(json.loads, receiver.bodies)
    assert sent["missed"] == {"first": 1, "last": 2}
    assert receiver.rows == [3]


def test_a_second_process_does_not_send_what_the_first_one_sends(tmp_path: Path) -> None:
    receiver = Receiver()

    async def scenario(state: StateStore, webhook: AuditWebhook) -> None:
        await fill(state, "ada")
        other = StateStore(Settings(data_dir=tmp_path))
        nobody = SignedWebhook(
            Network(Settings()).client,
            url="http://127.0.0.1:9/",
            secret=None,
            clock=lambda: 0.0,
        )
        twin = AuditWebhook(other.audit, other.leases, nobody)
        try:
            await twin.run_round()
            await webhook.run_round()
        finally:
            await other.aclose()

    deliver(tmp_path, receiver, scenario)

    assert receiver.rows == [1]
