"""Questions that providers answer with citations, and the checked answer as callers receive it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from citewell.core.values.wire_values import UNTRUSTED_LABEL, LongText, Spine, WireValue

ANSWER_TIMEOUT_SECONDS = 70.0  # for a provider to answer


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQuery:
    """One question to one provider."""

    text: str
    count: int = 10  # pages to cite at most
    tag: str = ""  # sent as idempotency key where the provider takes one
    timeout_seconds: float = ANSWER_TIMEOUT_SECONDS


class AnswerCitation(WireValue):
    """A page that the answer cites as [n], n counted from 1, and what it says to the answer."""

    url: str
    title: str | None = None
    published_date: str | None = None
    checked: bool  # False if the page could not be compared; then `reason` says why
    relation: str | None = None  # supports, contradicts, qualifies or mentions
    snippet: LongText | None = None  # of the page, word for word
    score: float | None = None  # 0 to 1, of the support
    judge: str | None = None  # who found the relation: lexical, nli or model:<provider>
    reason: str | None = None
    unsupported: tuple[LongText, ...] | None = None  # sentences that cite it without its support


class GroundedAnswer(WireValue):
    """What answer returns."""

    answer: Spine[str]
    citations: Spine[tuple[AnswerCitation, ...]]
    provider: str
    cost_usd: float | None = None  # of a metered provider; an estimate, not an invoice
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
