"""`make run`: one question researched and answered with cited sources, over the bundled web where there is no other.

The question comes in the environment, where no shell reads it.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from tests.internet.serve import Internet

ROOT = Path(__file__).resolve().parents[2]
# Three sources agree on it, two contradict each other on a number, one has a table.
QUESTION = "How much water does a dishwasher use for a load?"
NEXT_QUESTION = "How far apart should tomato plants stand?"  # two guides say different things
PROBE = ("html.duckduckgo.com", 443)
FOLDER = ROOT / ".run" / "demo"


def online() -> bool:
    """Whether the keyless default provider can be reached from here."""
    try:
        with socket.create_connection(PROBE, timeout=3):
            return True
    except OSError:
        return False


def research(question: str, environ: dict[str, str]) -> int:
    """The program itself, as a user would run it; then the report as HTML, and what to try next."""
    code = run_program(environ, "research", "--tier=S", "--provider=local", "--", question)
    if code == 0:
        show_next_steps(find_last_job(environ), environ)
    return code


def run_program(environ: dict[str, str], *arguments: str) -> int:
    command = [sys.executable, "-m", "citewell", *arguments]
    return subprocess.run(command, env=environ, check=False).returncode


def find_last_job(environ: dict[str, str]) -> str:
    """The id of the newest research job, or "" where there is none."""
    command = [sys.executable, "-m", "citewell", "jobs", "--json"]
    done = subprocess.run(command, env=environ, check=False, stdout=subprocess.PIPE, text=True)
    jobs = json.loads(done.stdout)["jobs"] if done.returncode == 0 else []
    return str(max(jobs, key=lambda job: job["createdAt"])["id"]) if jobs else ""


def show_next_steps(job: str, environ: dict[str, str]) -> None:
    """Write the report as HTML, and name it and three commands."""
    if not job:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    report = FOLDER / "report.html"
    if run_program(environ, "report", job, "--format=html", f"--out={report}") == 0:
        sys.stdout.write(f"\nThe same report for the browser:\n  {report}\n")
    sys.stdout.write("\nTry next:\n")
    for line in list_next_commands(job, environ.get("CITEWELL_DATA_DIR", "")):
        sys.stdout.write(f"  {line}\n")
    sys.stdout.flush()


def list_next_commands(job: str, data: str) -> tuple[str, str, str]:
    """Another question, the sources of this job as a bibliography, and the server for a client."""
    program = shown_path(Path(sys.executable).with_name("citewell"))
    where = f"CITEWELL_DATA_DIR={shown_path(Path(data))} " if data else ""
    return (
        f'make run QUESTION="{NEXT_QUESTION}"',
        f"{where}{program} report {job} --format bibtex",
        f"{program} doctor",
    )


def shown_path(path: Path) -> str:
    """Relative to the repository where it is inside."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def build_environment() -> dict[str, str]:
    """The user's environment, with the data and the home of the demonstration's own folder."""
    shutil.rmtree(FOLDER, ignore_errors=True)  # which only the demonstration fills
    for name in ("data", "home"):
        (FOLDER / name).mkdir(parents=True)
    home = str(FOLDER / "home")
    outside = ("XDG_", "APPDATA", "LOCALAPPDATA")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(outside)}
    return kept | {"CITEWELL_DATA_DIR": str(FOLDER / "data"), "HOME": home, "USERPROFILE": home}


def main() -> int:
    question = os.environ.get("QUESTION", "").strip() or QUESTION
    environ = build_environment()
    sys.stdout.write(f"\nQuestion: {question}\n")
    if online():
        sys.stdout.write("Researching on the web with the keyless defaults.\n\n")
        sys.stdout.flush()
        return research(question, environ)
    sys.stdout.write(
        "No internet here: this answer comes from the bundled loopback web (tests/internet),\n"
        "a small collection of real pages of ours served on this machine.\n\n"
    )
    sys.stdout.flush()
    with Internet(spread=True) as internet:
        return research(question, environ | internet.env())


if __name__ == "__main__":
    sys.exit(main())
