"""MCP over stdin and stdout: the front answers first, the SDK takes over when it is loaded.

Standard library only until the hand-over; everything heavy is imported by the loader thread.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Mapping
from typing import Any

from citewell import environment
from citewell.server import manifest, selection
from citewell.server.front import Front
from citewell.server.wire import Lines, Loaded, Wire

_IDLE = 0.2  # seconds of silence after which loading begins without being asked
_ON = {"1", "true", "yes", "on"}


def serve(overrides: Mapping[str, Any], *, environ: Mapping[str, str] | None = None) -> int:
    """Serve one client until it goes away; the exit code of the process."""
    raw = environment.load(os.environ if environ is None else environ)
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

    return run(overrides, wire=wire, lines=lines, front=front)


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
        entries = selection.chosen(baked["tools"], **_choice(raw, overrides))
    except ValueError:
        return None
    profile = _choice(raw, overrides)["profile"]
    return Front(
        baked["replies"],
        [selection.offered(entry["wire"], profile) for entry in entries],
        wire.write,
    )


def _choice(raw: Mapping[str, str], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The four settings that decide the list, read as `config` reads them."""

    def names(field: str, env: str) -> tuple[str, ...]:
        given = overrides.get(field)
        if given is not None:
            return tuple(given)
        text = raw.get(env, "").strip()
        listed = json.loads(text) if text.startswith("[") else text.split(",")
        return tuple(part.strip() for part in listed if part.strip())

    read_only = overrides.get("read_only")
    if read_only is None:
        read_only = raw.get("CITEWELL_READ_ONLY", "").lower() in _ON
    return {
        "profile": overrides.get("profile") or raw.get("CITEWELL_PROFILE", selection.DEFAULT),
        "toolsets": names("toolsets", "CITEWELL_TOOLSETS"),
        "tools": names("tools", "CITEWELL_TOOLS"),
        "read_only": bool(read_only),
    }
