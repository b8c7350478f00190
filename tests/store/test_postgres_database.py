"""What the PostgreSQL engine does with statements and failures, as far as no server is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from citewell.core.errors import Misconfigured
from citewell.store.failures import BatchRolledBack, StoreError
from citewell.store.sql.database import SqlStatement
from citewell.store.sql.postgres_database import PostgresDatabase, number_parameters
from citewell.store.sql.postgres_pool import explain_postgres_error
from tests.services import Postgres, postgres_or_skip

pytestmark = pytest.mark.process  # a real PostgreSQL


def play(url: Any, scenario: Callable[[PostgresDatabase], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        database = PostgresDatabase(url, schema="cache")
        try:
            return await scenario(database)
        finally:
            await database.aclose()

    return asyncio.run(run())


def test_names_become_numbers_and_a_name_keeps_its_number() -> None:
    sql = "SELECT :a, :bee, CAST(:a AS TEXT) FROM x WHERE t = '12:30' AND c::text = :bee"

    assert number_parameters(sql) == (
        "SELECT $1, $2, CAST($1 AS TEXT) FROM x WHERE t = '12:30' AND c::text = $2",
        ("a", "bee"),
    )


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("nonsense://nobody:secret@127.0.0.1/x", Misconfigured),
        ("postgresql://nobody:secret@127.0.0.1:9/x", StoreError),
        ("postgresql:///x?host=/no/such/socket", StoreError),
    ],
)
def test_an_address_that_does_not_answer_is_said_without_the_password(url: str, kind: Any) -> None:
    pytest.importorskip("asyncpg")

    with pytest.raises(kind) as caught:
        play(url, lambda database: database.select_rows("SELECT 1"))

    assert "secret" not in caught.value.message


def lease(name: str, expect: None = None) -> SqlStatement:
    sql = "INSERT INTO lease (id, holder, expires) VALUES (:id, 'h', 1.0)"
    return SqlStatement(sql=sql, params={"id": name}, expected_rows=expect)


async def names(database: PostgresDatabase) -> Any:
    return [row[0] for row in await database.select_rows("SELECT id FROM lease ORDER BY id")]


@pytest.fixture(scope="module")
def server() -> Postgres:
    return postgres_or_skip()


def test_a_failed_guard_undoes_the_whole_batch(server: Postgres) -> None:
    async def scenario(database: PostgresDatabase) -> Any:
        unmet = SqlStatement(sql="DELETE FROM lease WHERE id = 'absent'", expected_rows=1)
        with pytest.raises(BatchRolledBack):
            await database.execute_batch([lease("a"), unmet])
        with pytest.raises(BatchRolledBack):
            await database.execute_batch([lease("a"), lease("a")])
        return await names(database)

    assert play(server.new(), scenario) == []


def test_returned_rows_and_changes_come_back(server: Postgres) -> None:
    async def scenario(database: PostgresDatabase) -> Any:
        await database.execute_batch([lease("a"), lease("b")])
        gone = SqlStatement(sql="DELETE FROM lease WHERE id = :id RETURNING id", params={"id": "a"})
        return await database.execute_batch(
            [gone, SqlStatement(sql="UPDATE lease SET holder = 'z'")]
        )

    gone, count = play(server.new(), scenario)

    assert (gone.rows, gone.changed_rows) == ((("a",),), 1)
    assert (count.rows, count.changed_rows) == ((), 1)


def test_a_schema_to_which_a_newer_program_only_added_is_used(server: Postgres) -> None:
    url = server.new()

    async def age(database: PostgresDatabase) -> None:
        await database.execute_batch([SqlStatement(sql="UPDATE schema_version SET version = 999")])

    async def look(database: PostgresDatabase) -> Any:
        await names(database)
        return await database.select_rows("SELECT version FROM schema_version")

    play(url, age)

    assert play(url, look) == [(999,)]


def test_a_newer_schema_is_refused_and_left_alone(server: Postgres) -> None:
    url = server.new()

    async def age(database: PostgresDatabase) -> None:
        newer = (
            "UPDATE schema_version SET version = 999",
            "UPDATE schema_contract SET number = 999",
        )
        await database.execute_batch([SqlStatement(sql=sql) for sql in newer])

    play(url, age)

    with pytest.raises(StoreError, match="newer Citewell"):
        play(url, names)


def test_processes_that_start_cold_at_once_migrate_once(server: Postgres) -> None:
    url = server.new()

    async def scenario(_: Any) -> Any:
        many = [PostgresDatabase(url, schema="state") for _ in range(6)]
        try:
            return await asyncio.gather(
                *(database.select_rows("SELECT version FROM schema_version") for database in many)
            )
        finally:
            for database in many:
                await database.aclose()

    versions = play(url, scenario)

    assert len({tuple(rows) for rows in versions}) == 1


def test_the_cache_is_unlogged_and_the_state_is_not(server: Postgres) -> None:
    url = server.new()

    async def kinds(database: PostgresDatabase) -> Any:
        rows = await database.select_rows(
            "SELECT relname, relpersistence::text FROM pg_class JOIN pg_namespace n "
            "ON n.oid = relnamespace WHERE nspname = :place AND relkind = 'r'",
            {"place": database.schema_name},
        )
        return dict(rows)

    assert play(url, kinds)["entry"] == "u"

    async def state(_: Any) -> Any:
        database = PostgresDatabase(url, schema="state")
        try:
            return await kinds(database)
        finally:
            await database.aclose()

    assert play(url, state)["session"] == "p"


SIZED = "INSERT INTO entry (id, size) VALUES ('x', :size)"


@pytest.mark.parametrize(
    "bad",
    [lease("\ud800"), lease("a\x00b"), SqlStatement(sql=SIZED, params={"size": 2**70})],
    ids=["half a pair", "nul", "too large"],
)
def test_a_value_that_cannot_be_stored_is_refused_and_the_rest_goes_on(
    server: Postgres, bad: Any
) -> None:
    async def scenario(database: PostgresDatabase) -> Any:
        answers = await asyncio.gather(
            database.execute_batch([lease("a")]),
            database.execute_batch([bad]),
            return_exceptions=True,
        )
        return [isinstance(answer, Exception) for answer in answers], await names(database)

    assert play(server.new(), scenario) == ([False, True], ["a"])


def test_closed_is_closed(server: Postgres) -> None:
    async def scenario(database: PostgresDatabase) -> None:
        await database.aclose()
        with pytest.raises(StoreError, match="closed"):
            await database.select_rows("SELECT 1")

    play(server.new(), scenario)


def test_connections_that_the_server_ended_while_idle_are_replaced(server: Postgres) -> None:
    url = server.new()
    others = "FROM pg_stat_activity WHERE datname = (SELECT current_database()) AND pid <> pg_backend_pid()"
    name = url.split("/")[3].split("?")[0]

    def end_connections() -> None:
        server.ask(f"SELECT count(pg_terminate_backend(pid)) {others}", database=name)
        while server.ask(f"SELECT count(*) {others}", database=name).strip() != "0":
            pass

    async def scenario(database: PostgresDatabase) -> list[str]:
        for number in range(5):
            await asyncio.gather(*(names(database) for _ in range(4)))
            await asyncio.to_thread(end_connections)
            sql = "INSERT INTO lease (id, holder, expires) VALUES (:id, 'x', 0)"
            await database.execute_batch([SqlStatement(sql=sql, params={"id": f"name-{number}"})])
        return list(await names(database))

    assert len(play(url, scenario)) == 5


def test_a_lost_connection_is_an_error_that_may_pass_and_a_wrong_password_is_not() -> None:
    asyncpg = pytest.importorskip("asyncpg")

    lost = explain_postgres_error(asyncpg.ConnectionDoesNotExistError("gone"))
    wrong = explain_postgres_error(asyncpg.InvalidPasswordError("no"))

    assert (lost.retryable, wrong.retryable) == (True, False)
