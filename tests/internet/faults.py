"""Making a server of the loopback web fail on request, and remembering what it was asked."""

from __future__ import annotations

import json
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, parse_qsl

ALWAYS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One misbehaviour. Without status and body the true answer follows the delay."""

    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: str | bytes | dict[str, Any] | list[Any] | None = None
    delay: float = 0.0  # seconds before the first byte
    cut: int | None = None  # bytes of body after which the connection drops; 0 drops it unanswered

    @property
    def canned(self) -> bool:
        return self.status is not None or self.body is not None

    def content(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        if isinstance(self.body, str):
            return self.body.encode()
        return b"" if self.body is None else json.dumps(self.body).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    query_string: str
    headers: dict[str, str]
    body: bytes

    @property
    def params(self) -> dict[str, str]:
        """The query's last value for each name."""
        return dict(parse_qsl(self.query_string, keep_blank_values=True))

    @property
    def form(self) -> dict[str, str]:
        return {name: values[-1] for name, values in parse_qs(self.body.decode()).items()}

    def json(self) -> Any:
        return json.loads(self.body)


class Faults:
    """Pending faults and recorded requests, by provider name, by "pages" or by exact path."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.requests: defaultdict[str, list[Asked]] = defaultdict(list)
        self._pending: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._standing: dict[str, Fault] = {}

    def add(self, name: str, fault: Fault, *, times: int) -> None:
        if times >= ALWAYS:
            self._standing[name] = fault
        else:
            self._pending[name].extend([fault] * times)

    def take(self, *names: str) -> Fault | None:
        """The next fault for any of the names; it is used up."""
        for name in names:
            if self._pending[name]:
                return self._pending[name].popleft()
            if name in self._standing:
                return self._standing[name]
        return None

    def record(self, name: str, asked: Asked) -> None:
        self.calls[name] += 1
        self.requests[name].append(asked)

    def reset(self) -> None:
        for kept in (self.calls, self.requests, self._pending, self._standing):
            kept.clear()
