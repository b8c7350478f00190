"""MCP over stdin and stdout: the front answers first, the SDK takes over when it is loaded.

Standard library only until the hand-over; everything heavy is imported by the loader thread.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Mapping
from typing import Any

from citewell import environment
from citewell.server import manifest, selection
from citewell.server.front import Front
from citewell.server.wire import Lines, Loaded, Wire

_IDLE = 0.2  # seconds of silence after which loading begins without being asked
_ON = {"1", "true", "t", "yes", "y", "on"}  # these two as pydantic reads them
_OFF = {"0", "false", "f", "no", "n", "off"}


def serve(overrides: Mapping[str, Any], *, environ: Mapping[str, str] | None = None) -> int:
    """Serve one client until it goes away; the exit code of the process."""
    parent = os.getppid()  # before anything takes time: it may die while we load
    try:
        raw = environment.load(os.environ if environ is None else environ)
    except environment.Unusable as error:
        sys.stderr.write(f"citewell: {error}\n")
        return 2
    wire = Wire.claimed()
    lines: Lines = queue.SimpleQueue()
    front = _front(raw, overrides, wire)
    wire.listen(lines.put)
    loader = threading.Thread(target=_load, args=(lines,), daemon=True, name="loader")
    if front is None:
        loader.start()
    elif not _greet(front, lines, loader):
        return 0
    loader.join()

    from citewell.server.session import run

    return run(overrides, wire=wire, lines=lines, front=front, parent=parent)


def _load(lines: Lines) -> None:
    """Import what the session needs, off the main thread."""
    import citewell.server.session  # noqa: F401 - imported for the cost alone

    lines.put(Loaded())


def _greet(front: Front, lines: Lines, loader: threading.Thread) -> bool:
    """Answer what can be answered until the SDK is there; False when the client left meanwhile."""
    while True:
        try:
            line = lines.get(timeout=None if loader.ident else _IDLE)
        except queue.Empty:
            loader.start()
            continue
        if line is None:
            return False
        taken = not isinstance(line, Loaded) and front.take(line)
        if not loader.ident and (front.listed or not taken):
            loader.start()
        if not taken:
            return True


def _front(raw: Mapping[str, str], overrides: Mapping[str, Any], wire: Wire) -> Front | None:
    """None when it is switched off, or when the choice of tools is wrong: the session then says so."""
    if raw.get("CITEWELL_FRONT", "1").lower() not in _ON:
        return None
    baked = manifest.load()
    try:
        choice = _choice(raw, overrides)
        entries = selection.chosen(baked["tools"], **choice)
    except ValueError:
        return None
    return Front(
        baked["replies"],
        [selection.offered(entry["wire"], choice["profile"]) for entry in entries],
        wire.write,
    )


def _choice(raw: Mapping[str, str], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The four settings that decide the list, read as `config` reads them; ValueError as there."""
    read = {
        "profile": raw.get("CITEWELL_PROFILE", selection.DEFAULT),
        "toolsets": _names(raw.get("CITEWELL_TOOLSETS", "")),
        "tools": _names(raw.get("CITEWELL_TOOLS", "")),
        "read_only": _switch(raw.get("CITEWELL_READ_ONLY", "0")),
    }
    return {field: overrides.get(field, value) for field, value in read.items()}


def _names(text: str) -> tuple[str, ...]:
    if not text.lstrip().startswith("["):
        return tuple(part for part in (piece.strip() for piece in text.split(",")) if part)
    listed = json.loads(text)
    if not all(isinstance(name, str) for name in listed):
        raise ValueError("a list of names holds something else")
    return tuple(listed)


def _switch(text: str) -> bool:
    if text.lower() not in _ON | _OFF:
        raise ValueError("a switch is neither on nor off")
    return text.lower() in _ON
