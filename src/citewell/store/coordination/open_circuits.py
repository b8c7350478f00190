"""Which upstreams an instance has stopped asking for a while, so that the other ones stop too.

Times are those of the database server, so the clocks of the instances may differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from citewell.store.coordination.change_notices import ChangeNotices
from citewell.store.sql.database import SqlDatabase, SqlScalar, SqlStatement

CIRCUIT_TOPIC = "open_circuit"
_UPSERT_CIRCUIT = """
INSERT INTO open_circuit (name, until, limited) VALUES (:name, {now} + :seconds, :limited)
ON CONFLICT (name) DO UPDATE SET until = excluded.until, limited = excluded.limited
WHERE open_circuit.until < excluded.until
"""
_DELETE_CLOSED = "DELETE FROM open_circuit WHERE until <= {now}"
_SELECT_OPEN = "SELECT name, until - {now}, limited FROM open_circuit WHERE until > {now}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCircuit:
    """An upstream that is not asked for `seconds`; `is_limited` if it asked us to slow down."""

    name: str
    seconds: float
    is_limited: bool


class SqlOpenCircuits:
    def __init__(
        self, database: SqlDatabase, notices: ChangeNotices, *, clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._notices = notices
        self._clock = clock

    @property
    def notices(self) -> ChangeNotices:
        return self._notices

    async def announce_circuit(self, circuit: OpenCircuit) -> None:
        """Tell the other instances; a longer pause that is known already stays."""
        params: dict[str, SqlScalar] = {
            "name": circuit.name,
            "seconds": float(circuit.seconds),
            "limited": int(circuit.is_limited),
            "now": self._clock(),
        }
        notices = self._notices.build_notice(CIRCUIT_TOPIC, circuit.name)
        await self._database.execute_batch(
            [
                SqlStatement(sql=self._write_sql(_DELETE_CLOSED), params=params),
                SqlStatement(sql=self._write_sql(_UPSERT_CIRCUIT), params=params),
                *notices,
            ]
        )

    async def list_open_circuits(self) -> tuple[OpenCircuit, ...]:
        rows = await self._database.select_rows(
            self._write_sql(_SELECT_OPEN), {"now": self._clock()}
        )
        return tuple(
            OpenCircuit(name=name, seconds=seconds, is_limited=bool(limited))
            for name, seconds, limited in rows
        )

    def _write_sql(self, sql: str) -> str:
        return sql.format(now=self._database.dialect.now_expression)
