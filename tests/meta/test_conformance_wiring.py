"""That a conformance run can fail: verdicts are honest, and a skipped run says why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conformance import suite
from tests.conformance.fixture import content, elicitation, input_required, session

ROOT = Path(__file__).resolve().parents[2]
CONFORMANCE = ROOT / "tests" / "conformance"
Check = dict[str, object]
UNTESTABLE: Check = {
    "status": "FAILURE",
    "id": "b",
    "description": "",
    "details": {"untestable": True},
}
GOOD: Check = {"status": "SUCCESS", "id": "a", "description": ""}
BAD: Check = {"status": "FAILURE", "id": "c", "description": "", "errorMessage": "wrong answer"}


def part(*required: str, complete: bool) -> suite.Part:
    return suite.Part(title="part", options=(), required=required, complete=complete)


def save(folder: Path, scenario: str, *checks: Check) -> None:
    place = folder / f"server-{scenario}-2026-11-15T21-45-52-716Z"
    place.mkdir()
    (place / "checks.json").write_text(json.dumps(checks))


def test_one_failing_check_fails_its_scenario(tmp_path: Path) -> None:
    save(tmp_path, "tools-list", GOOD, BAD)

    verdict = suite.judge(part("tools-list", complete=True), tmp_path)["tools-list"]

    assert not verdict.passed
    assert verdict.failures == ("c: wrong answer",)


def test_a_required_scenario_that_left_nothing_has_not_passed(tmp_path: Path) -> None:
    verdicts = suite.judge(part("ping", complete=True), tmp_path)

    assert suite.report(part("ping", complete=True), verdicts, 0) == (0, 1)


def test_a_scenario_that_only_skipped_has_not_passed(tmp_path: Path) -> None:
    save(tmp_path, "ping", {"status": "SKIPPED", "id": "a", "description": ""})

    assert not suite.judge(part("ping", complete=True), tmp_path)["ping"].passed


@pytest.mark.parametrize("complete", [True, False])
def test_only_a_server_without_the_fixtures_tools_is_excused(
    tmp_path: Path, *, complete: bool
) -> None:
    save(tmp_path, "server-stateless", GOOD, UNTESTABLE)

    verdict = suite.judge(part("server-stateless", complete=complete), tmp_path)["server-stateless"]

    assert verdict.passed is not complete


def test_the_suites_own_failure_is_not_overlooked(tmp_path: Path) -> None:
    save(tmp_path, "ping", GOOD)
    whole = part("ping", complete=True)

    assert suite.report(whole, suite.judge(whole, tmp_path), 1) == (1, 1)


def test_the_fixture_names_each_tool_once() -> None:
    modules = (content, elicitation, input_required, session)
    probes = [probe for module in modules for probe in module.PROBES]

    assert len({probe.name for probe in probes}) == len(probes)


@pytest.mark.parametrize(("ci", "code"), [(None, 0), ("true", 1)])
def test_without_npm_the_run_is_skipped_but_never_in_ci(
    tmp_path: Path, ci: str | None, code: int
) -> None:
    ended = run_alone(tmp_path, {"CI": ci} if ci else {})

    assert ended.returncode == code
    assert "npm is not installed" in ended.stdout


def test_a_failed_install_is_named_as_the_reason(tmp_path: Path) -> None:
    ended = run_alone(tmp_path, {}, npm="exit 1")

    assert ended.returncode == 0
    assert "npm could not install the suite" in ended.stdout


def test_an_old_node_is_refused_by_name(tmp_path: Path) -> None:
    pretend = "mkdir -p node_modules/@modelcontextprotocol/conformance/dist node_modules/node"
    suite_file = "node_modules/@modelcontextprotocol/conformance/dist/index.js"

    ended = run_alone(
        tmp_path, {"CI": "1"}, npm=f"{pretend}\ntouch {suite_file}", node="echo v20.1.0"
    )

    assert ended.returncode == 1
    assert "there is no Node 22 or newer" in ended.stdout


def run_alone(
    tmp_path: Path, extra: dict[str, str], **scripts: str
) -> subprocess.CompletedProcess[str]:
    """`run.sh` from an empty checkout, on a machine that has hardly a program."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    place = tmp_path / "tests" / "conformance"
    place.mkdir(parents=True)
    shutil.copy(CONFORMANCE / "run.sh", place)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("dirname", "mkdir", "touch"):
        (programs / name).symlink_to(shutil.which(name) or name)
    for name, script in scripts.items():
        (programs / name).write_text(f"#!{bash}\n{script}\n")
        (programs / name).chmod(0o755)
    return subprocess.run(
        [bash, str(place / "run.sh")],
        env={"PATH": str(programs), "HOME": os.fspath(tmp_path), **extra},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
