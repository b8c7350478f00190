"""Which workers of a PostgreSQL store are alive, by the clock of the database alone."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.store.sql.database import POSTGRES_DIALECT, SqlDatabase, SqlScalar, SqlStatement

_NOW = POSTGRES_DIALECT.now_expression
_RECORD_BEAT = f"""
INSERT INTO worker_heartbeats (executor, host, version, started, beat, silence)
VALUES (:executor, :host, :version, {_NOW}, {_NOW}, :silence)
ON CONFLICT (executor) DO UPDATE SET beat = {_NOW}
"""  # noqa: S608 - constants
_IS_SILENT = f"beat < {_NOW} - silence"
_SELECT_SILENT = f"SELECT executor FROM worker_heartbeats WHERE {_IS_SILENT}"  # noqa: S608 - constants
_SELECT_WORKERS = "SELECT executor FROM worker_heartbeats"
_DELETE_WORKER = "DELETE FROM worker_heartbeats WHERE executor = :executor"
# The status of a job tells since when its worker is silent, until another one has claimed it.
_DELETE_IDLE_WORKERS = f"""
DELETE FROM worker_heartbeats WHERE {_IS_SILENT} AND NOT EXISTS (
    SELECT 1 FROM job WHERE job.holder = worker_heartbeats.executor AND job.finished IS NULL
)
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerName:
    """One process that runs jobs; its id is never used again."""

    executor: str
    host: str
    version: str


class SqlWorkerHeartbeats:
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    async def record_beat(self, worker: WorkerName, *, silence_seconds: float) -> None:
        """Tell that the worker is alive; without a further beat for so long it is taken for dead."""
        params: dict[str, SqlScalar] = {
            "executor": worker.executor,
            "host": worker.host,
            "version": worker.version,
            "silence": float(silence_seconds),
        }
        await self._database.execute_batch([SqlStatement(sql=_RECORD_BEAT, params=params)])

    async def list_workers(self) -> set[str]:
        """The executor ids of all workers, also of those that are taken for dead."""
        return {executor for (executor,) in await self._database.select_rows(_SELECT_WORKERS)}

    async def list_silent_workers(self) -> list[str]:
        """The executor ids of workers that are taken for dead."""
        found = await self._database.select_rows(_SELECT_SILENT)
        return [executor for (executor,) in found]

    async def remove_worker(self, executor: str) -> None:
        await self._database.execute_batch(
            [SqlStatement(sql=_DELETE_WORKER, params={"executor": executor})]
        )

    async def remove_silent_workers(self) -> None:
        """Remove the dead workers whose jobs others have claimed."""
        await self._database.execute_batch([SqlStatement(sql=_DELETE_IDLE_WORKERS)])
