"""Encodes sessions as JSON bytes: a small head that changes with every call, and one entry per step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

from citewell.model.research_session import CallOutcome, ResearchSession, SessionSource, SessionStep

_SOURCE_DEFAULTS = tuple((field.name, field.default) for field in fields(SessionSource))


def encode_session_head(session: ResearchSession) -> bytes:
    head = {
        "started": session.started,
        "sources": [_drop_default_fields(source) for source in session.sources],
        "dropped_sources": session.dropped_sources,
        "events": [_drop_empty_fields(event) for event in session.events],
    }
    return _encode_json(head)


def encode_sources(sources: Iterable[SessionSource]) -> bytes:
    return _encode_json([_drop_default_fields(source) for source in sources])


def decode_sources(data: bytes) -> tuple[SessionSource, ...]:
    return tuple(SessionSource(**source) for source in json.loads(data))


def encode_session_step(step: SessionStep) -> bytes:
    return _encode_json(_drop_empty_fields(step))


def decode_session(session_id: str, head: bytes, steps: Iterable[bytes]) -> ResearchSession:
    facts = json.loads(head)
    return ResearchSession(
        id=session_id,
        started=facts["started"],
        steps=tuple(_decode_session_step(json.loads(step)) for step in steps),
        sources=tuple(SessionSource(**source) for source in facts["sources"]),
        dropped_sources=facts.get("dropped_sources", 0),
        events=tuple(CallOutcome(**event) for event in facts["events"]),
    )


def _decode_session_step(facts: dict[str, Any]) -> SessionStep:
    return SessionStep(**(facts | {"rejected": tuple(facts.get("rejected", ()))}))


def _drop_empty_fields(value: Any) -> dict[str, Any]:
    return {name: item for name, item in asdict(value).items() if item not in (None, "", ())}


def _drop_default_fields(source: SessionSource) -> dict[str, Any]:
    return {
        name: value
        for name, default in _SOURCE_DEFAULTS
        if (value := getattr(source, name)) != default
    }


def _encode_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
