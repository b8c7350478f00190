"""`python -m tests.upgrade.build_fixture`: makes the files of `first_release/` again, with that release's code.

Needs the history of the repository. The files are checked in, so nobody has to run it.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.cluster.backing_services import DatabaseServer, find_database_programs, start_database

FIRST_RELEASE = "a41e9fe"  # schema 4 of the state
FOLDER = Path(__file__).parent / "first_release"
ROOT = Path(__file__).resolve().parents[2]
WORK = Path(__file__).with_name("first_release_work.py")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        folder.chmod(0o755)
        source = folder / "source"
        source.mkdir()
        archive = subprocess.run(
            ["git", "archive", FIRST_RELEASE], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", str(source)], input=archive.stdout, check=True)
        build_sqlite(source, folder / "data")
        database = start_database(folder / "postgresql")
        try:
            build_postgres(source, folder / "machine", database)
        finally:
            database.process.kill()


def build_sqlite(source: Path, data: Path) -> None:
    filled = run_release(source, data, "", "fill")
    kept = data.parent / "kept.db"
    subprocess.run(
        [
            *(sys.executable, "-c"),
            "import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute('VACUUM INTO ?', (sys.argv[2],))",
            *(str(data / "state.db"), str(kept)),
        ],
        check=True,
    )
    write_compressed("state.db.gz", kept.read_bytes())
    write_told("sqlite", filled, run_release(source, data, "", "record"))
    shutil.rmtree(data)


def build_postgres(source: Path, data: Path, database: DatabaseServer) -> None:
    url = database.build_url()
    filled = run_release(source, data, url, "fill")
    programs = find_database_programs()
    assert programs is not None
    dumped = subprocess.run(
        [
            *(str(programs / "pg_dump"), "-h", str(database.folder), "-U", "citewell"),
            *("--schema=citewell_state", "--no-owner", "citewell"),
        ],
        check=True,
        capture_output=True,
    )
    write_compressed("state.postgres.sql.gz", dumped.stdout)
    write_told("postgres", filled, run_release(source, data, url, "record"))


def run_release(source: Path, data: Path, url: str, what: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(WORK), str(data), url, what],
        check=True,
        stdout=subprocess.PIPE,
        cwd=source,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{source / 'src'}{os.pathsep}{source}"},
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def write_told(engine: str, filled: dict[str, Any], recorded: dict[str, Any]) -> None:
    content = json.dumps({"filled": filled, "writers": recorded}).encode()
    write_compressed(f"{engine}.json.gz", content)


def write_compressed(name: str, content: bytes) -> None:
    (FOLDER / name).write_bytes(gzip.compress(content, 9, mtime=0))


if __name__ == "__main__":
    main()
