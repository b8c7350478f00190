"""Numbers as RESULTS.md shows them: best and median, a ratio, and whether the goal was met."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from benchmarks.subjects import PEER, PEER_VERSION

ABOUT = f"""# Results

Citewell beside `{PEER}` {PEER_VERSION} from PyPI, which runs a server written in Go. Both search
the same loopback web through SearXNG, each with a cache, a home and raised limits of its own; logs
of both go to /dev/null. The client is the same for both, runs in a process of its own and reads
every answer as JSON. Servers take turns within a run, so trust the ratios and not the numbers.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    text: str
    measured: str
    met: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One table, the command that made it, what it does not say by itself, and its goals."""

    title: str
    command: str
    body: str
    notes: str = ""
    goals: tuple[Goal, ...] = ()

    def markdown(self) -> str:
        parts = [f"## {self.title}", f"`{self.command}`", self.body, self.notes]
        return "\n\n".join(part.strip() for part in parts if part.strip())


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def spread(values: Sequence[float], *, unit: str = "", most: bool = False) -> str:
    """Best and median; the best is the largest where more is better."""
    best = max(values) if most else min(values)
    return f"{best:,.0f} / {statistics.median(values):,.0f}{unit}"


def document(sections: Sequence[Section], *, load: tuple[float, float]) -> str:
    goals = [
        [goal.text, goal.measured, "met" if goal.met else "**missed**"]
        for section in sections
        for goal in section.goals
    ]
    return "\n\n".join(
        [
            ABOUT.strip(),
            surroundings(load),
            "## Goals",
            table(("goal", "measured", ""), goals),
            *(section.markdown() for section in sections),
            "",
        ]
    )


def merged(text: str, sections: Sequence[Section], *, load: tuple[float, float]) -> str:
    """RESULTS.md with these sections in the place of those of the same titles, or at its end."""
    head, *old = text.split("\n## ")
    parts = {part.partition("\n")[0]: f"## {part.strip()}" for part in old}
    goals = parts["Goals"].splitlines()
    for section in sections:
        made = surroundings(load, command=section.command)
        parts[section.title] = f"{section.markdown()}\n\n{made}"
        for goal in section.goals:
            goals = [line for line in goals if not line.startswith(f"| {goal.text} |")]
            goals.append(
                f"| {goal.text} | {goal.measured} | {'met' if goal.met else '**missed**'} |"
            )
    parts["Goals"] = "\n".join(goals)
    return "\n\n".join([head.strip(), *parts.values(), ""])


def surroundings(load: tuple[float, float], *, command: str = "python -m benchmarks") -> str:
    when = datetime.now(UTC).date().isoformat()
    return (
        f"Made {when} by `{command}` on {os.cpu_count()} cores shared with the client and with "
        f"other work, {platform.system()} {platform.machine()}, Python {platform.python_version()}; "
        f"load average {load[0]:.1f} before and {load[1]:.1f} after."
    )
