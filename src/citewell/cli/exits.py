"""How a command ends: an exit code that means something, and advice on stderr."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import typer

from citewell import environment
from citewell.errors import CitewellError
from citewell.text.markup import visible
from citewell.text.secrets import masked

OK = 0
NOTHING = 1  # nothing found, or a check failed
USAGE = 2  # wrong usage or configuration
UPSTREAM = 3
FAULT = 70  # ours; the number is sysexits' EX_SOFTWARE
UNWRITTEN = 74  # sysexits' EX_IOERR
INTERRUPTED = 130
UNREAD = 141  # what a shell shows for a program that SIGPIPE ended

_BY_KIND = {
    "config": USAGE,
    "validation": USAGE,
    "browser_unavailable": USAGE,
    "not_found": NOTHING,
    "session_not_found": NOTHING,
    "internal": FAULT,
}

_ADVICE = {
    "retry": "Try again.",
    "check_api_key": "Look at the setting it names; `citewell doctor` shows what is set and what is missing.",
    "try_different_provider": "Try another provider with --provider; `citewell doctor` shows which work.",
    "report_bug": "This is a fault in Citewell. Please report it with what stands above.",
}


def code_of(kind: str) -> int:
    """The exit code for an error of this kind; whatever is not ours or the caller's is an upstream's."""
    return _BY_KIND.get(kind, UPSTREAM)


def complain(message: str, block: Mapping[str, Any]) -> None:
    """The sentence and what to do next, on stderr."""
    sys.stderr.write(f"citewell: {visible(masked(message))}\n")
    if advice := advise(block):
        sys.stderr.write(f"{visible(masked(advice))}\n")


def advise(block: Mapping[str, Any]) -> str:
    """What to do next, in words; empty where the sentence has said it."""
    action = str(block.get("suggestedAction", ""))
    if action == "retry_after_delay":
        return (
            f"Try again in {block.get('retryAfterSeconds', 60)} seconds, or name another provider."
        )
    others = ", ".join(block.get("alternatives", ()))
    if action == "try_different_provider" and others:
        return f"Try --provider with one of: {others}."
    return _ADVICE.get(action, "")


def ended(command: Callable[..., int]) -> Callable[..., None]:
    """The command with its return value, its errors and Ctrl-C turned into exit codes.

    Faults of ours go on to `__main__`; the parser would turn the others into codes of its own.
    """

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            code = command(*args, **kwargs)
            sys.stdout.flush()
        except (CitewellError, KeyboardInterrupt, BrokenPipeError) as error:
            code = failed(error)
        raise typer.Exit(code)

    return run


def failed(error: BaseException) -> int:
    """The exit code for whatever ended the program, and the sentence a person needs with it."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, CitewellError):
        complain(error.message, error.block())
        return code_of(error.kind)
    if _debugging():
        sys.stderr.write(masked("".join(traceback.format_exception(error))))
    if isinstance(error, BrokenPipeError):
        _abandon_stdout()
        return UNREAD
    if isinstance(error, OSError):
        _abandon_stdout()
        complain(_unwritten(error), {})
        return UNWRITTEN
    told = f"{type(error).__name__} was raised and not expected; LOG_LEVEL=debug shows where."
    complain(told, {"suggestedAction": "report_bug"})
    return FAULT


def _unwritten(error: OSError) -> str:
    what = f" {error.filename}" if error.filename else ""
    return f"Reading or writing{what} failed: {error.strerror or type(error).__name__}."


def _debugging() -> bool:
    with contextlib.suppress(environment.Unusable):
        return environment.load(os.environ).get("LOG_LEVEL", "").lower() == "debug"
    return False


def _abandon_stdout() -> None:
    """What cannot be written goes nowhere, or Python would try once more at its end, and say so."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
