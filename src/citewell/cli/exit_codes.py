"""Exit codes of commands and of gates, and error messages with advice on stderr."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from citewell.core import environment
from citewell.core.errors import CitewellError
from citewell.core.values.counted_words import pluralize
from citewell.text.safety.secret_masking import mask_secrets
from citewell.text.safety.text_cleaning import extract_visible_text

AllowUnchecked = Annotated[
    bool,
    typer.Option(
        "--allow-unchecked", help="Exit with 0, not 3, if something could not be checked."
    ),
]

OK = 0
NOTHING_FOUND = 1  # nothing found, or a check failed
WRONG_USAGE = 2  # wrong usage or configuration
UPSTREAM_FAILED = UNCHECKED = 3  # an upstream failed, so that something could not be checked
INTERNAL_FAULT = 70  # a bug in Citewell; EX_SOFTWARE of sysexits
IO_FAILED = 74  # EX_IOERR of sysexits
INTERRUPTED = 130
OUTPUT_CLOSED = 141  # what a shell reports for a program that SIGPIPE ended

_CODES_BY_ERROR_KIND = {
    "config": WRONG_USAGE,
    "validation": WRONG_USAGE,
    "browser_unavailable": WRONG_USAGE,
    "not_found": NOTHING_FOUND,
    "session_not_found": NOTHING_FOUND,
    "internal": INTERNAL_FAULT,
}

_ADVICE_BY_ACTION = {
    "retry": "Try again.",
    "check_api_key": "Check the setting that is named; `citewell doctor` shows what is set and what is missing.",
    "try_different_provider": "Choose another provider with --provider; `citewell doctor` shows which ones work.",
    "report_bug": "This is a bug in Citewell. Please report it with the message above.",
}


def find_exit_code(kind: str) -> int:
    """The exit code for an error of this kind; UPSTREAM_FAILED for kinds without a code of their own."""
    return _CODES_BY_ERROR_KIND.get(kind, UPSTREAM_FAILED)


def print_error(message: str, block: Mapping[str, Any]) -> None:
    """Print the message and the advice for its error block to stderr, with secrets masked."""
    sys.stderr.write(f"citewell: {extract_visible_text(mask_secrets(message))}\n")
    if advice := describe_next_action(block):
        sys.stderr.write(f"{extract_visible_text(mask_secrets(advice))}\n")


def describe_next_action(block: Mapping[str, Any]) -> str:
    """What to do next, as a sentence; empty if there is no advice."""
    action = str(block.get("suggestedAction", ""))
    if action == "retry_after_delay":
        return f"Try again in {block.get('retryAfterSeconds', 60)} {pluralize(block.get('retryAfterSeconds', 60), 'second')}, or choose another provider."
    others = ", ".join(block.get("alternatives", ()))
    if action == "try_different_provider" and others:
        return f"Try --provider with one of: {others}."
    return _ADVICE_BY_ACTION.get(action, "")


def wrap_command(command: Callable[..., int]) -> Callable[..., None]:
    """The command with its return value, its errors and Ctrl-C turned into exit codes.

    Unexpected errors are raised further, to `__main__`. The others must be handled here, because
    the parser would give them its own exit codes.
    """

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            code = command(*args, **kwargs)
            sys.stdout.flush()
        except (CitewellError, KeyboardInterrupt, BrokenPipeError) as error:
            code = report_failure(error)
        raise typer.Exit(code)

    return run


def report_failure(error: BaseException) -> int:
    """Print what ended the program to stderr and return the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, CitewellError):
        print_error(error.message, error.build_error_block())
        return find_exit_code(error.kind)
    if _is_debug_logging():
        sys.stderr.write(mask_secrets("".join(traceback.format_exception(error))))
    if isinstance(error, BrokenPipeError):
        _redirect_stdout_to_null()
        return OUTPUT_CLOSED
    if isinstance(error, OSError):
        _redirect_stdout_to_null()
        what = f" {error.filename}" if error.filename else ""
        reason = error.strerror or type(error).__name__
        print_error(f"Reading or writing{what} failed: {reason}.", {})
        return IO_FAILED
    message = f"{type(error).__name__} was raised unexpectedly. Set LOG_LEVEL=debug to see where."
    print_error(message, {"suggestedAction": "report_bug"})
    return INTERNAL_FAULT


def _is_debug_logging() -> bool:
    with contextlib.suppress(environment.UnusableSettingsFile):
        return environment.load_raw_settings(os.environ).get("LOG_LEVEL", "").lower() == "debug"
    return False


def _redirect_stdout_to_null() -> None:
    """Discard unwritten output; otherwise Python tries again at exit and prints another error."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


# How commands that others rely on as a gate end: never with success for what was not checked.


def choose_gate_exit(*, is_wrong: bool, unchecked_count: int, allow_unchecked: bool) -> int:
    """1 if something is wrong; otherwise 3 if something could not be checked and must be."""
    if is_wrong:
        return NOTHING_FOUND
    if not unchecked_count or allow_unchecked:
        return OK
    things = "1 item" if unchecked_count == 1 else f"{unchecked_count:,} items"
    sys.stderr.write(
        f"citewell: {things} could not be checked; --allow-unchecked exits with 0 all the same.\n"
    )
    return UNCHECKED
