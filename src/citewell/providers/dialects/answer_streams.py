"""Answers that come as a stream of chat events, with citations and usage as tags in the text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from citewell.core.errors import MalformedResponse, UpstreamUnavailable
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import ProviderReport
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.routing.answer_reports import AnswerCost, CitedPage, build_answer_report
from citewell.routing.model_billing import convert_dollars

_EVENT_PREFIX = "data:"
_LAST_EVENT = "[DONE]"
_MAX_EVENTS = 20_000
_MAX_TAGS = 500
_TAG_NAMES = ("citation", "usage", "enum_item", "progress", "blindspots", "answer")


class _StreamDelta(wire.ResponsePart):
    content: wire.OptionalField[str] = None


class _StreamChoice(wire.ResponsePart):
    delta: wire.OptionalField[_StreamDelta] = None
    message: wire.OptionalField[_StreamDelta] = None  # of an answer that is not streamed


class _StreamEvent(wire.ResponsePart):
    choices: wire.TolerantItems[_StreamChoice] = ()


class _TaggedCitation(wire.ResponsePart):
    url: wire.HttpLink
    number: wire.OptionalField[int] = None
    title: wire.OptionalField[str] = None
    snippet: wire.OptionalField[str] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTag:
    """One tag of the text: its name, its JSON value, and where it stands in the text without tags."""

    name: str
    value: Any
    place: int


def read_answer_stream(response: HttpResponse) -> str:
    """The text of all events; raises UpstreamUnavailable for an error among them.

    Raises MalformedResponse if there is no event of a chat.
    """
    found, pieces = False, []
    for event in _list_stream_events(response.decode_text()):
        if event.get("error"):
            raise UpstreamUnavailable(
                "The upstream returned an error instead of an answer.", provider=response.provider
            )
        if not isinstance(event.get("choices"), list):
            continue
        found = True
        pieces.append(_read_event_text(event))
    if not found:
        raise MalformedResponse(
            f"Expected a stream of events and got {len(response.body)} {pluralize(len(response.body), 'byte')} without one.",
            provider=response.provider,
        )
    return "".join(pieces)


def _list_stream_events(text: str) -> Iterator[dict[str, Any]]:
    lines = [line for line in text.splitlines() if line.startswith(_EVENT_PREFIX)]
    for line in lines[:_MAX_EVENTS] or [_EVENT_PREFIX + text]:
        data = line[len(_EVENT_PREFIX) :].strip()
        if data == _LAST_EVENT:
            return
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


def _read_event_text(event: dict[str, Any]) -> str:
    try:
        choices = _StreamEvent.model_validate(event).choices
    except ValueError:
        return ""
    part = (choices[0].delta or choices[0].message) if choices else None
    return (part.content or "") if part is not None else ""


def split_answer_tags(text: str) -> tuple[str, tuple[AnswerTag, ...]]:
    """The text without its tags, and the tags; a tag that does not end is dropped with what follows."""
    pieces: list[str] = []
    tags: list[AnswerTag] = []
    at = length = 0
    while (start := text.find("<", at)) >= 0 and len(tags) < _MAX_TAGS:
        name = next((tag for tag in _TAG_NAMES if text.startswith(f"<{tag}>", start)), None)
        if name is None:
            pieces.append(text[at : start + 1])
            length += start + 1 - at
            at = start + 1
            continue
        pieces.append(text[at:start])
        length += start - at
        opening, closing = start + len(name) + 2, f"</{name}>"
        end = text.find(closing, opening)
        if end < 0:
            return "".join(pieces), tuple(tags)
        tags.append(AnswerTag(name=name, value=_parse_tag_value(text[opening:end]), place=length))
        at = end + len(closing)
    pieces.append(text[at:])
    return "".join(pieces), tuple(tags)


def _parse_tag_value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def build_streamed_report(
    provider: str, streamed: str, *, count: int, usual_ticks: int
) -> ProviderReport:
    """The report of a streamed answer, its citation tags replaced by marks such as [1].

    `usual_ticks` is its cost if the stream states none.
    """
    text, tags = split_answer_tags(streamed)
    pieces: list[str] = []
    pages: list[CitedPage] = []
    numbers: dict[str, int] = {}
    at = length = 0
    for tag in tags:
        try:
            cited = _TaggedCitation.model_validate(tag.value) if tag.name == "citation" else None
        except ValueError:
            cited = None
        if cited is None or (cited.url not in numbers and len(numbers) >= count):
            continue
        before = text[at : tag.place]
        mark = f" [{numbers.setdefault(cited.url, len(numbers) + 1)}]"
        pieces += [before, mark]
        length += len(before)
        pages.append(
            CitedPage(url=cited.url, title=cited.title, start=length + 1, end=length + len(mark))
        )
        at, length = tag.place, length + len(mark)
    usage = next((tag.value for tag in tags if tag.name == "usage"), None)
    stated = usage.get("X-Request-Total-Cost") if isinstance(usage, dict) else None
    ticks = convert_dollars(stated)
    return build_answer_report(
        provider,
        "".join([*pieces, text[at:]]),
        pages,
        count=count,
        cost=AnswerCost(ticks=ticks, basis="provider")
        if ticks is not None
        else AnswerCost(ticks=usual_ticks, basis="table"),
    )
