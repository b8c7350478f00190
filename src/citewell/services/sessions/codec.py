"""Sessions as bytes: a small head that changes with every call, and one record a step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from citewell.model.session import Event, Session, Source, Step


def pack_head(session: Session) -> bytes:
    head = {
        "started": session.started,
        "sources": [_lean(source) for source in session.sources],
        "events": [_lean(event) for event in session.events],
    }
    return _bytes(head)


def pack_step(step: Step) -> bytes:
    return _bytes(_lean(step))


def unpack(session_id: str, head: bytes, steps: Iterable[bytes]) -> Session:
    facts = json.loads(head)
    return Session(
        id=session_id,
        started=facts["started"],
        steps=tuple(_step(json.loads(step)) for step in steps),
        sources=tuple(Source(**source) for source in facts["sources"]),
        events=tuple(Event(**event) for event in facts["events"]),
    )


def _step(facts: dict[str, Any]) -> Step:
    return Step(**(facts | {"rejected": tuple(facts.get("rejected", ()))}))


def _lean(value: Any) -> dict[str, Any]:
    return {name: item for name, item in asdict(value).items() if item not in (None, "", ())}


def _bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
