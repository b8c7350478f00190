"""DBOS in this process. The only module that imports it, and only for a PostgreSQL store.

DBOS is one for a process. Its queue starts workflows in an event loop of its own; each of them runs
one job, whose work is done in our loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import json
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from citewell.core.errors import InternalError, Misconfigured
from citewell.jobs.dbos_queue import (
    APPLICATION_NAME,
    APPLICATION_VERSION,
    QUEUE_NAME,
    WORKFLOW_NAME,
    WORKFLOW_SCHEMA,
    StepChannel,
    StepRequest,
    build_workflow_id,
)
from citewell.jobs.durable_job import JsonValue
from citewell.store.failures import StoreError

if TYPE_CHECKING:
    from dbos import DBOS, DBOSClient, Serializer, WorkflowStatus

logger = logging.getLogger(__name__)
_POOL_SIZE = 5  # connections of DBOS
_LIVE_STATES = ["ENQUEUED", "PENDING", "DELAYED"]
_MAX_LISTED = 1000  # workflows in one query
_RATE_SECONDS = 60.0
_MAX_OUTCOME_LOOKS = 100
_OUTCOME_LOOK_SECONDS = 0.02
_ERROR_MARK = "__error__"

RunJob = Callable[[str, int, StepChannel], Awaitable[str]]
PARKED = "parked"  # what RunJob returns if another process is to continue the run


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    url: str
    executor: str  # never used by another process
    worker_concurrency: int
    owner_concurrency: int
    poll_seconds: float
    rates: Mapping[str, int] = field(default_factory=dict)  # starts a minute, by provider
    version: str = APPLICATION_VERSION


class DbosHost:
    """Starts and stops DBOS; its other methods block, so they are called in a thread."""

    def __init__(
        self, options: HostOptions, home: asyncio.AbstractEventLoop, run_job: RunJob
    ) -> None:
        self._options = options
        self._home = home
        self._run_job = run_job
        self._parked: set[str] = set()
        self._launched = False

    def launch(self) -> None:
        """Install or update the tables of DBOS, and start its queue.

        Raises Misconfigured if DBOS is not installed, InternalError if it runs already.
        """
        check_installed()
        if _CURRENT:
            raise InternalError("DBOS runs already in this process, for another store.")
        _register_functions()
        _CURRENT.append(self)
        try:
            with _explain_failures():
                self._start_queue()
            self._launched = True
        except BaseException:
            self.destroy()
            raise

    def _start_queue(self) -> None:
        """Start DBOS with the limits of this worker: it serves a queue from its launch on."""
        from dbos import DBOS

        try:
            with _explain_failures():
                self._register_queues()
        except StoreError:  # its tables are not installed yet, which a launch does
            self._start_dbos()
            DBOS.destroy()
            self._register_queues()
        self._start_dbos()

    def destroy(self) -> None:
        """Stop DBOS; jobs that it runs stay with this executor until they are resumed."""
        from dbos import DBOS

        if self not in _CURRENT:
            return
        try:
            if self._launched:
                self._wait_for_outcomes()
        except StoreError as error:
            logger.warning("The ends of some jobs are recorded later. %s", error.message)
        finally:
            DBOS.destroy()
            _CURRENT.remove(self)

    def resume_left_runs(self, executors: Collection[str]) -> None:
        """Put the runs that these processes have left back into the queue, while DBOS is not started here."""
        with _explain_failures(), _open_client(self._options.url) as client:
            _resume_runs(client, status="PENDING", executor_id=list(executors))

    def list_running_runs(self, executors: Collection[str] | None = None) -> dict[str, str]:
        """The workflows that these workers, or any, have begun and not ended; and by which worker."""
        found = _list_runs(
            status="PENDING",
            name=WORKFLOW_NAME,
            executor_id=None if executors is None else list(executors),
        )
        return {run.workflow_id: run.executor_id or "" for run in found}

    def resume_runs(self, names: Collection[str]) -> None:
        """Put runs back into the queue; another worker may begin them at once."""
        from dbos import DBOS

        if names:
            with _explain_failures():
                _resume_runs(DBOS, workflow_ids=sorted(names))

    def list_live_runs(self, names: Collection[str]) -> set[str]:
        """Those of these workflows that are queued or running."""
        asked = sorted(names)
        return {
            run.workflow_id
            for start in range(0, len(asked), _MAX_LISTED)
            for run in _list_runs(
                workflow_ids=asked[start : start + _MAX_LISTED], status=_LIVE_STATES
            )
        }

    def delete_old_runs(self, *, before: str) -> None:
        """Delete what DBOS keeps of runs that ended before the time."""
        from dbos import DBOS

        found = _list_runs(completed_before=before, name=WORKFLOW_NAME, limit=_MAX_LISTED)
        if found:
            with _explain_failures():
                DBOS.delete_workflows([run.workflow_id for run in found])

    async def serve_workflow(self, job_id: str, run: int) -> JsonValue:
        """One workflow of DBOS, in its loop: run the job in ours, and each of its steps as one of DBOS."""
        await self._skip_recorded_steps(build_workflow_id(job_id, run))
        channel = StepChannel(self._home)
        # Without the context of the workflow, which belongs to this loop.
        job = asyncio.wrap_future(
            contextvars.Context().run(
                asyncio.run_coroutine_threadsafe,
                _await_job(self._run_job, job_id, run, channel),
                self._home,
            )
        )
        job.add_done_callback(lambda _: channel.requests.put_nowait(None))
        steps: set[asyncio.Task[None]] = set()
        while (request := await channel.requests.get()) is not None:
            task = asyncio.create_task(self._perform_stored_step(request))
            steps.add(task)
            task.add_done_callback(functools.partial(_check_step, request))
        if steps:
            await asyncio.wait(steps)
        ending = await job
        if ending == PARKED:
            self._parked.add(build_workflow_id(job_id, run))
            await asyncio.Event().wait()  # until DBOS is stopped, so that it records no end
        return {"ended": ending}

    def _wait_for_outcomes(self) -> None:
        """Wait a little until DBOS has recorded the ends of the runs that have ended."""
        for _ in range(_MAX_OUTCOME_LOOKS):
            if self.list_running_runs([self._options.executor]).keys() <= self._parked:
                return
            time.sleep(_OUTCOME_LOOK_SECONDS)

    async def _perform_stored_step(self, request: StepRequest) -> None:
        await _FUNCTIONS[request.kind](functools.partial(self._run_at_home, request))

    async def _run_at_home(self, request: StepRequest) -> JsonValue:
        done = contextvars.Context().run(
            asyncio.run_coroutine_threadsafe, request.run_body(), self._home
        )
        return {"state": await asyncio.wrap_future(done)}

    async def _skip_recorded_steps(self, workflow_id: str) -> None:
        """Pass over the steps of an earlier run: our own tables have their results."""
        recorded = await asyncio.get_running_loop().run_in_executor(
            None, contextvars.Context().run, _list_recorded_steps, workflow_id
        )
        for number in range(1, max(recorded, default=0) + 1):
            await _FUNCTIONS[recorded.get(number, "step")](_skip_step)

    def _start_dbos(self) -> None:
        from dbos import DBOS, DBOSConfig

        DBOS(
            config=DBOSConfig(
                name=APPLICATION_NAME,
                system_database_url=self._options.url,
                dbos_system_schema=WORKFLOW_SCHEMA,
                application_version=self._options.version,
                executor_id=self._options.executor,
                serializer=_build_serializer(),
                sys_db_pool_size=_POOL_SIZE,
                # Jobs do not use the messages of DBOS; its poller then only delays the end.
                use_listen_notify=False,
                notification_listener_polling_interval_sec=0.1,
                log_level="CRITICAL",  # below that it prints the errors of jobs
                console_log_level="CRITICAL",
            )
        )
        DBOS.launch()

    def _register_queues(self) -> None:
        """Set the limits of the queues for all workers on the store."""
        limited = {f"{QUEUE_NAME}-{name}": rate for name, rate in self._options.rates.items()}
        with _open_client(self._options.url) as client:
            self._warn_of_change(client)
            for name, rate in {QUEUE_NAME: 0, **limited}.items():
                client.register_queue(
                    name,
                    worker_concurrency=self._options.worker_concurrency,
                    partition_concurrency=self._options.owner_concurrency,
                    limiter={"limit": rate, "period": _RATE_SECONDS} if rate else None,
                    polling_interval_sec=self._options.poll_seconds,
                    on_conflict="always_update",
                )

    def _warn_of_change(self, client: DBOSClient) -> None:
        """Say that other workers, if there are any, take another number of jobs from now on."""
        queue = client.retrieve_queue(QUEUE_NAME)
        before = queue.worker_concurrency if queue is not None else None
        if before in {None, self._options.worker_concurrency}:
            return
        logger.warning(
            "Each worker took up to %d jobs from the queue; now that this one has started, all take"
            " up to %d. Give all workers and servers the same CITEWELL_RESEARCH_CONCURRENCY.",
            before,
            self._options.worker_concurrency,
        )


@contextlib.contextmanager
def _explain_failures() -> Iterator[None]:
    """Raise StoreError for what DBOS raises if its database fails; its message may quote the address."""
    from dbos import error
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, error.DBOSException) as failure:
        cause = getattr(failure, "orig", None) or failure
        raise StoreError(
            f"The job engine cannot use the database ({type(cause).__name__})."
        ) from failure


_CURRENT: list[DbosHost] = []  # at most one
_FUNCTIONS: dict[str, Callable[[Callable[[], Awaitable[JsonValue]]], Awaitable[JsonValue]]] = {}
_STEP_NAMES = {"step": "citewell_step", "paid": "citewell_paid_call"}


def check_installed() -> None:
    if find_spec("dbos") is None:
        raise Misconfigured(
            'Research jobs on PostgreSQL need DBOS: pip install "citewell[dbos]".',
            action="inform_user",
        )


def _register_functions() -> None:
    """Give DBOS its workflow and its steps, once for the process."""
    if _FUNCTIONS:
        return
    from dbos import DBOS

    # Attempts are counted in our own table, because resuming a workflow resets the count of DBOS.
    @DBOS.workflow(name=WORKFLOW_NAME, max_recovery_attempts=None)
    async def run_job(job_id: str, run: int) -> Any:
        return await _CURRENT[0].serve_workflow(job_id, run)

    def define_step(name: str) -> Callable[..., Awaitable[JsonValue]]:
        @DBOS.step(name=name)
        async def run_step(work: Callable[[], Awaitable[JsonValue]]) -> Any:
            return await work()

        return run_step

    _FUNCTIONS.update({kind: define_step(name) for kind, name in _STEP_NAMES.items()})


def _list_recorded_steps(workflow_id: str) -> dict[int, str]:
    from dbos import DBOS

    kinds = {name: kind for kind, name in _STEP_NAMES.items()}
    return {
        step["function_id"]: kinds[step["function_name"]]
        for step in DBOS.list_workflow_steps(workflow_id)
        if step["function_name"] in kinds
    }


def _list_runs(**filters: Any) -> list[WorkflowStatus]:
    """Workflows of DBOS as started here, without what went in and came out."""
    from dbos import DBOS

    with _explain_failures():
        return DBOS.list_workflows(load_input=False, load_output=False, **filters)


def _resume_runs(api: DBOSClient | type[DBOS], **filters: Any) -> None:
    """Put workflows back into their queue; without its name DBOS would use one without our limits."""
    groups: dict[str, list[str]] = {}
    for run in api.list_workflows(load_input=False, load_output=False, **filters):
        groups.setdefault(run.queue_name or QUEUE_NAME, []).append(run.workflow_id)
    for name, runs in groups.items():
        api.resume_workflows(runs, queue_name=name)


async def _skip_step() -> JsonValue:
    return {"state": "skipped"}


async def _await_job(run_job: RunJob, job_id: str, run: int, channel: StepChannel) -> str:
    return await run_job(job_id, run, channel)


def _check_step(request: StepRequest, task: asyncio.Task[None]) -> None:
    """End a step that DBOS refused, as when another worker has taken the run over."""
    if task.cancelled() or task.exception() is not None:
        request.refuse_step()


@contextlib.contextmanager
def _open_client(url: str) -> Iterator[DBOSClient]:
    """DBOS without a queue, for a process that runs nothing any more."""
    from dbos import DBOSClient

    client = DBOSClient(
        system_database_url=url, dbos_system_schema=WORKFLOW_SCHEMA, serializer=_build_serializer()
    )
    try:
        yield client
    finally:
        client.destroy()


def _build_serializer() -> Serializer:
    """What DBOS stores is JSON; of an error it stores the class and the message."""
    from dbos import Serializer

    class JsonSerializer(Serializer):
        def serialize(self, data: Any) -> str:
            if isinstance(data, BaseException):
                data = {_ERROR_MARK: [type(data).__name__, str(data)]}
            return json.dumps(data, separators=(",", ":"), allow_nan=False)

        def deserialize(self, serialized_data: str) -> Any:
            value = json.loads(serialized_data)
            if isinstance(value, dict) and _ERROR_MARK in value:
                return InternalError(": ".join(value[_ERROR_MARK]))
            return value

        def name(self) -> str:
            return "citewell_json"

    return JsonSerializer()
