"""MCP over stdin and stdout: the instant start answers first; the session takes over once it is loaded.

Only the standard library is imported until then; a loader thread imports everything else.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Mapping
from typing import Any

from citewell.core import environment
from citewell.server.capabilities import tool_selection
from citewell.server.stdio.instant_start import InstantStart
from citewell.server.stdio.stdio_wire import LineQueue, SessionLoaded, StdioWire

_IDLE_SECONDS = 0.2  # of silence, after which the session is loaded without a request for it
_TRUE_WORDS = {"1", "true", "t", "yes", "y", "on"}  # both lists as in pydantic
_FALSE_WORDS = {"0", "false", "f", "no", "n", "off"}


def serve_stdio(overrides: Mapping[str, Any], *, environ: Mapping[str, str] | None = None) -> int:
    """Serve one client until it disconnects; returns the exit code of the process.

    The exit code is 2 if the settings cannot be used. An unusable settings file and a flag that
    names an unknown tool end the process at once. With other invalid settings every call is
    answered with what is wrong, so that the person in front of the client reads it.
    """
    parent = os.getppid()  # read first, because the parent may die while we load
    try:
        raw = environment.load_raw_settings(os.environ if environ is None else environ)
    except environment.UnusableSettingsFile as error:
        sys.stderr.write(f"citewell: {error}\n")
        return 2
    environment.warn_of_unfollowed_options(raw)
    baked = tool_selection.load_manifest()
    if problem := _find_flag_problem(baked["tools"], raw, overrides):
        sys.stderr.write(f"citewell: {problem}\n")
        return 2
    wire = StdioWire.claim_standard_streams()
    lines: LineQueue = queue.SimpleQueue()
    front = _build_instant_start(baked, raw, overrides, wire)
    wire.start_reading(lines.put)
    loader = threading.Thread(
        target=_import_session_module, args=(lines,), daemon=True, name="loader"
    )
    if front is None:
        loader.start()
    elif not _answer_until_loaded(front, lines, loader):
        if front.answered:
            return 0
        from citewell.server.stdio.stdio_session import check_session_settings

        return check_session_settings(overrides)
    loader.join()

    from citewell.server.stdio.stdio_session import run_stdio_session

    return run_stdio_session(overrides, wire=wire, lines=lines, front=front, parent=parent)


def _import_session_module(lines: LineQueue) -> None:
    """Import what the session needs; runs on the loader thread."""
    import citewell.server.stdio.stdio_session  # noqa: F401 - imported early, because it takes time

    lines.put(SessionLoaded())


def _answer_until_loaded(front: InstantStart, lines: LineQueue, loader: threading.Thread) -> bool:
    """Answer from the manifest until the session is loaded or needed; False if the client has disconnected."""
    while True:
        try:
            line = lines.get(timeout=None if loader.ident else _IDLE_SECONDS)
        except queue.Empty:
            loader.start()
            continue
        if line is None:
            return False
        taken = not isinstance(line, SessionLoaded) and front.answer_line(line)
        if not loader.ident and (front.listed or not taken):
            loader.start()
        if not taken:
            return True


def _find_flag_problem(
    entries: list[Any], raw: Mapping[str, str], overrides: Mapping[str, Any]
) -> str | None:
    """What is wrong with the tools that the command line chooses; None if nothing is."""
    # A setting that is neither true nor false is reported by the session.
    switched_on = frozenset(raw) - {
        name for name, value in raw.items() if value.lower() in _FALSE_WORDS
    }
    try:
        tool_selection.select_entries(entries, **overrides, switched_on=switched_on)
    except ValueError as error:
        return f"The choice of tools on the command line is not valid: {error}."
    return None


def _build_instant_start(
    baked: Mapping[str, Any],
    raw: Mapping[str, str],
    overrides: Mapping[str, Any],
    wire: StdioWire,
) -> InstantStart | None:
    """None if it is switched off, or if the choice of tools is invalid, which the session reports."""
    if raw.get("CITEWELL_FRONT", "1").lower() not in _TRUE_WORDS:
        return None
    try:
        choice = _parse_tool_choice(raw, overrides)
        entries = tool_selection.select_entries(
            baked["tools"], **choice, switched_on=_list_switches(baked["tools"], raw)
        )
        changes = tool_selection.find_argument_changes(
            choice["profile"],
            default_count=_parse_result_count(raw, "CITEWELL_SEARCH_RESULTS"),
            max_count=_parse_result_count(raw, "CITEWELL_SEARCH_MAX_RESULTS"),
        )
    except ValueError:
        return None
    return InstantStart(
        baked["replies"],
        list(tool_selection.build_offered_wires(entries, changes).values()),
        wire.write_frame,
    )


def _parse_tool_choice(raw: Mapping[str, str], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The four settings that choose the tools, parsed as in `config`; raises ValueError if one is invalid."""
    read = {
        "profile": raw.get("CITEWELL_PROFILE", tool_selection.DEFAULT_PROFILE),
        "toolsets": _parse_name_setting(raw.get("CITEWELL_TOOLSETS", "")),
        "tools": _parse_name_setting(raw.get("CITEWELL_TOOLS", "")),
        "read_only": _parse_switch(raw.get("CITEWELL_READ_ONLY", "0")),
    }
    return {field: overrides.get(field, value) for field, value in read.items()}


def _list_switches(entries: list[Any], raw: Mapping[str, str]) -> frozenset[str]:
    """The settings that tools require, as far as they are true; raises ValueError if one is invalid."""
    required = tool_selection.list_required_settings(entries)
    return frozenset(name for name in required if _parse_switch(raw.get(name, "0")))


def _parse_result_count(raw: Mapping[str, str], name: str) -> int | None:
    return int(raw[name]) if name in raw else None


def _parse_name_setting(text: str) -> tuple[str, ...]:
    if not text.lstrip().startswith("["):
        return environment.split_name_list(text)
    listed = json.loads(text)
    if not all(isinstance(name, str) for name in listed):
        raise ValueError("a list of names holds something else")
    return tuple(listed)


def _parse_switch(text: str) -> bool:
    if text.lower() not in _TRUE_WORDS | _FALSE_WORDS:
        raise ValueError("a switch is neither on nor off")
    return text.lower() in _TRUE_WORDS
