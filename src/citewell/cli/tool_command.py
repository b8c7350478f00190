"""Runs one tool for a command, and derives the command of a search tool from its arguments.

A run calls the tool, prints its answer or error, and chooses the exit code.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import AnswerJson, open_command_app
from citewell.core import tooling as tools
from citewell.core.settings import CoreSettings
from citewell.core.tooling import FIELD_DEFAULT, Card, CommandOption, SearchCommand, ToolArguments

if TYPE_CHECKING:
    from citewell.server.app import App
    from citewell.server.call_values import ToolError, ToolOutcome

PrintAnswer = Callable[[Mapping[str, Any]], None]
AfterCall = Callable[["App", Mapping[str, Any]], Awaitable[None]]

# Exit codes for an empty answer by the reason in its hints; otherwise nothing was found.
_EXIT_CODES_BY_HINT = {
    "engines_failed": exit_codes.UPSTREAM_FAILED,
    "rate_limited": exit_codes.UPSTREAM_FAILED,
    "bot_wall": exit_codes.UPSTREAM_FAILED,
    "json_disabled": exit_codes.WRONG_USAGE,
    "not_configured": exit_codes.WRONG_USAGE,
}
_WORDS_BY_ACTION = {
    "broaden-query": "Try fewer or broader words.",
    "remove-filter": "Try without {}.",
    "set-argument": "Give {}.",
    "try-different-provider": "Try --provider {}.",
}


def run_search_tool(
    tool: str,
    arguments: Mapping[str, object],
    *,
    as_json: bool,
    print_answer: PrintAnswer,
    doing: str = "Searching",
    after_call: AfterCall | None = None,
) -> int:
    """Call a search tool without the arguments that are None, print what it returns, and say how it went.

    `print_answer` prints the results; hints, notes and the line of totals are printed after it.
    `after_call` gets the answer before it is printed, while the app is still open.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    outcome = asyncio.run(_call_tool(tool, given, doing, after_call))
    if outcome.error is not None:
        return print_tool_error(outcome.error, as_json=as_json)
    body = outcome.body or {}
    if as_json:
        screen.print_json(body | {"_meta": outcome.meta})
    else:
        print_answer(body)
        _print_answer_end(body, outcome.meta)
    if body.get("resultCount") or body.get("citations"):  # answer counts nothing, but cites
        return exit_codes.OK
    reason = body.get("hints", {}).get("reason", "")
    return _EXIT_CODES_BY_HINT.get(reason, exit_codes.NOTHING_FOUND)


async def _call_tool(
    tool: str, arguments: Mapping[str, object], doing: str, after_call: AfterCall | None
) -> ToolOutcome:
    async with open_command_app() as app:
        with screen.show_spinner(doing) as progress:
            outcome = await app.call_tool(tool, arguments, report=progress.update_progress)
            if after_call is not None and outcome.body:
                await after_call(app, outcome.body)
            return outcome


def print_item(
    number: int, title: str, url: str | None, facts: Sequence[str | None], lines: Sequence[str] = ()
) -> None:
    """Print one numbered result: its title, address, a line of facts, and its text."""
    screen.print_text(f"{number}. {title}", style="bold")
    if url:
        screen.print_text(f"   {url}", style="cyan", unwrapped=True)
    if line := " · ".join(fact for fact in facts if fact):
        screen.print_text(f"   {line}", style="dim")
    for text in lines:
        screen.print_text(f"   {text}")
    screen.print_text()


