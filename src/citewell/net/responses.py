"""The "Responses" dialect that OpenAI, xAI, Perplexity, OpenRouter and local model servers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from citewell.errors import BadShape
from citewell.model.research import (
    Cited,
    Consulted,
    Polled,
    ProviderReport,
    Status,
    Submission,
    Usage,
)
from citewell.net.answer import Items, Link, Maybe, Part
from citewell.net.billing import Tariff
from citewell.net.paid import READ_HERE, Account, body, refusal, shaped, words
from citewell.net.upstream import Upstream

QUICK = 60.0  # seconds for an exchange that only starts, asks after or stops a run
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


class _Answer(Part):
    id: Maybe[str] = None
    status: Maybe[str] = None
    model: Maybe[str] = None
    output: Items[_Item] = ()
    citations: Items[Any] = ()
    usage: Maybe[_Usage] = None
    error: Any = None
    incomplete_details: Maybe[dict[str, Any]] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Where and how one provider speaks the dialect."""

    upstream: Upstream
    account: Account
    tariff: Tariff
    stated: Callable[[Mapping[str, Any]], int | None]  # its own figure in `usage`, in ticks
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    submit_path: str = "/responses"
    run_path: str = "/responses/{ref}"
    patience: float = 900.0  # seconds for a call that is answered only when it is done


class Responses:
    def __init__(self, door: Door) -> None:
        self._door = door

    async def submit(self, request: Mapping[str, Any], *, tag: str) -> Submission:
        """Sent once and never again; a background run comes back as a reference."""
        background = bool(request.get("background"))
        answer = await self._post(
            request, tag=tag, timeout=QUICK if background else self._door.patience
        )
        if background and answer.id and _state(answer) not in {Status.COMPLETED, Status.FAILED}:
            return Submission(ref=answer.id)
        polled = self._polled(answer)
        if polled.report is None:
            raise refusal(polled.error or "The run ended without a text.", None, self._door.account)
        return Submission(ref=answer.id if background else None, report=polled.report)

    async def whole(self, request: Mapping[str, Any], *, tag: str) -> ProviderReport:
        """The report of a call that is answered when it is done."""
        submission = await self.submit(request, tag=tag)
        if submission.report is None:
            message = "The answer came without a text, though none was to follow."
            raise BadShape(message, provider=self._door.account.provider)
        return submission.report

    async def poll(self, ref: str) -> Polled:
        door = self._door
        response = await door.upstream.get(
            self._run(ref), secret_headers=door.secret_headers, timeout=QUICK, accept=READ_HERE
        )
        return self._polled(_read(body(response, door.account), door.account))

    async def cancel(self, ref: str) -> None:
        """Best effort; a run that has ended already is no error."""
        door = self._door
        await door.upstream.post(
            f"{self._run(ref)}/cancel",
            json={},
            secret_headers=door.secret_headers,
            timeout=QUICK,
            accept=(*READ_HERE, 409),
        )

    async def _post(
        self,
        request: Mapping[str, Any],
        *,
        tag: str,
        timeout: float,  # noqa: ASYNC109 - one deadline, handed to the exchange
    ) -> _Answer:
        door = self._door
        response = await door.upstream.post(
            door.submit_path,
            json=dict(request),
            idempotent=False,
            headers={"Idempotency-Key": tag},
            secret_headers=door.secret_headers,
            timeout=timeout,
            accept=READ_HERE,
        )
        return _read(body(response, door.account), door.account)

    def _run(self, ref: str) -> str:
        return self._door.run_path.format(ref=quote(ref, safe=""))

    def _polled(self, answer: _Answer) -> Polled:
        status = _state(answer)
        if status in {Status.PENDING, Status.RUNNING}:
            return Polled(status=status, note=_doing(answer))
        report = self._report(answer) if _text(answer) else None
        if status is Status.COMPLETED and report is not None:
            return Polled(status=status, report=report)
        failed = Status.CANCELLED if status is Status.CANCELLED else Status.FAILED
        said = words(answer.error) or _why(answer) or "The run ended without a text."
        error = refusal(said, None, self._door.account)
        return Polled(status=failed, report=report, error=error.message, error_kind=error.kind)

    def _report(self, answer: _Answer) -> ProviderReport:
        usage = _usage(answer)
        account = self._door.account
        model = answer.model or account.model
        raw = answer.usage.model_dump() if answer.usage else {}
        cost = self._door.tariff.cost(model, usage, stated=self._door.stated(raw))
        text, cited = _written(answer)
        why = _why(answer)
        return ProviderReport(
            provider=account.provider,
            model=model,
            text=text,
            citations=cited or _listed(answer, text),
            consulted=tuple(_consulted(answer)),
            usage=usage,
            cost_ticks=cost.ticks,
            cost_basis=cost.basis,
            partial=bool(why),
            notes=(f"{account.title} stopped early: {why}.",) if why else (),
        )


def _read(answer: Mapping[str, Any], account: Account) -> _Answer:
    if not {"id", "output", "status", "error"} & answer.keys():
        raise BadShape("The answer has none of the documented fields.", provider=account.provider)
    read = shaped(_Answer, answer, account)
    if read.error and not read.status:
        raise refusal(words(read.error), None, account)
    return read


def _state(answer: _Answer) -> Status:
    """A server that names no status has answered at once."""
    if answer.status is None:
        return Status.COMPLETED if answer.output else Status.FAILED
    return _STATES.get(answer.status, Status.RUNNING)


def _why(answer: _Answer) -> str:
    details = answer.incomplete_details or {}
    return words(details.get("reason")) if answer.status == "incomplete" else ""


def _doing(answer: _Answer) -> str:
    count = sum(1 for item in answer.output if item.type in _SEARCHES)
    return f"{count} searches so far" if count else ""


def _contents(answer: _Answer) -> Iterator[_Content]:
    for item in answer.output:
        if item.type in {"message", None}:
            yield from (part for part in item.content if part.text)


def _text(answer: _Answer) -> str:
    return _PARTED.join(part.text or "" for part in _contents(answer))


def _written(answer: _Answer) -> tuple[str, tuple[Cited, ...]]:
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


def _listed(answer: _Answer, text: str) -> tuple[Cited, ...]:
    """Addresses that are only listed beside the text; those the text names have a place."""
    found = [url for url in answer.citations if isinstance(url, str) and url.startswith("http")]
    return tuple(
        Cited(url=url, start=place if place >= 0 else None, end=place + len(url) if place >= 0 else None)
        for url in dict.fromkeys(found)
        for place in (text.find(url),)
    )  # fmt: skip


def _consulted(answer: _Answer) -> Iterator[Consulted]:
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


def _usage(answer: _Answer) -> Usage:
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
