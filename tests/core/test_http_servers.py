"""Servers of tests end with their tests, whatever their clients do."""

from __future__ import annotations

import contextlib

import pytest

from tests.conditions import wait_until
from tests.http_servers import echo_body, serving


def test_a_connection_that_outlives_the_shutdown_does_not_keep_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with contextlib.ExitStack() as clients:
        with serving(echo_body) as running:
            clients.enter_context(running.connect())
            connections = running.server.server_state.connections
            wait_until(lambda: len(connections) == 1)
            [connection] = connections
            # As if it was accepted too late to be asked to close.
            monkeypatch.setattr(connection, "shutdown", lambda: None)

        assert not running.thread.is_alive()
