"""Shows the progress of a research job: a live table on a terminal, otherwise a line per change."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from citewell.model.counted_words import pluralize
from citewell.text.safety.markup_cleaning import extract_visible_text

_STATUS_COLOURS = {
    "completed": "green",
    "failed": "red",
    "cancelled": "yellow",
    "uncertain": "yellow",
}


class JobProgressView:
    def __init__(self, live: Any = None) -> None:
        self._live = live
        self._last = ""

    def show_job_status(self, status: Mapping[str, Any]) -> None:
        if self._live is not None:
            self._live.update(_build_status_table(status))
            return
        line = _describe_job_status(status)
        if line != self._last:
            sys.stderr.write(f"{line}\n")
            self._last = line

    async def ask_whether_to_cancel(self) -> bool:
        """Ask whether to cancel the job; False without asking if there is no terminal."""
        if self._live is None or not sys.stdin.isatty():
            return False
        self._live.stop()
        sys.stderr.write("\nCancel the job (c), or keep it (Enter)? ")
        sys.stderr.flush()
        answer: str = await asyncio.to_thread(sys.stdin.readline)
        return answer.strip().lower().startswith("c")


@contextmanager
def open_progress_view() -> Iterator[JobProgressView]:
    if not sys.stderr.isatty():
        yield JobProgressView()
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), transient=True, refresh_per_second=4) as live:
        yield JobProgressView(live)


def _describe_job_status(status: Mapping[str, Any]) -> str:
    parts = [
        f"{name} {part['status']}" + (f" ({part['note']})" if part.get("note") else "")
        for name, part in status["progress"].items()
    ]
    return extract_visible_text(
        f"{status['phase']}: {', '.join(parts)}; {_describe_job_counts(status)}, ${status['costCents'] / 100:.2f}"
    )


def _describe_job_counts(status: Mapping[str, Any]) -> str:
    return f"{status.get('pagesRead', 0)} {pluralize(status.get('pagesRead', 0), 'page')} read, {status.get('claimsFound', 0)} claims"


def _build_status_table(status: Mapping[str, Any]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    seconds = status["elapsedMs"] // 1000
    caption = f"{status['phase']} · {_describe_job_counts(status)} · {seconds} s · ${status['costCents'] / 100:.2f}"
    table = Table(
        *("Provider", "Status", "Time", "Cost", ""),
        box=box.SIMPLE_HEAD,
        caption=caption,
        min_width=len(caption),
    )
    for name, part in status["progress"].items():
        lasted = part.get("durationSeconds")
        table.add_row(
            name,
            Text(part["status"], style=_STATUS_COLOURS.get(part["status"], "")),
            f"{lasted} s" if lasted is not None else "",
            f"${part['costCents'] / 100:.2f}" if part.get("costCents") else "",
            Text(
                extract_visible_text(
                    part.get("note") or (part.get("error") or {}).get("message") or ""
                )
            ),
        )
    return table
