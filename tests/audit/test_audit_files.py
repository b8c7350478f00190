"""The file of audit lines: begun anew when full, old ones deleted, erased persons taken out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from citewell.audit.audit_files import AuditFile, erase_owner_lines, list_rotated_files
from citewell.core.tooling import Owner
from tests.requirements import requires

DAY = 86400.0


def build_line(user: str, **more: Any) -> str:
    return json.dumps({"tenant_id": "acme", "user_id": user, "tool_name": "web_search", **more})


@requires("audit.rotation")
def test_a_full_file_is_renamed_and_a_new_one_begun(tmp_path: Path) -> None:
    path, times = tmp_path / "logs" / "audit.jsonl", iter(range(100, 200))
    file = AuditFile(path, max_bytes=200, retention_days=180, clock=lambda: float(next(times)))

    for number in range(10):
        file.write_line(build_line(f"user{number}"))

    files = [*list_rotated_files(path), path]
    written = [line for path in files if path.exists() for line in path.read_text().splitlines()]
    assert len(files) > 3
    assert [json.loads(line)["user_id"] for line in written] == [f"user{n}" for n in range(10)]
    assert all(path.stat().st_mode & 0o077 == 0 for path in files if path.exists())


@requires("audit.rotation")
def test_a_renamed_file_is_deleted_after_the_retention(tmp_path: Path) -> None:
    path, now = tmp_path / "audit.jsonl", 1000 * DAY
    old, recent = tmp_path / "audit.jsonl.20200101T000000.0", tmp_path / "audit.jsonl.20260101"
    for file, age in ((old, 181), (recent, 179)):
        file.write_text("{}\n")
        os.utime(file, (now - age * DAY, now - age * DAY))

    AuditFile(path, max_bytes=1, retention_days=180, clock=lambda: now).write_line("{}")

    assert not old.exists()
    assert recent.exists()


@requires("audit.erasure")
def test_an_erased_person_is_taken_out_of_all_files(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    rotated = tmp_path / "audit.jsonl.20260101T000000.0"
    marker = "plantedmarkerxyzzy-ü"
    for file in (path, rotated):
        kept = [build_line("bob"), build_line(marker, source_ip=marker, metadata={"q": marker})]
        file.write_text("\n".join([*kept, "not json", build_line("cyd")]) + "\n")
    other_tenant = json.dumps({"tenant_id": "other", "user_id": marker})
    path.write_text(path.read_text() + other_tenant + "\n")
    sizes = [file.stat().st_size for file in (path, rotated)]

    count = erase_owner_lines(path, Owner(tenant="acme", user=marker))

    assert count == 2
    assert marker not in rotated.read_text()
    assert path.read_text().count(json.dumps(marker)) == 1
    assert json.loads(rotated.read_text().splitlines()[1]) == {
        "tenant_id": "acme",
        "tool_name": "web_search",
    }
    assert json.loads(path.read_text().splitlines()[3])["user_id"] == "cyd"
    assert [file.stat().st_size for file in (path, rotated)] == sizes


def test_erasing_without_a_file_changes_nothing(tmp_path: Path) -> None:
    assert erase_owner_lines(tmp_path / "none.jsonl", Owner()) == 0
