"""A research job's progress on the screen: a live table on a terminal, a line a change elsewhere."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from citewell.text.markup import visible

_STYLES = {"completed": "green", "failed": "red", "cancelled": "yellow", "uncertain": "yellow"}


class Watch:
    def __init__(self, live: Any = None) -> None:
        self._live = live
        self._last = ""

    def show(self, status: Mapping[str, Any]) -> None:
        if self._live is not None:
            self._live.update(_table(status))
            return
        line = _line(status)
        if line != self._last:
            sys.stderr.write(f"{line}\n")
            self._last = line

    async def asked_to_cancel(self) -> bool:
        """Only somebody at a terminal can be asked; elsewhere the job is left as it is."""
        if self._live is None or not sys.stdin.isatty():
            return False
        self._live.stop()
        sys.stderr.write("\nCancel the job (c), or leave it to run (Enter)? ")
        sys.stderr.flush()
        answer: str = await asyncio.to_thread(sys.stdin.readline)
        return answer.strip().lower().startswith("c")


@contextmanager
def watching() -> Iterator[Watch]:
    if not sys.stderr.isatty():
        yield Watch()
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), transient=True, refresh_per_second=4) as live:
        yield Watch(live)


def _line(status: Mapping[str, Any]) -> str:
    parts = [
        f"{name} {part['status']}" + (f" ({part['note']})" if part.get("note") else "")
        for name, part in status["progress"].items()
    ]
    return visible(
        f"{status['phase']}: {', '.join(parts)}; {_counts(status)}, ${status['costCents'] / 100:.2f}"
    )


def _counts(status: Mapping[str, Any]) -> str:
    return f"{status.get('pagesRead', 0)} pages read, {status.get('claimsFound', 0)} claims"


def _table(status: Mapping[str, Any]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    seconds = status["elapsedMs"] // 1000
    caption = (
        f"{status['phase']} · {_counts(status)} · {seconds} s · ${status['costCents'] / 100:.2f}"
    )
    table = Table("Provider", "Status", "Time", "Cost", "", box=box.SIMPLE_HEAD, caption=caption)
    for name, part in status["progress"].items():
        lasted = part.get("durationSeconds")
        table.add_row(
            name,
            Text(part["status"], style=_STYLES.get(part["status"], "")),
            f"{lasted} s" if lasted is not None else "",
            f"${part['costCents'] / 100:.2f}" if part.get("costCents") else "",
            Text(visible(part.get("note") or (part.get("error") or {}).get("message") or "")),
        )
    return table
