"""Answers of upstreams in the shapes their vendors document, about works that we invented.

`<host>.jsonl` holds one exchange a line: method, url, status, headers and body (JSON as it is,
anything else as text), and `req_body` where one was sent. `pubmed` has one article a file, named by
its number; `youtube` the answers of the player. They are read by many tests and hold every odd shape
that a provider has to live with: add a line where an upstream shows a new one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PUBMED_ARTICLES = sorted((FOLDER / "pubmed").glob("*.xml"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and what came back; `body` is JSON or text."""

    method: str
    url: str
    status: int
    headers: Mapping[str, str]
    body: Any
    req_body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.body if isinstance(self.body, str) else json.dumps(self.body)

    def __str__(self) -> str:
        return f"{self.url.partition('://')[2].partition('/')[2][:50]}-{self.status}"


def load_exchanges(host: str) -> list[Exchange]:
    """All exchanges with a host, in the order of its file."""
    lines = (FOLDER / f"{host}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Exchange(**json.loads(line)) for line in lines]


def read_answer(name: str) -> str:
    """The text of a file in this folder."""
    return (FOLDER / name).read_text(encoding="utf-8")
