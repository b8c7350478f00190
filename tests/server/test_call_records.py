"""A failed call keeps its error as data beside the text that the client gets."""

from __future__ import annotations

import json

import pytest

from citewell.cli.tool_command import print_tool_error
from citewell.core.errors import CitewellError, JobNotFound, RateLimited
from citewell.server.call_records import render_error
from citewell.server.call_values import ToolError

MESSAGE = "Two paragraphs.\n\nThis is the second."


@pytest.mark.parametrize(
    "error", [RateLimited(MESSAGE, retry_after=7, provider="p"), JobNotFound(MESSAGE)]
)
def test_the_error_is_there_without_taking_the_text_apart(error: CitewellError) -> None:
    outcome = render_error(error)

    assert outcome.is_error
    assert outcome.error == ToolError(message=MESSAGE, block=error.build_error_block())


def test_secrets_are_masked_in_the_error_as_in_the_text() -> None:
    key = "sk-proj-0123456789abcdefghijklmnopqrstuv"
    outcome = render_error(RateLimited(f"Bearer {key}", detail=f"Bearer {key}"))

    assert outcome.error is not None
    assert key not in outcome.error.message + json.dumps(dict(outcome.error.block))


def test_the_command_line_prints_an_error_that_has_a_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    error = render_error(JobNotFound("No such job.")).error
    assert error is not None

    code = print_tool_error(error, as_json=True)

    shown = capsys.readouterr()
    assert (code, "No such job." in shown.err) == (1, True)
    assert json.loads(shown.out)["error"]["kind"] == "not_found"
