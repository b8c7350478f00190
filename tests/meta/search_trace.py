"""Counts the files and frames of ours that a warm web_search goes through, against the loopback web."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from tests.e2e.clients import body, connected
from tests.internet.serve import Internet

# The first call loads modules and opens the store; the second, not in the cache, is measured.
WARMING_QUERY, MEASURED_QUERY = "lithium battery degradation", "http caching"


@dataclass(kw_only=True)
class CallTrace:
    """Records our frames of all threads while `is_recording`; `home` is the folder of our code."""

    home: str
    is_recording: bool = False
    files: set[str] = field(default_factory=set)
    deepest: tuple[str, ...] = ()

    def record_event(self, frame: FrameType, event: str, argument: object) -> None:
        if not self.is_recording or event != "call" or not self._is_ours(frame):
            return
        self.files.add(self._shorten_path(frame))
        stack = tuple(self._describe_stack(frame))
        if len(stack) > len(self.deepest):
            self.deepest = stack

    def _describe_stack(self, frame: FrameType | None) -> Iterator[str]:
        """Our frames from this one outwards; a coroutine's awaiting ones are among them."""
        while frame is not None:
            if self._is_ours(frame):
                yield f"{self._shorten_path(frame)}: {frame.f_code.co_name}"
            frame = frame.f_back

    def _is_ours(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename.startswith(self.home)

    def _shorten_path(self, frame: FrameType) -> str:
        return frame.f_code.co_filename.removeprefix(self.home).lstrip("/")


def trace_warm_search(home: Path) -> CallTrace:
    """The trace of one search by a client in this process, the second of its kind."""
    trace = CallTrace(home=f"{home}/")
    with Internet() as internet, tempfile.TemporaryDirectory() as folder:
        environ = internet.env() | {
            "CITEWELL_CONFIG": f"{folder}/no-such-config.toml",
            "CITEWELL_DATA_DIR": f"{folder}/data",
            "AUDIT_OUTPUT_PATH": f"{folder}/audit.jsonl",
            "HOME": folder,
            "CITEWELL_STEALTH": "false",
            "CHROME_PATH": "disabled",
        }
        threading.setprofile(trace.record_event)
        sys.setprofile(trace.record_event)
        try:
            asyncio.run(_search_twice(environ, trace))
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return trace


async def _search_twice(environ: Mapping[str, str], trace: CallTrace) -> None:
    async with connected("memory", environ) as client:
        await client.call_tool("web_search", {"query": WARMING_QUERY})
        trace.is_recording = True
        result = await client.call_tool("web_search", {"query": MEASURED_QUERY})
        trace.is_recording = False
    if (result.meta or {}).get("cached") or not body(result)["results"]:
        raise RuntimeError("The traced search came from the cache or found nothing.")
