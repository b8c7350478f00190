"""Turns refusals of upstreams into errors that repeat what was said or name the setting to change."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from citewell.core.errors import (
    CitewellError,
    MalformedResponse,
    Misconfigured,
    NotFound,
    OutOfCredit,
    RejectedRequest,
)
from citewell.net.http.file_downloads import check_status
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import A, read_json_response
from citewell.text.safety.secret_masking import mask_secrets
from citewell.text.safety.text_cleaning import clean_markup

REFUSED_STATUSES = (400, 413)  # their body says what was wrong with the request
_MAX_STATEMENT_CHARS = 300
_MAX_STATEMENT_DEPTH = 4
_STATEMENT_KEYS = ("error_message", "message", "detail", "error", "label", "title", "reason")

M = TypeVar("M", bound=BaseModel)

EXPLAINED_STATUSES = frozenset({400, 404, 422, 429})  # statuses whose body explains the error
_MAX_UPSTREAM_MESSAGE_CHARS = 300  # of an upstream's own error text
_UNKNOWN_MODEL_PATTERN = re.compile(
    r"model[_ ]not[_ ]found|(?:model|agent)\b.{0,80}(?:does not exist|not found|not supported|deprecated|retired|shut down"
    r"|no longer available|invalid)|(?:unknown|invalid|unsupported) (?:model|agent)|^model: ",
    re.IGNORECASE,
)  # fmt: skip
_NO_CREDIT_PATTERN = re.compile(
    r"insufficient[_ ](?:quota|credit|balance|funds)|billing|exceeded your current quota|credit balance is too low",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidAccount:
    """A provider of a paid API, its model, and the setting that chooses the model."""

    provider: str
    title: str
    model: str
    model_setting: str


def read_paid_response(response: HttpResponse, account: PaidAccount) -> dict[str, Any]:
    """The response as a JSON object; an error body is raised as the error the user can act on."""
    if response.status in EXPLAINED_STATUSES:
        refusal = _read_refusal_message(response)
        if response.status != 429 or _NO_CREDIT_PATTERN.search(refusal):  # OpenAI uses 429 for both
            raise build_refusal_error(refusal, response.status, account)
        check_status(response, provider=account.provider, accept=(), now=time.time)
    answer = response.parse_json()
    if not isinstance(answer, dict):
        raise MalformedResponse(
            "The response is JSON, but not the documented object.", provider=account.provider
        )
    return answer


def validate_response(model: type[M], answer: Any, account: PaidAccount) -> M:
    try:
        return model.model_validate(answer)
    except ValidationError:
        message = "The response does not have the documented form."
        raise MalformedResponse(message, provider=account.provider) from None


def build_refusal_error(
    refusal: str, status: int | None, account: PaidAccount, *, otherwise: str = ""
) -> CitewellError:
    """The error that an upstream's message and status mean.

    `otherwise` is our own description of the failure, for an upstream that gives no message.
    """
    detail = f"HTTP {status}: {refusal}" if status else refusal or otherwise
    if _UNKNOWN_MODEL_PATTERN.search(refusal):
        return Misconfigured(
            f"{account.title} does not offer the model {account.model!r}: set {account.model_setting}"
            " to a model that it offers.",
            provider=account.provider,
            action="inform_user",
            detail=detail,
            http_status=status,
            settings=(account.model_setting,),
        )
    if _NO_CREDIT_PATTERN.search(refusal):
        return OutOfCredit(
            f"The account with {account.title} has no credit left.",
            provider=account.provider,
            detail=detail,
            http_status=status,
        )
    kind: type[CitewellError] = NotFound if status == 404 else RejectedRequest
    message = f"{account.title} refused the request."
    if status == 404:
        message = f"{account.title} has no such record."
    elif otherwise and not refusal:
        message = f"{account.title} sent no report. {otherwise}"
    return kind(message, provider=account.provider, detail=detail, http_status=status)


def extract_error_message(error: Any) -> str:
    """The message of an error object: cleaned, without secrets, and shortened."""
    if isinstance(error, dict):
        parts = [error.get(name) for name in ("code", "type", "message", "status", "detail")]
        error = " ".join(part for part in parts if isinstance(part, str))
    return mask_secrets(clean_markup(error if isinstance(error, str) else ""))[
        :_MAX_UPSTREAM_MESSAGE_CHARS
    ]


def _read_refusal_message(response: HttpResponse) -> str:
    try:
        answer = response.parse_json()
    except MalformedResponse:
        return extract_error_message(response.decode_text()[: 4 * _MAX_UPSTREAM_MESSAGE_CHARS])
    if isinstance(answer, list):  # Google sometimes wraps errors in a list
        answer = answer[0] if answer else {}
    if not isinstance(answer, dict):
        return ""
    return extract_error_message(answer.get("error") or answer.get("detail") or answer)


# Turns a refused request into an error that repeats what the upstream said about it.


def build_stated_refusal(response: HttpResponse) -> RejectedRequest:
    """The error for a status such as 400 or 413, with the upstream's own words if it gave any.

    The words are one line without markup, at most 300 characters, and keys in them are masked.
    """
    statement = _find_statement(response.body.decode("utf-8", "replace"))
    words = mask_secrets(statement[:_MAX_STATEMENT_CHARS]).rstrip(". ")
    message = (
        f"The upstream refused this request: {words}."
        if words
        else ("The upstream refused this request.")
    )
    return RejectedRequest(message, provider=response.provider, detail=f"HTTP {response.status}")


def read_stated_json(model: type[A], response: HttpResponse) -> A:
    """The response as `model`; raises what the upstream said about a refused request."""
    if response.status in REFUSED_STATUSES:
        raise build_stated_refusal(response)
    return read_json_response(model, response)


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
