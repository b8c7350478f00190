"""Runs the official conformance suite on the product and on the fixture, and sums up.

`python -m tests.conformance.suite NODE` with the suite installed beside this file; `run.sh` does both.
"""

from __future__ import annotations

import json
import os
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
LONGEST = 100  # seconds one set may take; it needs about five

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

_SAVED = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z")
_REQUIRED = re.compile(r"^server:\n((?:  - .+\n)+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What one scenario found; a scenario that left no checks has failed."""

    scenario: str
    failures: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.failures


@dataclass(frozen=True, kw_only=True)
class Part:
    """One run of the suite: these scenarios must pass, the others are told of."""

    title: str
    options: tuple[str, ...]
    required: tuple[str, ...]
    tolerate_untestable: bool = False


def product_parts() -> tuple[Part, ...]:
    return tuple(
        Part(
            title=f"product at {revision}, generic scenarios",
            options=("--suite", "all", "--spec-version", revision),
            required=required,
            # `server-stateless` has checks that need the fixture's tools, and says so of each.
            tolerate_untestable=True,
        )
        for revision, required in GENERIC.items()
    )


def fixture_parts() -> tuple[Part, ...]:
    return tuple(
        Part(
            title=f"fixture at {revision}, requirement set",
            options=("--requirements", revision),
            required=required_by(revision),
        )
        for revision in REVISIONS
    )


def required_by(revision: str) -> tuple[str, ...]:
    """The server scenarios the suite itself scores for a revision."""
    listed = _REQUIRED.search((PACKAGE / "requirements" / f"{revision}.yaml").read_text("utf-8"))
    if listed is None:
        raise SystemExit(f"The suite's requirements for {revision} have another form than known.")
    return tuple(line.removeprefix("  - ") for line in listed[1].splitlines())


def judge(part: Part, saved: Path) -> dict[str, Verdict]:
    """A verdict for each scenario that ran, and for each required one that left nothing behind."""
    verdicts = {
        scenario: Verdict(
            scenario=scenario,
            failures=("no checks were recorded: it crashed, hung or does not apply",),
        )
        for scenario in part.required
    }
    for folder in sorted(saved.iterdir()):
        if named := _SAVED.fullmatch(folder.name):
            checks = json.loads((folder / "checks.json").read_text("utf-8"))
            verdicts[named["scenario"]] = _verdict(named["scenario"], checks, part)
    return verdicts


def _verdict(scenario: str, checks: Sequence[dict[str, Any]], part: Part) -> Verdict:
    def of(status: str) -> Iterator[str]:
        for check in checks:
            untestable = (check.get("details") or {}).get("untestable")
            if check["status"] == status and not (untestable and part.tolerate_untestable):
                yield f"{check['id']}: {check.get('errorMessage') or check['description']}"

    ran = any(check["status"] in {"SUCCESS", "FAILURE"} for check in checks)
    failures = tuple(of("FAILURE")) if ran else ("no check succeeded or failed",)
    return Verdict(scenario=scenario, failures=failures, warnings=tuple(of("WARNING")))


def run_part(node: str, url: str, part: Part) -> dict[str, Verdict]:
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder, "results")
        saved.mkdir()
        suite = [node, str(PACKAGE / "dist" / "index.js"), "server", "--url", url]
        try:
            subprocess.run(
                [*suite, *part.options, "-o", str(saved)],
                cwd=folder,
                capture_output=True,
                timeout=LONGEST,
                check=False,  # the checks it saves say more than its exit code
            )
        except subprocess.TimeoutExpired:
            say(f"  stopped after {LONGEST} s")
        return judge(part, saved)


def report(part: Part, verdicts: dict[str, Verdict]) -> tuple[int, int]:
    """Say what happened; how many required scenarios passed and failed."""
    required = [verdicts[scenario] for scenario in part.required]
    others = [verdict for name, verdict in verdicts.items() if name not in part.required]
    passed = sum(verdict.passed for verdict in required)
    say(f"{part.title}: {passed} of {len(required)} passed")
    for verdict in required:
        for failure in verdict.failures:
            say(f"  FAILED {verdict.scenario}: {failure}")
        for warning in verdict.warnings:
            say(f"  warning {verdict.scenario}: {warning}")
    if others and not part.tolerate_untestable:
        beside = ", ".join(
            f"{verdict.scenario} {'passed' if verdict.passed else 'failed'}" for verdict in others
        )
        say(f"  not scored: {beside}")
    return passed, len(required) - passed


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(node: str) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwinds, so that no server stays
    passed = failed = 0
    for launch, parts in ((Launch.PRODUCT, product_parts()), (Launch.FIXTURE, fixture_parts())):
        with running(launch) as url:
            for part in parts:
                tally = report(part, run_part(node, url, part))
                passed, failed = passed + tally[0], failed + tally[1]
    say(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.pop("NODE_OPTIONS", None)
    sys.exit(main(sys.argv[1]))
