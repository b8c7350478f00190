"""Becomes a text recognition program after restricting itself; a process of its own runs this.

The restrictions stay in force in the program: memory, processor time, no files, no network.
"""

from __future__ import annotations

import os
import sys

from citewell.workers.sandbox import enter_program_sandbox


def start_program() -> None:
    memory, seconds, parent, program, *arguments = sys.argv[1:]
    enter_program_sandbox(
        memory_bytes=int(memory), cpu_seconds=int(seconds), parent_pid=int(parent)
    )
    os.execv(program, [program, *arguments])  # noqa: S606 - the path was found by the server


if __name__ == "__main__":
    start_program()
