"""The SEC's list of tickers: fetched once a day, kept across restarts, searched in a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from citewell.errors import CitewellError, MalformedResponse, UpstreamError
from citewell.ports import ProviderKit
from citewell.providers.edgar.company_matching import CompanyChoice
from citewell.providers.edgar.filing_rows import PROVIDER_NAME
from citewell.providers.edgar.sec_client import SecClient
from citewell.workers.worker_tasks import TaskFailure, WorkerTask

_LIST_PATH = "/files/company_tickers.json"
_FACT_KEY = "company_tickers"
_FRESH_SECONDS = 24 * 3600.0
_MATCH_COMPANY: WorkerTask[CompanyChoice] = WorkerTask(
    "citewell.providers.edgar.company_matching:match_company", CompanyChoice
)


@dataclass(frozen=True, slots=True)
class _KeptList:
    body: bytes
    fetched_at: float


class TickerList:
    """A list is kept only after a worker has read it; a failure to get one is never kept."""

    def __init__(self, kit: ProviderKit, client: SecClient, *, clock: Callable[[], float]) -> None:
        self._kit = kit
        self._client = client
        self._clock = clock
        self._kept: _KeptList | None = None
        self._fetching = asyncio.Lock()

    async def look_up_company(
        self, *, ticker: str = "", texts: Sequence[str] = ()
    ) -> CompanyChoice:
        """The company with this ticker, or the one that the first matching text names."""
        if (kept := self._find_fresh()) is None:
            async with self._fetching:  # the others wait for the first
                if self._find_fresh() is None:
                    return await self._renew_and_match(ticker, texts)
            kept = self._find_fresh() or kept
        return await self._run_match(kept.body if kept else b"", ticker, texts)

    def _find_fresh(self) -> _KeptList | None:
        kept = self._kept
        is_fresh = kept is not None and self._clock() - kept.fetched_at < _FRESH_SECONDS
        return kept if is_fresh else None

    async def _renew_and_match(self, ticker: str, texts: Sequence[str]) -> CompanyChoice:
        """Match with the list of an earlier process, else with a new one, and keep what was read."""
        recalled = await self._recall_list()
        if recalled is not None:
            with suppress(MalformedResponse):
                choice = await self._run_match(recalled.body, ticker, texts)
                self._kept = recalled
                return choice
        try:
            body = (await self._client.fetch_www(_LIST_PATH)).body
            choice = await self._run_match(body, ticker, texts)
        except UpstreamError:
            if self._kept is None:
                raise
            return await self._run_match(self._kept.body, ticker, texts)  # yesterday's still serves
        self._kept = _KeptList(body, self._clock())
        await self._remember_list(self._kept)
        return choice

    async def _recall_list(self) -> _KeptList | None:
        """The list that an earlier process kept; None if it is old or this one has had its own."""
        if self._kit.memory is None or self._kept is not None:
            return None
        with suppress(CitewellError, ValueError):
            stamp, _, body = (await self._kit.memory.recall_fact(_FACT_KEY) or b"").partition(b"\n")
            kept = _KeptList(body, float(stamp))
            return kept if 0 <= self._clock() - kept.fetched_at < _FRESH_SECONDS else None
        return None

    async def _remember_list(self, kept: _KeptList) -> None:
        if self._kit.memory is not None:
            with suppress(CitewellError):
                fact = b"%d\n%b" % (kept.fetched_at, kept.body)
                await self._kit.memory.remember_fact(_FACT_KEY, fact, ttl=_FRESH_SECONDS)

    async def _run_match(self, body: bytes, ticker: str, texts: Sequence[str]) -> CompanyChoice:
        try:
            return await self._kit.require_workers().run_task(
                _MATCH_COMPANY, body=body, ticker=ticker, texts=tuple(texts)
            )
        except TaskFailure as failure:
            raise MalformedResponse(failure.message, provider=PROVIDER_NAME) from None
        except MalformedResponse as error:
            error.provider = error.provider or PROVIDER_NAME
            raise
