from __future__ import annotations

import pytest
import typer

from citewell.cli import exit_codes, main
from citewell.cli.exit_codes import describe_next_action, find_exit_code, wrap_command
from citewell.core import errors


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidInput("x"), 2),
        (errors.Misconfigured("x"), 2),
        (errors.NotFound("x"), 1),
        (errors.RateLimited("x"), 3),
        (errors.NetworkFailed("x"), 3),
        (errors.Blocked("x"), 3),
        (errors.AuthRequired("x"), 3),
        (errors.InternalError("x"), 70),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 141),
    ],
)
def test_every_way_to_fail_has_its_exit_code(error: BaseException, code: int) -> None:
    def command() -> int:
        raise error

    with pytest.raises(typer.Exit) as end:
        wrap_command(command)()

    assert end.value.exit_code == code


@pytest.mark.parametrize(
    ("error", "code", "wanted_text"),
    [
        (OSError(28, "No space left on device"), 74, "No space left on device"),
        (PermissionError(13, "Permission denied", "/a/b"), 74, "/a/b failed: Permission denied"),
        (KeyError("api_key=abcdefgh12345"), 70, "KeyError"),
    ],
)
def test_an_unexpected_end_is_told_in_a_sentence(
    error: Exception, code: int, wanted_text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_codes.report_failure(error) == code

    shown = capsys.readouterr().err
    assert wanted_text in shown
    assert "Traceback" not in shown
    assert "abcdefgh12345" not in shown


def test_the_traceback_of_a_fault_is_shown_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOG_LEVEL", "debug")

    assert exit_codes.report_failure(KeyError("api_key=abcdefgh12345")) == 70

    shown = capsys.readouterr().err
    assert "KeyError: " in shown
    assert "abcdefgh12345" not in shown


def test_a_key_in_a_message_is_masked(capsys: pytest.CaptureFixture[str]) -> None:
    exit_codes.print_error("refused api_key=abcdefgh12345", {"suggestedAction": "inform_user"})

    assert "abcdefgh12345" not in capsys.readouterr().err


def test_advice_names_the_alternatives() -> None:
    block = {"suggestedAction": "try_different_provider", "alternatives": ["wikipedia", "tavily"]}

    assert describe_next_action(block) == "Try --provider with one of: wikipedia, tavily."


def test_every_kind_has_a_code() -> None:
    kinds = {
        cls.kind for cls in vars(errors).values() if isinstance(cls, type) and hasattr(cls, "kind")
    }

    assert {find_exit_code(kind) for kind in kinds} == {1, 2, 3, 70}


def test_a_command_line_without_a_command_shows_help_and_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = main([])

    assert code == 2
    assert "doctor" in "".join(capsys.readouterr())


def test_help_documents_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["search", "--help"])

    shown = " ".join(capsys.readouterr().out.split())
    assert code == 0
    assert "3 an upstream failed" in shown
    assert "74 reading or writing failed" in shown
    assert "130 interrupted" in shown


def test_an_unknown_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "--nonsense"]) == 2
    assert "--nonsense" in capsys.readouterr().err
