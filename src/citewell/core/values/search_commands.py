"""How a search tool looks as a command: the options of its arguments, and its records on a terminal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FIELD_DEFAULT = object()  # an option has the default of its argument


@dataclass(frozen=True, slots=True)
class CommandOption:
    """Marks an argument of a tool as an option of its command; the first marked one is positional."""

    help: str = ""  # without one, the description of the argument
    flag: str = ""  # such as "-t --type", if it is not just named after the argument
    default: object = FIELD_DEFAULT
    fold: Callable[[str], str] | None = None  # applied to a value before it is sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One record as a person sees it: title, address, a line of facts, and its text; blanks are left out."""

    title: str
    url: str | None = None
    facts: tuple[str | None, ...] = ()
    lines: tuple[str | None, ...] = ()
    preview_url: str | None = None  # of a small picture, for terminals that can show one


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """A line between the records of an answer."""

    text: str = ""
    style: str = ""
    unwrapped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCommand:
    """The command of a search tool; its options are the arguments that are marked as CommandOption."""

    name: str
    tool: str
    help: str
    show_answer: Callable[[Mapping[str, Any]], Iterable[Card | TextLine]]  # of the wire form
    doing: str = "Searching"  # beside the spinner
    # Loads the pictures at these addresses with the app, for the terminals that can show them.
    fetch_previews: Callable[[Any, Sequence[str]], Awaitable[Sequence[bytes | None]]] | None = None
    # Changes the options by name of their arguments, where the command has a choice of its own.
    adjust_arguments: Callable[[dict[str, Any]], dict[str, Any]] | None = None
