"""How a command ends: an exit code that means something, and advice on stderr."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import typer

from citewell.errors import CitewellError
from citewell.text.markup import visible
from citewell.text.secrets import masked

OK = 0
NOTHING = 1  # nothing found, or a check failed
USAGE = 2  # wrong usage or configuration
UPSTREAM = 3
FAULT = 70  # ours; the number is sysexits' EX_SOFTWARE
INTERRUPTED = 130

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
    """The command with its return value, its errors and Ctrl-C turned into exit codes."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            code = command(*args, **kwargs)
        except CitewellError as error:
            complain(error.message, error.block())
            code = code_of(error.kind)
        except KeyboardInterrupt:
            code = INTERRUPTED
        raise typer.Exit(code)

    return run
