"""A tool's refusal as a command shows it: the sentence and advice on stderr, JSON on request."""

from __future__ import annotations

import json

from citewell.cli import exits, screen
from citewell.server.pipeline import Outcome


def refused(outcome: Outcome, *, as_json: bool) -> int:
    """The exit code; the error block is JSON after a blank line, as every client gets it."""
    message, _, rest = (outcome.text or "").partition("\n\n")
    block = json.loads(rest)["error"]
    if as_json:
        screen.say_json({"error": {"message": message} | block})
    exits.complain(message, block)
    return exits.code_of(block["kind"])
