"""What is kept of threads on either engine: their messages, their order and their end."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.jobs.store.thread_store import ThreadInUse, UnknownJob, UnknownThread
from citewell.research.research_store import FoundClaims
from citewell.server.state.state_store import StateStore
from tests.contract.finished_jobs import LIGHT, findings, job_of
from tests.contract.offices import OWNER
from tests.contract.states import Kept


def test_messages_of_a_thread_come_in_order_and_once(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        job = await job_of(store, state, thread="t", title="Lighthouses", question="Why?")
        for _ in range(2):
            await state.threads.add_message(OWNER, "t", "an id", "Because.", cost=7, job=job)
        with pytest.raises(UnknownThread):
            await state.threads.add_message("other", "t", "x", "Whose?")
        return await state.threads.list_messages(OWNER, "t")

    messages = store.run(scenario)

    assert [(one.role, one.content, one.cost) for one in messages] == [
        ("user", "Why?", None),
        ("assistant", "Because.", 7),
    ]


def test_threads_are_listed_the_latest_first_by_pages_and_to_their_owner(store: Kept) -> None:
    async def scenario(state: StateStore) -> list[Any]:
        for number in range(5):
            store.clock.now += 1
            await job_of(store, state, thread=f"t{number}", title=f"Title {number}")
        store.clock.now += 1
        await state.threads.add_message(OWNER, "t1", "m", "News.")
        threads = state.threads
        pages = [
            await threads.list_stored_threads(OWNER, limit=2),
            await threads.list_stored_threads(OWNER, limit=2, offset=2),
            await threads.list_stored_threads("other"),
        ]
        for verb in (threads.load_thread, threads.list_messages):
            with pytest.raises(UnknownThread):
                await verb("other", "t1")
        return [[one.title for one in page] for page in pages]

    assert store.run(scenario) == [["Title 1", "Title 4"], ["Title 3", "Title 2"], []]


def test_an_erased_thread_takes_its_jobs_and_claims_along(store: Kept) -> None:
    async def scenario(state: StateStore) -> FoundClaims:
        job = await job_of(store, state, thread="t", title="Lighthouses", question="Why?")
        await state.research.store_findings(OWNER, job, findings(LIGHT))
        with pytest.raises(ThreadInUse):
            await state.threads.erase_thread(OWNER, "t")
        await state.jobs.request_cancellation(OWNER, job)
        with pytest.raises(UnknownThread):
            await state.threads.erase_thread("other", "t")
        await state.threads.erase_thread(OWNER, "t")
        with pytest.raises(UnknownJob):
            await state.jobs.require_job_view(OWNER, job)
        with pytest.raises(UnknownThread):
            await state.threads.erase_thread(OWNER, "t")
        return await state.research.search_stored_claims(OWNER, query="lighthouses")

    assert store.run(scenario).total == 0
