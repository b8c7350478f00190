"""Renders the reference page of errors: each kind, whether to retry, and what to do."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from citewell import errors
from citewell.errors import CitewellError
from citewell.server.reference.page_markdown import (
    format_code,
    format_code_list,
    join_page_parts,
    render_reference_table,
)

_ERRORS_INTRO = (
    "A failed call has `isError` set. Its text is one plain sentence, a blank line, and a JSON object "
    '`{"error": {"kind", "retryable", "retryAfterSeconds", "suggestedAction", "provider", "alternatives"}}`; what is '
    "not known is left out. The errors of deep research (those with a code) are one JSON object "
    '`{"error": CODE, "message", "kind", "retryable", …}` with the fields their tool promises. '
    "An empty result is no error: it carries `hints` that say why nothing came."
)


def render_errors_page() -> str:
    found = sorted(list_error_classes(), key=lambda cls: (cls.kind, cls.__name__))
    overview = render_reference_table(
        ("Kind", "Error", "When", "Retry", "Suggested action", "Code"),
        [
            (
                format_code(cls.kind),
                cls.__name__,
                _describe_error_class(cls),
                _describe_retry(cls),
                format_code(cls.action),
                format_code(cls.code) if cls.code else "",
            )
            for cls in found
        ],
    )
    kinds = format_code_list(sorted({cls.kind for cls in found}))
    actions = format_code_list(sorted({cls.action for cls in found}))
    return join_page_parts(
        "Errors", _ERRORS_INTRO, overview, f"Kinds: {kinds}.", f"Actions: {actions}."
    )


def list_error_classes() -> Iterator[type[CitewellError]]:
    """All error classes that can reach a caller, which leaves out the two base classes."""
    for cls in vars(errors).values():
        if (
            inspect.isclass(cls)
            and issubclass(cls, CitewellError)
            and cls not in {CitewellError, errors.UpstreamError}
        ):
            yield cls


def _describe_error_class(cls: type[CitewellError]) -> str:
    return " ".join((cls.__dict__.get("__doc__") or "").split())


def _describe_retry(cls: type[CitewellError]) -> str:
    if not cls.retryable:
        return "no"
    return (
        f"yes, after {cls.default_delay:g} s unless it says otherwise"
        if cls.default_delay
        else "yes"
    )
