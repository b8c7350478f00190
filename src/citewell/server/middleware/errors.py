"""Failures as the client sees them: one plain sentence, a blank line, and the error block."""

from __future__ import annotations

import json
import logging

from citewell.errors import CitewellError, InternalError
from citewell.server.pipeline import Invocation, Outcome, Proceed
from citewell.text.secrets import masked

logger = logging.getLogger(__name__)


class Errors:
    """Turns a raised error into an `isError` outcome; a fault of ours is logged whole, shown short."""

    async def __call__(self, invocation: Invocation, proceed: Proceed) -> Outcome:
        try:
            return await proceed(invocation)
        except CitewellError as error:
            return rendered(error)
        except Exception:  # the last line of defence: one bad call must not end the process
            logger.exception("tool %s failed unexpectedly", invocation.name)
            return rendered(
                InternalError(
                    f"{invocation.name} failed because of a fault in the server itself. The server's log has the details."
                )
            )


def rendered(error: CitewellError) -> Outcome:
    """A sentence and the block; spec 2's own errors are one object under their code instead."""
    if error.code is not None:
        text = _json({"error": error.code, "message": error.message, **error.block()})
    else:
        text = f"{masked(error.message)}\n\n{_json({'error': error.block()})}"
    return Outcome(text=text, is_error=True, meta={"errorKind": error.kind})


def _json(value: dict[str, object]) -> str:
    return masked(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
