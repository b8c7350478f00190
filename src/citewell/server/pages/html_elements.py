"""Builds HTML in which every value is escaped, unless it was built here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID_TAGS = frozenset({"br", "input", "link", "meta"})


class SafeMarkup(str):
    """Text that is HTML already. Only this module and constants of the code make it."""

    __slots__ = ()


def build_element(
    tag: str, *children: str | None, **attributes: str | float | bool | None
) -> SafeMarkup:
    """An element. Children that are not SafeMarkup are escaped; attributes are escaped always.

    An underscore in the name of an attribute stands for a hyphen, and one at its end is dropped.
    None and False leave an attribute out; True writes its name alone.
    """
    written = "".join(
        _render_attribute(name.rstrip("_").replace("_", "-"), value)
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    if tag in _VOID_TAGS:
        return SafeMarkup(f"<{tag}{written}>")
    return SafeMarkup(f"<{tag}{written}>{join_markup(children)}</{tag}>")


def join_markup(children: Iterable[str | None]) -> SafeMarkup:
    """All children in a row; those that are not SafeMarkup are escaped, None is left out."""
    return SafeMarkup("".join(escape_text(child) for child in children if child is not None))


def escape_text(text: str) -> SafeMarkup:
    return text if isinstance(text, SafeMarkup) else SafeMarkup(escape(text, quote=False))


def _render_attribute(name: str, value: str | float) -> str:
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
