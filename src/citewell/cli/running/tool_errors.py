"""Prints the error of a tool: message and advice on stderr, and JSON if wanted."""

from __future__ import annotations

from citewell.cli.running import exit_codes
from citewell.cli.terminal import screen
from citewell.server.pipeline import ToolError


def print_tool_error(error: ToolError, *, as_json: bool) -> int:
    """Print the error and return the exit code."""
    if as_json:
        screen.print_json({"error": {"message": error.message, **error.block}})
    exit_codes.print_error(error.message, error.block)
    return exit_codes.find_exit_code(error.block["kind"])
