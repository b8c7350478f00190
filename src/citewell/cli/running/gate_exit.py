"""How commands that others rely on as a gate end: never with success for what was not checked."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from citewell.cli.running import exit_codes

AllowUnchecked = Annotated[
    bool,
    typer.Option(
        "--allow-unchecked", help="Exit with 0, not 3, if something could not be checked."
    ),
]


def choose_gate_exit(*, is_wrong: bool, unchecked_count: int, allow_unchecked: bool) -> int:
    """1 if something is wrong; otherwise 3 if something could not be checked and must be."""
    if is_wrong:
        return exit_codes.NOTHING_FOUND
    if not unchecked_count or allow_unchecked:
        return exit_codes.OK
    things = "1 item" if unchecked_count == 1 else f"{unchecked_count:,} items"
    sys.stderr.write(
        f"citewell: {things} could not be checked; --allow-unchecked exits with 0 all the same.\n"
    )
    return exit_codes.UNCHECKED
