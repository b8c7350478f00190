"""The "Responses" dialect that OpenAI, xAI, Perplexity, OpenRouter and local model servers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from citewell.errors import BadShape
from citewell.model.research import Polled, ProviderReport, Status, Submission
from citewell.net.billing import Tariff
from citewell.net.paid import READ_HERE, Account, body, refusal, words
from citewell.net.responses import answer as answers
from citewell.net.upstream import Upstream

QUICK = 60.0  # seconds for an exchange that only starts, asks after or stops a run


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Where and how one provider speaks the dialect."""

    upstream: Upstream
    account: Account
    tariff: Tariff
    key: str = field(repr=False)
    # Its own figure in `usage`, in ticks; most name tokens and never money.
    stated: Callable[[Mapping[str, Any]], int | None] = lambda _usage: None
    submit_path: str = "/responses"
    run_path: str = "/responses/{ref}"
    patience: float = 900.0  # seconds for a call that is answered only when it is done

    @property
    def secret_headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


class Responses:
    def __init__(self, door: Door) -> None:
        self._door = door

    async def submit(self, request: Mapping[str, Any], *, tag: str) -> Submission:
        """Sent once and never again; a background run comes back as a reference."""
        background = bool(request.get("background"))
        answer = await self._post(
            request, tag=tag, timeout=QUICK if background else self._door.patience
        )
        if (
            background
            and answer.id
            and answers.state(answer) not in {Status.COMPLETED, Status.FAILED}
        ):
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
        return self._polled(answers.read(body(response, door.account), door.account))

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
    ) -> answers.Answer:
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
        return answers.read(body(response, door.account), door.account)

    def _run(self, ref: str) -> str:
        return self._door.run_path.format(ref=quote(ref, safe=""))

    def _polled(self, answer: answers.Answer) -> Polled:
        status = answers.state(answer)
        if status in {Status.PENDING, Status.RUNNING}:
            return Polled(status=status, note=answers.doing(answer))
        report = self._report(answer) if answers.text(answer) else None
        if status is Status.COMPLETED and report is not None:
            return Polled(status=status, report=report)
        failed = Status.CANCELLED if status is Status.CANCELLED else Status.FAILED
        said = words(answer.error) or answers.why(answer) or "The run ended without a text."
        error = refusal(said, None, self._door.account)
        return Polled(status=failed, report=report, error=error.message, error_kind=error.kind)

    def _report(self, answer: answers.Answer) -> ProviderReport:
        usage = answers.usage(answer)
        account = self._door.account
        model = answer.model or account.model
        raw = answer.usage.model_dump() if answer.usage else {}
        cost = self._door.tariff.cost(model, usage, stated=self._door.stated(raw))
        text, cited = answers.written(answer)
        why = answers.why(answer)
        return ProviderReport(
            provider=account.provider,
            model=model,
            text=text,
            citations=cited or answers.listed(answer, text),
            consulted=tuple(answers.consulted(answer)),
            usage=usage,
            cost_ticks=cost.ticks,
            cost_basis=cost.basis,
            partial=bool(why),
            notes=(f"{account.title} stopped early: {why}.",) if why else (),
        )
