"""A client for the "Responses" API of OpenAI, xAI, Perplexity, OpenRouter and local model servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from citewell.dialects.model_billing import ProviderTariff
from citewell.dialects.paid_apis import (
    EXPLAINED_STATUSES,
    PaidAccount,
    build_refusal_error,
    extract_error_message,
    read_paid_response,
)
from citewell.dialects.responses_api import run_responses as answers
from citewell.errors import CitewellError, MalformedResponse
from citewell.model.research import PollOutcome, ProviderReport, ResearchStatus, SubmitOutcome
from citewell.net.upstream.upstream_client import Upstream

SHORT_CALL_SECONDS = 60.0  # seconds for a call that only starts, polls or cancels a run


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesEndpoint:
    """One provider's Responses API: its upstream, key, paths and prices."""

    upstream: Upstream
    account: PaidAccount
    tariff: ProviderTariff
    key: str = field(repr=False)
    # Reads the cost in ticks from `usage`; None for most providers, which report only tokens.
    read_stated_cost: Callable[[Mapping[str, Any]], int | None] = lambda _usage: None
    submit_path: str = "/responses"
    run_path: str = "/responses/{ref}"
    answer_timeout: float = 900.0  # seconds for a call that returns only when the run has ended

    @property
    def secret_headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


class ResponsesClient:
    def __init__(self, door: ResponsesEndpoint) -> None:
        self._door = door

    async def submit_run(
        self,
        request: Mapping[str, Any],
        *,
        tag: str,
        timeout: float | None = None,  # noqa: ASYNC109 - one deadline, handed to the exchange
    ) -> SubmitOutcome:
        """Send the request once, without retries; a background run returns a reference to poll."""
        background = bool(request.get("background"))
        answer = await self._post_request(
            request,
            tag=tag,
            timeout=SHORT_CALL_SECONDS if background else timeout or self._door.answer_timeout,
        )
        if (
            background
            and answer.id
            and answers.convert_run_status(answer)
            not in {ResearchStatus.COMPLETED, ResearchStatus.FAILED}
        ):
            return SubmitOutcome(ref=answer.id)
        polled = self._build_poll_outcome(answer)
        if polled.report is None:
            raise self._build_run_error(answer)
        return SubmitOutcome(ref=answer.id if background else None, report=polled.report)

    async def run_to_report(
        self,
        request: Mapping[str, Any],
        *,
        tag: str,
        timeout: float | None = None,  # noqa: ASYNC109 - one deadline, handed to the exchange
    ) -> ProviderReport:
        """The report of a call that is not in the background; MalformedResponse if it has none."""
        submission = await self.submit_run(request, tag=tag, timeout=timeout)
        if submission.report is None:
            message = "The response has no text, and no run to poll."
            raise MalformedResponse(message, provider=self._door.account.provider)
        return submission.report

    async def poll_run(self, ref: str) -> PollOutcome:
        door = self._door
        response = await door.upstream.send_get(
            self._build_run_path(ref),
            secret_headers=door.secret_headers,
            timeout=SHORT_CALL_SECONDS,
            accept=EXPLAINED_STATUSES,
        )
        return self._build_poll_outcome(
            answers.parse_run_response(read_paid_response(response, door.account), door.account)
        )

    async def cancel_run(self, ref: str) -> None:
        """Ask the provider to stop a run; does nothing if it has already ended."""
        door = self._door
        await door.upstream.send_post(
            f"{self._build_run_path(ref)}/cancel",
            json={},
            secret_headers=door.secret_headers,
            timeout=SHORT_CALL_SECONDS,
            accept=(*EXPLAINED_STATUSES, 409),
        )

    async def _post_request(
        self,
        request: Mapping[str, Any],
        *,
        tag: str,
        timeout: float,  # noqa: ASYNC109 - one deadline, handed to the exchange
    ) -> answers.RunResponse:
        door = self._door
        response = await door.upstream.send_post(
            door.submit_path,
            json=dict(request),
            idempotent=False,
            headers={"Idempotency-Key": tag},
            secret_headers=door.secret_headers,
            timeout=timeout,
            accept=EXPLAINED_STATUSES,
        )
        return answers.parse_run_response(read_paid_response(response, door.account), door.account)

    def _build_run_path(self, ref: str) -> str:
        return self._door.run_path.format(ref=quote(ref, safe=""))

    def _build_poll_outcome(self, answer: answers.RunResponse) -> PollOutcome:
        status = answers.convert_run_status(answer)
        if status in {ResearchStatus.PENDING, ResearchStatus.RUNNING}:
            return PollOutcome(status=status, note=answers.describe_run_progress(answer))
        report = self._build_provider_report(answer) if answers.join_response_text(answer) else None
        if status is ResearchStatus.COMPLETED and report is not None:
            return PollOutcome(status=status, report=report)
        failed = (
            ResearchStatus.CANCELLED
            if status is ResearchStatus.CANCELLED
            else ResearchStatus.FAILED
        )
        error = self._build_run_error(answer)
        return PollOutcome(status=failed, report=report, error=error.message, error_kind=error.kind)

    def _build_run_error(self, answer: answers.RunResponse) -> CitewellError:
        """The error of a run that ended without text."""
        said = extract_error_message(answer.error) or answers.describe_early_stop(answer)
        return build_refusal_error(
            said, None, self._door.account, otherwise="The run ended without text."
        )

    def _build_provider_report(self, answer: answers.RunResponse) -> ProviderReport:
        usage = answers.read_run_usage(answer)
        account = self._door.account
        model = answer.model or account.model
        raw = answer.usage.model_dump() if answer.usage else {}
        cost = self._door.tariff.compute_cost(model, usage, stated=self._door.read_stated_cost(raw))
        text, cited = answers.extract_cited_text(answer)
        why = answers.describe_early_stop(answer)
        return ProviderReport(
            provider=account.provider,
            model=model,
            text=text,
            citations=cited
            or answers.list_numbered_citations(answer, text)
            or answers.list_unplaced_citations(answer, text),
            consulted=tuple(answers.list_consulted_pages(answer)),
            usage=usage,
            cost_ticks=cost.ticks,
            cost_basis=cost.basis,
            partial=bool(why),
            notes=(f"{account.title} stopped early: {why}.",) if why else (),
        )
