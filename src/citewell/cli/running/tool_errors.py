"""Prints the error of a tool: message and advice on stderr, and JSON if wanted."""

from __future__ import annotations

import json

from citewell.cli.running import exit_codes
from citewell.cli.terminal import screen
from citewell.server.pipeline import ToolOutcome


def print_tool_error(outcome: ToolOutcome, *, as_json: bool) -> int:
    """Print the error and return the exit code. The text holds the error block as JSON after a blank line."""
    message, _, rest = (outcome.text or "").partition("\n\n")
    block = json.loads(rest)["error"]
    if as_json:
        screen.print_json({"error": {"message": message} | block})
    exit_codes.print_error(message, block)
    return exit_codes.find_exit_code(block["kind"])
