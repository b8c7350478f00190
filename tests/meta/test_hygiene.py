"""What must not be in the repository, wherever it hides."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Written in pieces, so that this file does not hold what it forbids.
REGISTRIES = re.compile(
    "|".join(
        [
            r"py" + r"pi\.org",
            r"python" + r"hosted\.org",
            r"registry\." + r"npmjs",
            r"deb\." + r"debian",
        ]
    )
)
MACHINE = re.compile("|".join(["/wo" + "rk/", "/ro" + "ot/", "/ho" + r"me/\w"]))
BINARY = {".png", ".gz", ".pdf", ".zip", ".docx", ".woff2"}


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file() and path.suffix not in BINARY]


def offenders(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked()
        if (match := pattern.search(path.read_text(encoding="utf-8", errors="replace")))
    ]


def test_no_file_names_a_package_registry() -> None:
    assert offenders(REGISTRIES) == []


def test_no_file_names_a_path_of_one_machine() -> None:
    assert offenders(MACHINE) == []


def test_no_module_is_a_dumping_ground() -> None:
    names = {path.stem for path in tracked() if path.suffix == ".py"}

    assert not names & {"utils", "util", "helpers", "helper", "common", "misc", "manager"}


def test_every_suppression_names_its_rule_and_reason() -> None:
    bare = re.compile(r"#\s*(noqa(?!:)|type:\s*ignore(?!\[)|pragma)")
    reasonless = re.compile(r"#\s*noqa: [A-Z0-9, ]+$|#\s*type: ignore\[[^\]]+\]\s*$", re.MULTILINE)
    sources = [path for path in tracked() if path.suffix == ".py" and "src" in path.parts]

    found = [
        str(path.relative_to(ROOT))
        for path in sources
        if bare.search(text := path.read_text()) or reasonless.search(text)
    ]

    assert found == []