def _print_answer_end(body: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    if hints := body.get("hints"):
        screen.print_text(f"Nothing found ({hints['reason'].replace('_', ' ')}).", style="yellow")
        for line in (
            *hints.get("details", ()),
            *map(_word_suggested_action, hints.get("suggestedActions", ())),
        ):
            screen.print_text(f"- {line}")
    for note in body.get("notes") or ():
        screen.print_text(note, style="dim")
    screen.print_text(_describe_search_totals(body, meta), style="dim")


def _word_suggested_action(action: str) -> str:
    """A suggestion of the answer as a sentence; one of another form stays as it is."""
    verb, _, subject = action.partition(": ")
    wording = _WORDS_BY_ACTION.get(verb)
    return wording.format(subject) if wording else action


def _describe_search_totals(body: Mapping[str, Any], meta: Mapping[str, Any]) -> str:
    count = body["resultCount"] if "resultCount" in body else len(body["citations"])
    kind = "result" if "resultCount" in body else "citation"
    routing = meta.get("routing", {})
    served = f" from {routing['provider_used']}" if routing.get("provider_used") else ""
    age = f", cached {meta.get('ageSeconds', 0):.0f} s ago" if meta.get("cached") else ""
    return f"{count} {kind}{'' if count == 1 else 's'}{served}{age}"


# Prints the error of a tool: message and advice on stderr, and JSON if wanted.


def print_tool_error(error: ToolError, *, as_json: bool) -> int:
    """Print the error and return the exit code."""
    if as_json:
        screen.print_json({"error": {"message": error.message, **error.block}})
    exit_codes.print_error(error.message, error.block)
    return exit_codes.find_exit_code(error.block["kind"])


_ROWS = 6  # lines of the terminal that an image takes
_KITTY_CHUNK_CHARS = 4096  # the most that one sequence may carry
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KITTY_TERMS = frozenset({"xterm-kitty", "xterm-ghostty"})
_ITERM_PROGRAMS = frozenset({"iTerm.app", "WezTerm"})

_COUNT_FLAGS = ("-n", "--num-results")
_COUNT_ARGUMENT = "num_results"
_MAX_PREVIEWS = 20


def derive_command(module: str) -> Callable[..., int]:
    """A function with an option for each marked argument of the tool whose COMMAND the module has."""
    command: SearchCommand = import_module(module).COMMAND
    arguments = tools.load_tool(command.tool).args
    marks = _find_option_marks(arguments)

    def run(*, as_json: bool = False, **given: Any) -> int:
        wire = _build_wire_arguments(arguments, marks, given)
        if command.adjust_arguments is not None:
            wire = command.adjust_arguments(wire)
        return _run_command(command, wire, as_json=as_json)

    parameters = [
        *_list_parameters(arguments, marks),
        inspect.Parameter(
            "as_json", inspect.Parameter.KEYWORD_ONLY, annotation=AnswerJson, default=False
        ),
    ]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # read by typer
    return run


def _find_option_marks(arguments: type[ToolArguments]) -> dict[str, CommandOption]:
    return {
        name: mark
        for name, field in arguments.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, CommandOption)
    }


def _list_parameters(
    arguments: type[ToolArguments], marks: Mapping[str, CommandOption]
) -> list[inspect.Parameter]:
    names = arguments.list_argument_names()
    parameters = []
    for place, (name, mark) in enumerate(marks.items()):
        field = arguments.model_fields[name]
        kind = _find_option_type(field.annotation)
        default = field.default if mark.default is FIELD_DEFAULT else mark.default
        is_required = place == 0 and field.is_required()
        help_text = mark.help or field.description or ""
        if place == 0:
            option = typer.Argument(help=help_text)
        elif names[name][0] == _COUNT_ARGUMENT:
            option = typer.Option(*_COUNT_FLAGS, help=help_text, **_read_bounds(field))
        else:
            flags = (mark.flag or f"--{name.replace('_', '-')}").split()
            option = typer.Option(*flags, help=help_text)
        is_optional = default is None and not is_required
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=Annotated[kind | None if is_optional else kind, option],
                default=inspect.Parameter.empty if is_required else default,
            )
        )
    return parameters


def _find_option_type(declared: Any) -> Any:
    """The type of an option: int, float and bool as they are, any other value is text."""
    members = [part for part in get_args(declared) if part is not NoneType]
    if get_origin(declared) is not None and len(members) == 1:
        return _find_option_type(members[0])
    return declared if declared in (int, float, bool) else str


