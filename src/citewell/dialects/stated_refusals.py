"""Turns a refused request into an error that repeats what the upstream said about it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from citewell.errors import RejectedRequest
from citewell.net.http.messages import HttpResponse
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.safety.secret_masking import mask_secrets

_MAX_STATEMENT_CHARS = 300
_MAX_STATEMENT_DEPTH = 4
_STATEMENT_KEYS = ("error_message", "message", "detail", "error", "label", "title", "reason")


def build_stated_refusal(response: HttpResponse) -> RejectedRequest:
    """The error for a status such as 400 or 413, with the upstream's own words if it gave any.

    The words are one line without markup, at most 300 characters, and keys in them are masked.
    """
    said = _find_statement(response.body.decode("utf-8", "replace"))
    words = mask_secrets(said[:_MAX_STATEMENT_CHARS]).rstrip(". ")
    message = (
        f"The upstream refused this request: {words}."
        if words
        else ("The upstream refused this request.")
    )
    return RejectedRequest(message, provider=response.provider, detail=f"HTTP {response.status}")


def _find_statement(text: str) -> str:
    try:
        stated = _pick_text([json.loads(text)])
    except (ValueError, RecursionError):
        stated = "" if text.lstrip().startswith("<") else text  # a page says nothing useful
    return " ".join(clean_markup(stated).split())


def _pick_text(values: Iterable[object], depth: int = 0) -> str:
    """The first text under one of the usual keys of an error, or the first text of a list."""
    for value in values:
        if isinstance(value, str) and value.strip():
            return value
        if depth < _MAX_STATEMENT_DEPTH and (found := _pick_text(_list_children(value), depth + 1)):
            return found
    return ""


def _list_children(value: object) -> list[object]:
    if isinstance(value, dict):
        return [value[key] for key in _STATEMENT_KEYS if key in value]
    return value if isinstance(value, list) else []
