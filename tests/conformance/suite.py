"""Runs the official conformance suite on the product and on the fixture, and sums up.

`python -m tests.conformance.suite NODE` with the suite installed beside this file; `run.sh` does both.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance.servers import Launch, running

HERE = Path(__file__).parent
PACKAGE = HERE / "node_modules" / "@modelcontextprotocol" / "conformance"
LONGEST = 100  # seconds one run may take; it needs about five
TOO_LONG = 124  # what `timeout` says of it

REVISIONS = ("2025-11-25", "2026-07-28")

# What any server must do, whatever tools it has. The rest calls tools only the fixture has.
GENERIC = {
    "2025-03-26": ("server-session-lifecycle",),
    "2025-06-18": (
        "server-initialize",
        "server-session-lifecycle",
        "ping",
        "completion-complete",
        "tools-list",
        "resources-list",
        "prompts-list",
    ),
    "2025-11-25": (
        "server-initialize",
        "server-session-lifecycle",
        "ping",
        "completion-complete",
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "server-stateless",
        "completion-complete",
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "sep-2164-resource-not-found",
        "prompts-list",
        "dns-rebinding-protection",
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
    ),
}

# Tasks; notifications of them are optional, and we send none.
EXTENSIONS = {
    "2026-07-28": (
        "tasks-lifecycle",
        "tasks-capability-negotiation",
        "tasks-wire-fields",
        "tasks-request-state-removal",
        "tasks-mrtr-input",
        "tasks-request-headers",
        "tasks-dispatch-and-envelope",
        "tasks-required-task-error",
        "tasks-mrtr-composition",
    ),
}

_SAVED = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z")
_REQUIRED = re.compile(r"^server:\n((?:  - .+\n)+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What one scenario found; one that neither succeeded nor failed anywhere proves nothing."""

    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    exercised: bool = True

    @property
    def passed(self) -> bool:
        return self.exercised and not self.failures

    def __str__(self) -> str:
        return "passed" if self.passed else "failed" if self.exercised else "not exercised"


@dataclass(frozen=True, kw_only=True)
class Part:
    """One run of the suite: these scenarios must pass."""

    title: str
    options: tuple[str, ...]
    required: tuple[str, ...]
    complete: bool  # the server has all that the scenarios name, so none may excuse itself


def product_parts() -> Iterator[Part]:
    for revision, required in GENERIC.items():
        yield Part(
            title=f"product at {revision}, generic scenarios",
            options=("--suite", "all", "--spec-version", revision),
            required=required,
            complete=False,
        )


def fixture_parts() -> Iterator[Part]:
    for revision in REVISIONS:
        yield Part(
            title=f"fixture at {revision}, requirement set",
            options=("--requirements", revision),
            required=(*required_by(revision), *EXTENSIONS.get(revision, ())),
            complete=True,
        )


def required_by(revision: str) -> tuple[str, ...]:
    """The server scenarios the suite itself scores for a revision."""
    listed = _REQUIRED.search((PACKAGE / "requirements" / f"{revision}.yaml").read_text("utf-8"))
    if listed is None:
        raise SystemExit(f"The suite's requirements for {revision} have another form than known.")
    return tuple(line.removeprefix("  - ") for line in listed[1].splitlines())


def run_part(node: str, url: str, part: Part) -> tuple[dict[str, Verdict], int]:
    """The verdicts, and the suite's own exit code."""
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder, "results")
        saved.mkdir()
        suite = [node, str(PACKAGE / "dist" / "index.js"), "server", "--url", url]
        try:
            ended = subprocess.run(
                [*suite, *part.options, "-o", str(saved)],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return judge(part, saved), TOO_LONG
        if not any(saved.iterdir()):
            raise SystemExit(f"The suite did not run:\n{ended.stderr[-2000:]}")
        return judge(part, saved), ended.returncode


def judge(part: Part, saved: Path) -> dict[str, Verdict]:
    """A verdict for each scenario that ran, and for each required one that left nothing behind."""
    verdicts = dict.fromkeys(part.required, Verdict(exercised=False))
    for folder in sorted(saved.iterdir()):
        if named := _SAVED.fullmatch(folder.name):
            checks = json.loads((folder / "checks.json").read_text("utf-8"))
            verdicts[named["scenario"]] = _verdict(checks, part)
    return verdicts


def _verdict(checks: Sequence[dict[str, Any]], part: Part) -> Verdict:
    def of(status: str) -> Iterator[str]:
        for check in checks:
            # `server-stateless` has checks that need the fixture's tools, and marks them so.
            excused = not part.complete and (check.get("details") or {}).get("untestable")
            if check["status"] == status and not excused:
                yield f"{check['id']}: {check.get('errorMessage') or check['description']}"

    return Verdict(
        failures=tuple(of("FAILURE")),
        warnings=tuple(of("WARNING")),
        exercised=any(check["status"] in {"SUCCESS", "FAILURE"} for check in checks),
    )


def report(part: Part, verdicts: dict[str, Verdict], code: int) -> tuple[int, int]:
    """Say what happened; how many required scenarios passed and failed."""
    passed = sum(verdicts[scenario].passed for scenario in part.required)
    failed = len(part.required) - passed
    say(f"{part.title}: {passed} of {len(part.required)} passed")
    for scenario in part.required:
        _details(scenario, verdicts[scenario])
    if part.complete:
        others = [f"{name} {verdicts[name]}" for name in verdicts if name not in part.required]
        say(f"  not scored: {', '.join(others) or 'none'}")
    if code == TOO_LONG or (part.complete and code and not failed):
        say(f"  FAILED the suite ended with {code}")
        failed += 1
    return passed, failed


def _details(scenario: str, verdict: Verdict) -> None:
    if not verdict.exercised:
        say(f"  FAILED {scenario}: it left no check that succeeded or failed")
    for failure in verdict.failures:
        say(f"  FAILED {scenario}: {failure}")
    for warning in verdict.warnings:
        say(f"  warning {scenario}: {warning}")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(node: str) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwinds, so that no server stays
    passed = failed = 0
    for launch, parts in ((Launch.PRODUCT, product_parts()), (Launch.FIXTURE, fixture_parts())):
        with running(launch) as url:
            for part in parts:
                good, bad = report(part, *run_part(node, url, part))
                passed, failed = passed + good, failed + bad
    say(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
