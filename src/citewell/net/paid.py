"""Paid model APIs: what a refusal in an answer's body means, and which setting mends it."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from citewell.errors import (
    BadShape,
    CitewellError,
    Misconfigured,
    NotFound,
    OutOfCredit,
    RejectedRequest,
)
from citewell.net.message import Response
from citewell.net.verdict import judge
from citewell.text.markup import clean
from citewell.text.secrets import masked

M = TypeVar("M", bound=BaseModel)

READ_HERE = frozenset({400, 404, 422, 429})  # statuses whose body says more than the status
_LONGEST = 300  # characters of an upstream's own words
_NO_MODEL = re.compile(
    r"model[_ ]not[_ ]found|(?:model|agent)\b.{0,80}(?:does not exist|not found|not supported|deprecated|retired|shut down"
    r"|no longer available|invalid)|(?:unknown|invalid|unsupported) (?:model|agent)|^model: ",
    re.IGNORECASE,
)  # fmt: skip
_NO_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|credit|balance|funds)|billing|exceeded your current quota|credit balance is too low",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Whose API it is, and which settings choose its model and key."""

    provider: str
    title: str
    model: str
    model_setting: str


def body(response: Response, account: Account) -> dict[str, Any]:
    """The answer as an object; a refusal in it is raised as what the user can do about it."""
    if response.status in READ_HERE:
        said = _said(response)
        if response.status != 429 or _NO_CREDIT.search(said):  # OpenAI says both with a 429
            raise refusal(said, response.status, account)
        judge(response, provider=account.provider, accept=(), now=time.time)
    answer = response.parsed()
    if not isinstance(answer, dict):
        raise BadShape(
            "The answer is JSON of another kind than documented.", provider=account.provider
        )
    return answer


def shaped(model: type[M], answer: Any, account: Account) -> M:
    try:
        return model.model_validate(answer)
    except ValidationError:
        message = "The answer does not have the documented shape."
        raise BadShape(message, provider=account.provider) from None


def refusal(said: str, status: int | None, account: Account) -> CitewellError:
    """The error for what an upstream said of a failed call."""
    detail = f"HTTP {status}: {said}" if status else said
    if _NO_MODEL.search(said):
        return Misconfigured(
            f"{account.title} has no model {account.model!r} any more: set {account.model_setting}"
            " to one it offers now.",
            provider=account.provider,
            action="inform_user",
            detail=detail,
        )
    if _NO_CREDIT.search(said):
        return OutOfCredit(
            f"The account with {account.title} has no credit left.",
            provider=account.provider,
            detail=detail,
        )
    if status == 404:
        return NotFound(
            f"{account.title} has no such thing.", provider=account.provider, detail=detail
        )
    return RejectedRequest(
        f"{account.title} refused the request.", provider=account.provider, detail=detail
    )


def words(error: Any) -> str:
    """What an error object says, short, clean and without secrets."""
    if isinstance(error, dict):
        parts = [error.get(name) for name in ("code", "type", "message", "status", "detail")]
        error = " ".join(part for part in parts if isinstance(part, str))
    return masked(clean(error if isinstance(error, str) else ""))[:_LONGEST]


def _said(response: Response) -> str:
    try:
        answer = response.parsed()
    except BadShape:
        return words(response.text()[: 4 * _LONGEST])
    if isinstance(answer, list):  # Google wraps its errors in a list at times
        answer = answer[0] if answer else {}
    if not isinstance(answer, dict):
        return ""
    return words(answer.get("error") or answer.get("detail") or answer)
