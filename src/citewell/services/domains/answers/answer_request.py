"""The request of one question, and its check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import OptionalName, QueryText
from citewell.services.web.search_request import clean_query_text, normalize_provider_name


@dataclass(frozen=True, kw_only=True)
class AnswerRequest:
    """One question, as the caller wrote it; the arguments of answer."""

    query: QueryText
    provider: Annotated[
        OptionalName,
        Field(
            description="Needed only if several are configured. local: quotations, free, no model."
        ),
    ] = None


def check_answer_request(ask: AnswerRequest) -> AnswerRequest:
    """The request with its texts cleaned; raises InvalidInput if a value is invalid."""
    check_declared_bounds(ask)
    return replace(
        ask,
        query=clean_query_text(ask.query),
        provider=normalize_provider_name(ask.provider),
    )
