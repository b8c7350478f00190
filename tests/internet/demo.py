"""`make run`: one question researched and answered with cited sources, over the bundled web where there is no other.

The question comes in the environment, where no shell reads it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile

from tests.internet.serve import Internet

QUESTION = "How does HTTP caching work?"
PROBE = ("html.duckduckgo.com", 443)


def online() -> bool:
    """Whether the keyless default provider can be reached from here."""
    try:
        with socket.create_connection(PROBE, timeout=3):
            return True
    except OSError:
        return False


def research(question: str, environ: dict[str, str]) -> int:
    """The program itself, as a user would run it."""
    command = [sys.executable, "-m", "citewell", "research", "--tier=S", "--provider=local"]
    command += ["--", question]
    return subprocess.run(command, env=environ, check=False).returncode


def main() -> int:
    question = os.environ.get("QUESTION", "").strip() or QUESTION
    sys.stdout.write(f"\nQuestion: {question}\n")
    if online():
        sys.stdout.write("Researching on the web with the keyless defaults.\n\n")
        sys.stdout.flush()
        return research(question, dict(os.environ))
    sys.stdout.write(
        "No internet here: this answer comes from the bundled loopback web (tests/internet),\n"
        "a small collection of real pages of ours served on this machine.\n\n"
    )
    sys.stdout.flush()
    with Internet(spread=True) as internet, tempfile.TemporaryDirectory() as data:
        return research(question, dict(os.environ) | internet.env() | {"CITEWELL_DATA_DIR": data})


if __name__ == "__main__":
    sys.exit(main())
