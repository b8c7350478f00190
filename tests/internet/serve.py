"""Running the loopback web: in a thread for tests, or as a process that prints where it is."""

from __future__ import annotations

import logging
import socket
import threading
import zlib
from types import TracebackType
from typing import Self

import uvicorn

from tests.internet import apis
from tests.internet.app import build
from tests.internet.world import World

# Seconds that real services take, for benchmarks; pages vary with their name.
LATENCIES = {
    "brave": 0.45,
    "duckduckgo": 0.70,
    "exa": 0.90,
    "google": 0.35,
    "hackernews": 0.15,
    "pages": 0.20,
    "robots": 0.08,
    "searchapi": 1.10,
    "searxng": 1.20,
    "serper": 0.80,
    "tavily": 0.90,
    "wikipedia": 0.15,
}


def real_latency(name: str) -> float:
    """A usual waiting time for a name; what is not listed takes between 100 and 300 ms."""
    return LATENCIES.get(name, 0.1 + zlib.crc32(name.encode()) % 200 / 1000)


class Internet:
    """One running loopback web. Use as a context manager, or `start` and `stop`."""

    def __init__(self, world: World | None = None, *, port: int = 0, spread: bool = False) -> None:
        """With `spread` every site has a loopback address of its own, as sites have owners."""
        self.world = world or World()
        self._socket = _bound("127.0.0.1", port)
        self._homes: list[socket.socket] = []
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.world.base_url = self.url
        if spread:
            self._spread()
        self._server = uvicorn.Server(_config(self.world))
        self._thread = threading.Thread(target=self._run, name="loopback-web", daemon=True)

    def start(self) -> Self:
        for one in (self._socket, *self._homes):
            one.listen(256)  # connections made before the loop runs wait instead of failing
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True  # slow and endless answers are not waited for
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        for one in (self._socket, *self._homes):
            one.close()

    def wait(self) -> None:
        self._thread.join()

    def env(self) -> dict[str, str]:
        """Settings that point a citewell process at this web and away from the real one."""
        modules = apis.discover()
        env = {
            f"CITEWELL_{name.upper()}_BASE_URL": self.url + module.PREFIX.rstrip("/")
            for name, module in modules.items()
        }
        if "searxng" in modules:
            env["SEARXNG_URL"] = env["CITEWELL_SEARXNG_BASE_URL"]
        allowed = [f"127.0.0.1:{self.port}", *self.world.homes.values()]
        return env | {"CITEWELL_ALLOW_PRIVATE_HOSTS": ",".join(allowed)}

    def page(self, host: str, path: str) -> str:
        return self.world.address(host, path)

    def odd(self, path: str) -> str:
        return f"{self.url}/odd/{path}"

    def _spread(self) -> None:
        for number, host in enumerate(self.world.hosts(), start=1):
            home = _bound(f"127.0.1.{number}", self.port)
            self._homes.append(home)
            self.world.homes[host] = f"127.0.1.{number}:{self.port}"

    def _run(self) -> None:
        self._server.run(sockets=[self._socket, *self._homes])

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _bound(address: str, port: int) -> socket.socket:
    # The protocol is named so that asyncio switches Nagle's algorithm off: 40 ms an answer.
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((address, port))
    return made


def _config(world: World) -> uvicorn.Config:
    # Cut answers make the server complain; that is what was asked for.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    return uvicorn.Config(
        build(world),
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=0,
    )
