"""Renders errors for the client: one sentence, a blank line, and the error block as JSON."""

from __future__ import annotations

import json
import logging

from citewell.errors import CitewellError, InternalError
from citewell.server.pipeline import NextStep, ToolError, ToolInvocation, ToolOutcome
from citewell.text.safety.secret_masking import mask_secrets

logger = logging.getLogger(__name__)


class ErrorMiddleware:
    """Turns a raised error into an `isError` outcome. Unexpected errors are logged with their traceback."""

    async def __call__(self, invocation: ToolInvocation, proceed: NextStep) -> ToolOutcome:
        try:
            return await proceed(invocation)
        except CitewellError as error:
            outcome = render_error(error)
        except Exception:  # one faulty call must not end the process
            logger.exception("tool %s failed unexpectedly", invocation.name)
            outcome = render_error(
                InternalError(
                    f"{invocation.name} failed because of a bug in the server. The server's log has the details."
                )
            )
        if routing := invocation.call.trace.to_wire():
            outcome.meta["routing"] = routing
        return outcome


def render_error(error: CitewellError) -> ToolOutcome:
    """The outcome for an error: a sentence and the error block, or one JSON object for errors with a code."""
    message, block = mask_secrets(error.message), error.build_error_block()
    if error.code is not None:
        text = _encode_masked_json({"error": error.code, "message": error.message, **block})
    else:
        text = f"{message}\n\n{_encode_masked_json({'error': block})}"
    return ToolOutcome(
        text=text,
        error=ToolError(message=message, block=json.loads(_encode_masked_json(block))),
        meta={"errorKind": error.kind},
    )


def _encode_masked_json(value: dict[str, object]) -> str:
    return mask_secrets(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