def _read_bounds(field: FieldInfo) -> dict[str, Any]:
    """The least and the greatest value, as the parser of options takes them."""
    return {
        word: getattr(mark, bound)
        for mark in field.metadata
        for word, bound in (("min", "ge"), ("max", "le"))
        if hasattr(mark, bound)
    }


def _build_wire_arguments(
    arguments: type[ToolArguments], marks: Mapping[str, CommandOption], given: Mapping[str, Any]
) -> dict[str, Any]:
    names = arguments.list_argument_names()
    return {
        names[name][0]: mark.fold(value) if mark.fold and value else value
        for name, mark in marks.items()
        if (value := given[name]) is not None
    }


def _run_command(command: SearchCommand, wire: dict[str, Any], *, as_json: bool) -> int:
    protocol = detect_image_protocol(os.environ, is_terminal=screen.is_terminal())
    previews: dict[str, bytes] = {}

    async def fetch_previews(app: App, body: Mapping[str, Any]) -> None:
        is_wanted = protocol is not None and not as_json and app.settings[CoreSettings].thumbnails
        if command.fetch_previews is None or not is_wanted:
            return
        cards = [each for each in command.show_answer(body) if isinstance(each, Card)]
        links = [card.preview_url for card in cards[:_MAX_PREVIEWS] if card.preview_url]
        if not links:
            return
        found = await command.fetch_previews(app, links)
        previews.update({link: data for link, data in zip(links, found, strict=True) if data})

    def print_answer(body: Mapping[str, Any]) -> None:
        number = 0
        for part in command.show_answer(body):
            if not isinstance(part, Card):
                screen.print_text(part.text, style=part.style, unwrapped=part.unwrapped)
                continue
            number += 1
            if protocol is not None and (preview := previews.get(part.preview_url or "")):
                sys.stdout.write(encode_inline_image(preview, protocol))
                sys.stdout.flush()
            print_item(
                number, part.title, part.url, part.facts, [line for line in part.lines if line]
            )

    return run_search_tool(
        command.tool,
        wire,
        as_json=as_json,
        print_answer=print_answer,
        doing=command.doing,
        after_call=fetch_previews,
    )


# Shows small images in terminals that can; the bytes are passed on to the terminal as they are.


class ImageProtocol(StrEnum):
    KITTY = "kitty"  # takes PNG only
    ITERM = "iterm"


def detect_image_protocol(environ: Mapping[str, str], *, is_terminal: bool) -> ImageProtocol | None:
    """How this terminal shows images, by what it says of itself; None in a pipe and if it says nothing."""
    if not is_terminal or environ.get("TMUX") or environ.get("TERM", "").startswith("screen"):
        return None  # a multiplexer swallows the images, or prints them as text
    if environ.get("TERM") in _KITTY_TERMS or environ.get("KITTY_WINDOW_ID"):
        return ImageProtocol.KITTY
    program = environ.get("TERM_PROGRAM", "")
    if program in _ITERM_PROGRAMS or environ.get("LC_TERMINAL") == "iTerm2":
        return ImageProtocol.ITERM
    return None


def encode_inline_image(image: bytes, protocol: ImageProtocol) -> str:
    """The sequence that shows an image; empty if the terminal does not take its format."""
    data = base64.standard_b64encode(image).decode("ascii")
    if protocol is ImageProtocol.ITERM:
        size = f"size={len(image)};height={_ROWS};preserveAspectRatio=1"
        return f"\x1b]1337;File=inline=1;{size}:{data}\a\n"
    if not image.startswith(_PNG_SIGNATURE):
        return ""
    chunks = [data[at : at + _KITTY_CHUNK_CHARS] for at in range(0, len(data), _KITTY_CHUNK_CHARS)]
    pieces = []
    for place, chunk in enumerate(chunks):
        first = f"a=T,f=100,r={_ROWS}," if place == 0 else ""
        pieces.append(f"\x1b_G{first}m={int(place + 1 < len(chunks))};{chunk}\x1b\\")
    return f"{''.join(pieces)}\n"
