"""The page of errors: each kind, whether to retry, and what to do."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from citewell import errors
from citewell.errors import CitewellError
from citewell.server.reference.markdown import code, codes, document, table

_INTRO = (
    "A failed call has `isError` set. Its text is one plain sentence, a blank line, and a JSON object "
    '`{"error": {"kind", "retryable", "retryAfterSeconds", "suggestedAction", "provider", "alternatives"}}`; what is '
    "not known is left out. The errors of deep research (those with a code) are one JSON object "
    '`{"error": CODE, "message", "kind", "retryable", …}` with the fields their tool promises. '
    "An empty result is no error: it carries `hints` that say why nothing came."
)


def page() -> str:
    found = sorted(classes(), key=lambda cls: (cls.kind, cls.__name__))
    overview = table(
        ("Kind", "Error", "When", "Retry", "Suggested action", "Code"),
        [
            (
                code(cls.kind),
                cls.__name__,
                _meaning(cls),
                _retry(cls),
                code(cls.action),
                code(cls.code) if cls.code else "",
            )
            for cls in found
        ],
    )
    kinds = codes(sorted({cls.kind for cls in found}))
    actions = codes(sorted({cls.action for cls in found}))
    return document("Errors", _INTRO, overview, f"Kinds: {kinds}.", f"Actions: {actions}.")


def classes() -> Iterator[type[CitewellError]]:
    """Every error that can reach a caller by its own name; the two bases cannot."""
    for cls in vars(errors).values():
        if (
            inspect.isclass(cls)
            and issubclass(cls, CitewellError)
            and cls not in {CitewellError, errors.UpstreamError}
        ):
            yield cls


def _meaning(cls: type[CitewellError]) -> str:
    return " ".join((cls.__dict__.get("__doc__") or "").split())


def _retry(cls: type[CitewellError]) -> str:
    if not cls.retryable:
        return "no"
    return (
        f"yes, after {cls.default_delay:g} s unless it says otherwise"
        if cls.default_delay
        else "yes"
    )
