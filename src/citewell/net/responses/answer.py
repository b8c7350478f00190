"""An answer in the Responses dialect: what was written, cited, looked at and used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from citewell.errors import BadShape
from citewell.model.research import Cited, Consulted, Status, Usage
from citewell.net.answer import Items, Link, Maybe, Part
from citewell.net.paid import Account, refusal, shaped, words

_PARTED = "\n\n"
_STATES = {
    "queued": Status.PENDING,
    "in_progress": Status.RUNNING,
    "requires_action": Status.FAILED,  # nobody is here to act
    "completed": Status.COMPLETED,
    "incomplete": Status.COMPLETED,
    "failed": Status.FAILED,
    "cancelled": Status.CANCELLED,
    "canceled": Status.CANCELLED,
}
_SEARCHES = frozenset({"web_search_call", "x_search_call", "search_results"})
_FETCHES = frozenset({"fetch_url_results", "open_page"})


class _Annotation(Part):
    url: Link
    title: Maybe[str] = None
    start_index: Maybe[int] = None
    end_index: Maybe[int] = None


class _Content(Part):
    type: Maybe[str] = None
    text: Maybe[str] = None
    annotations: Items[Any] = ()


class _Page(Part):
    url: Link
    title: Maybe[str] = None
    snippet: Maybe[str] = None
    date: Maybe[str] = None


class _Action(Part):
    type: Maybe[str] = None
    sources: Items[Any] = ()


class _Item(Part):
    type: Maybe[str] = None
    content: Items[_Content] = ()
    action: Maybe[_Action] = None
    results: Items[Any] = ()


class _Usage(Part):
    input_tokens: Maybe[int] = None
    output_tokens: Maybe[int] = None
    input_tokens_details: Maybe[dict[str, Any]] = None
    output_tokens_details: Maybe[dict[str, Any]] = None
    cost: Any = None  # this and the next are some providers' own word on the price
    cost_in_usd_ticks: Any = None


class Answer(Part):
    id: Maybe[str] = None
    status: Maybe[str] = None
    model: Maybe[str] = None
    output: Items[_Item] = ()
    citations: Items[Any] = ()
    usage: Maybe[_Usage] = None
    error: Any = None
    incomplete_details: Maybe[dict[str, Any]] = None


def read(answer: Mapping[str, Any], account: Account) -> Answer:
    if not {"id", "output", "status", "error"} & answer.keys():
        raise BadShape("The answer has none of the documented fields.", provider=account.provider)
    read = shaped(Answer, answer, account)
    if read.error and not read.status:
        raise refusal(words(read.error), None, account)
    return read


def state(answer: Answer) -> Status:
    """A server that names no status has answered at once."""
    if answer.status is None:
        return Status.COMPLETED if answer.output else Status.FAILED
    return _STATES.get(answer.status, Status.RUNNING)


def why(answer: Answer) -> str:
    details = answer.incomplete_details or {}
    return words(details.get("reason")) if answer.status == "incomplete" else ""


def doing(answer: Answer) -> str:
    count = sum(1 for item in answer.output if item.type in _SEARCHES)
    return f"{count} searches so far" if count else ""


def _contents(answer: Answer) -> Iterator[_Content]:
    for item in answer.output:
        if item.type in {"message", None}:
            yield from (part for part in item.content if part.text)


def text(answer: Answer) -> str:
    return _PARTED.join(part.text or "" for part in _contents(answer))


def written(answer: Answer) -> tuple[str, tuple[Cited, ...]]:
    """The whole text, and the citations with their places in it."""
    pieces: list[str] = []
    cited: list[Cited] = []
    at = 0
    for part in _contents(answer):
        text = part.text or ""
        cited += [_cited(mark, at, len(text)) for mark in _marks(part)]
        pieces.append(text)
        at += len(text) + len(_PARTED)
    return _PARTED.join(pieces), tuple(cited)


def _marks(part: _Content) -> Iterator[_Annotation]:
    for raw in part.annotations:
        # OpenRouter nests what the others have at the top.
        nested = raw.get("url_citation") if isinstance(raw, dict) else None
        try:
            yield _Annotation.model_validate(nested if isinstance(nested, dict) else raw)
        except ValueError:
            continue


def _cited(mark: _Annotation, at: int, length: int) -> Cited:
    start, end = mark.start_index, mark.end_index
    placed = start is not None and end is not None and 0 <= start <= end <= length
    return Cited(
        url=mark.url,
        title=mark.title or "",
        start=at + start if placed and start is not None else None,
        end=at + end if placed and end is not None else None,
    )


def listed(answer: Answer, text: str) -> tuple[Cited, ...]:
    """Addresses that are only listed beside the text; those the text names have a place."""
    found = [url for url in answer.citations if isinstance(url, str) and url.startswith("http")]
    return tuple(
        Cited(url=url, start=place if place >= 0 else None, end=place + len(url) if place >= 0 else None)
        for url in dict.fromkeys(found)
        for place in (text.find(url),)
    )  # fmt: skip


def consulted(answer: Answer) -> Iterator[Consulted]:
    seen: set[str] = set()
    for item in answer.output:
        for raw in (*(item.action.sources if item.action else ()), *item.results):
            try:
                page = _Page.model_validate(raw)
            except ValueError:
                continue
            if page.url not in seen:
                seen.add(page.url)
                yield Consulted(
                    url=page.url,
                    title=page.title or "",
                    snippet=page.snippet or "",
                    published=page.date or "",
                )


def usage(answer: Answer) -> Usage:
    usage = answer.usage or _Usage()
    kinds = [item.type for item in answer.output]
    return Usage(
        input_tokens=max(0, usage.input_tokens or 0),
        output_tokens=max(0, usage.output_tokens or 0),
        cached_tokens=_count(usage.input_tokens_details, "cached_tokens"),
        reasoning_tokens=_count(usage.output_tokens_details, "reasoning_tokens"),
        searches=sum(1 for kind in kinds if kind in _SEARCHES),
        fetches=sum(1 for kind in kinds if kind in _FETCHES),
    )


def _count(details: Mapping[str, Any] | None, name: str) -> int:
    value = (details or {}).get(name)
    return value if isinstance(value, int) and value > 0 else 0
