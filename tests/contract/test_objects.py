"""Large artifacts in a real object store: whose they are, how long they last, what failures do."""

from __future__ import annotations

import asyncio
import logging
import os
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from citewell.core.config import Settings, load_settings
from citewell.core.errors import InvalidInput, Misconfigured, NotFound
from citewell.net.object_client import (
    ObjectAddress,
    ObjectClient,
    ObjectFailure,
    ObjectStoreFailed,
    build_object_client,
    parse_object_address,
)
from citewell.net.settings import NetSettings
from citewell.store.cache_store import CacheStore, open_cache_store
from citewell.store.failures import EntryUnreachable, StoreError
from citewell.store.object_entry_tier import MIN_OBJECT_BYTES
from tests.clocks import Clock
from tests.object_servers import (
    BUCKET,
    SECRET,
    ObjectDoor,
    object_settings,
    open_object_door,
    start_object_server,
)

pytestmark = pytest.mark.process
LARGE = os.urandom(MIN_OBJECT_BYTES).hex().encode()  # does not compress to nothing
SMALL = b"a small result"
VICTIM, OTHER = "acme/anna", "acme/otto"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with start_object_server(tmp_path_factory.mktemp("objects")) as address:
        yield address


@pytest.fixture
def door(server: str) -> Iterator[ObjectDoor]:
    with open_object_door(server) as opened:
        yield opened


@dataclass
class Shelf:
    """Cache stores that share one database and one place in the object store."""

    folder: Path
    endpoint: str
    place: str
    clock: Clock

    def settings(self, **changes: Any) -> Settings:
        return Settings(
            data_dir=self.folder,
            object_store_url=f"s3://{BUCKET}/{self.place}",
            **object_settings(self.endpoint, **changes),
        )

    def client(self, **changes: Any) -> ObjectClient:
        address = ObjectAddress(bucket=BUCKET, prefix=self.place)
        return build_object_client(self.settings(**changes), address)

    def run(self, scenario: Callable[[CacheStore], Awaitable[Any]], **changes: Any) -> Any:
        async def play() -> Any:
            store = open_cache_store(self.settings(**changes), self.clock)
            try:
                return await scenario(store)
            finally:
                await store.aclose()

        return asyncio.run(play())

    def names(self) -> list[str]:
        async def read() -> list[str]:
            return [one.name async for one in self.client().iterate_objects()]

        return asyncio.run(read())


@pytest.fixture
def shelf(tmp_path: Path, door: ObjectDoor) -> Shelf:
    return Shelf(tmp_path / "data", door.address, f"place/{uuid.uuid4().hex}", Clock())


def keep(body: bytes, owner: str = VICTIM) -> Callable[[CacheStore], Awaitable[str]]:
    async def store_body(store: CacheStore) -> str:
        return (await store.artifacts.store_artifact(owner, body, "text/plain")).id

    return store_body


def read(name: str, owner: str = VICTIM) -> Callable[[CacheStore], Awaitable[Any]]:
    async def load_body(store: CacheStore) -> Any:
        return await store.artifacts.load_artifact(owner, name)

    return load_body


def test_a_large_artifact_is_an_encrypted_object_and_a_small_one_is_not(
    shelf: Shelf, door: ObjectDoor
) -> None:
    large, small = shelf.run(keep(LARGE)), shelf.run(keep(SMALL))

    assert len(shelf.names()) == 1
    assert large not in str(door.asked)  # names are keyed hashes
    assert VICTIM.split("/")[1] not in str(door.asked)
    stored = shelf.run(read(large))  # another process: nothing is in its memory
    assert (stored.body, stored.artifact.media_type) == (LARGE, "text/plain")
    assert shelf.run(read(small)).body == SMALL
    (name,) = shelf.names()
    body = asyncio.run(shelf.client().load_object(name, max_bytes=2**30))
    assert body is not None
    assert LARGE[:64] not in body


def test_no_owner_reads_the_object_of_another(shelf: Shelf) -> None:
    name = shelf.run(keep(LARGE))

    for other in (OTHER, "other/anna", "default/anonymous"):
        with pytest.raises(NotFound):
            shelf.run(read(name, other))


def test_an_object_moved_to_another_owner_cannot_be_read(shelf: Shelf) -> None:
    """Whoever can write to the bucket can copy an object, but not to where somebody else reads it."""
    name = shelf.run(keep(LARGE))
    (of_victim,) = shelf.names()
    shelf.run(keep(LARGE, OTHER))
    (of_other,) = set(shelf.names()) - {of_victim}
    shelf.clock.now += 1

    async def swap() -> None:
        client = shelf.client()
        body = await client.load_object(of_victim, max_bytes=2**30)
        await client.put_object(of_other, body or b"")

    asyncio.run(swap())

    with pytest.raises(NotFound):
        shelf.run(read(name, OTHER))
    assert shelf.run(read(name)).body == LARGE


def test_an_expired_object_is_not_read_and_one_process_sweeps_it(shelf: Shelf) -> None:
    shelf.clock.now = time.time()
    name = shelf.run(keep(LARGE))
    shelf.clock.now += 1801

    with pytest.raises(NotFound):
        shelf.run(read(name))
    shelf.clock.now += 7200

    async def sweep_together(store: CacheStore) -> tuple[int, int]:
        other = open_cache_store(shelf.settings(), shelf.clock)
        try:
            return await store.sweep_artifact_objects(), await other.sweep_artifact_objects()
        finally:
            await other.aclose()

    assert shelf.run(sweep_together) == (1, 0)
    assert shelf.names() == []


def test_a_fresh_object_is_not_swept(shelf: Shelf) -> None:
    shelf.clock.now = time.time()
    shelf.run(keep(LARGE))

    assert shelf.run(lambda store: store.sweep_artifact_objects()) == 0
    assert len(shelf.names()) == 1


def test_an_erasure_deletes_the_objects_of_one_owner(shelf: Shelf) -> None:
    mine, theirs = shelf.run(keep(LARGE)), shelf.run(keep(LARGE + b"!", OTHER))

    shelf.run(lambda store: store.erase_owner(VICTIM))

    with pytest.raises(NotFound):
        shelf.run(read(mine))
    assert shelf.run(read(theirs, OTHER)).body == LARGE + b"!"
    assert len(shelf.names()) == 1


def test_an_erasure_fails_if_the_objects_cannot_be_deleted(shelf: Shelf, door: ObjectDoor) -> None:
    shelf.run(keep(LARGE))
    door.refuse = lambda method, path: 403

    with pytest.raises(StoreError):
        shelf.run(lambda store: store.erase_owner(VICTIM))


def test_an_export_has_the_objects_and_rows_of_its_owner_alone(shelf: Shelf) -> None:
    names = [shelf.run(keep(body)) for body in (LARGE, b"small")]
    shelf.run(keep(LARGE + b"!", OTHER))
    shelf.run(keep(b"small too", OTHER))

    async def export(store: CacheStore) -> dict[str, bytes]:
        return {one.artifact.id: one.body async for one in store.iterate_artifacts(VICTIM)}

    assert shelf.run(export) == dict(zip(names, (LARGE, b"small"), strict=True))


def test_an_artifact_written_before_a_key_rotation_is_read_after_it(shelf: Shelf) -> None:
    name = shelf.run(keep(LARGE), cache_key="0a" * 32)

    after = {"cache_key": "0b" * 32, "cache_key_previous": "0a" * 32}

    assert shelf.run(read(name), **after).body == LARGE
    shelf.run(lambda store: store.erase_owner(VICTIM), **after)
    assert shelf.names() == []


@pytest.mark.parametrize("refusal", [403, 404, 500, 503, 0])
def test_a_failing_object_store_costs_no_artifact(
    refusal: int, shelf: Shelf, door: ObjectDoor, caplog: pytest.LogCaptureFixture
) -> None:
    door.refuse = lambda method, path: refusal

    name = shelf.run(keep(LARGE), object_store_timeout=0.5)

    door.refuse = lambda method, path: None
    assert shelf.run(read(name)).body == LARGE
    assert shelf.names() == []
    assert "object store" in caplog.text
    assert SECRET not in caplog.text


def test_a_hanging_object_store_is_left_alone_for_a_while(shelf: Shelf, door: ObjectDoor) -> None:
    door.stall_on = lambda method, path: method == "PUT"

    async def scenario(store: CacheStore) -> tuple[Any, ...]:
        await keep(LARGE)(store)
        asked = door.count_asked("PUT")
        await keep(LARGE + b"!")(store)
        return asked, store.list_store_warnings()

    asked, warnings = shelf.run(scenario, object_store_timeout=0.2)

    assert door.count_asked("PUT") == asked
    assert len(warnings) == 1


def test_a_busy_object_store_is_asked_again(shelf: Shelf, door: ObjectDoor) -> None:
    answers = iter([503, 503])
    door.refuse = lambda method, path: next(answers, None) if method == "PUT" else None

    shelf.run(keep(LARGE))

    assert len(shelf.names()) == 1
    assert door.count_asked("PUT") == 3


def test_an_object_store_that_is_gone_does_not_say_that_nothing_exists(
    shelf: Shelf, door: ObjectDoor
) -> None:
    name = shelf.run(keep(LARGE))
    door.refuse = lambda method, path: 0

    with pytest.raises(EntryUnreachable) as raised:
        shelf.run(read(name), object_store_timeout=0.5)

    assert raised.value.retryable


def test_an_answer_that_ends_in_the_middle_is_a_failure(shelf: Shelf, door: ObjectDoor) -> None:
    name = shelf.run(keep(LARGE))
    door.truncate = True

    with pytest.raises(EntryUnreachable):
        shelf.run(read(name), object_store_timeout=0.5)


def test_an_object_that_was_cut_is_not_read(shelf: Shelf) -> None:
    name = shelf.run(keep(LARGE))
    (stored,) = shelf.names()

    async def cut() -> None:
        client = shelf.client()
        body = await client.load_object(stored, max_bytes=2**30)
        await client.put_object(stored, (body or b"")[:-100])

    asyncio.run(cut())

    with pytest.raises(NotFound):
        shelf.run(read(name))


@pytest.mark.parametrize(
    ("changes", "bucket", "failure"),
    [
        ({"object_store_key_id": "NOBODY"}, BUCKET, ObjectFailure.DENIED),
        ({}, "no-such-bucket", ObjectFailure.NO_BUCKET),
        ({"object_store_endpoint": "http://127.0.0.1:9"}, BUCKET, ObjectFailure.UNREACHABLE),
    ],
)
def test_each_failure_has_its_code_and_a_message_without_secrets(
    shelf: Shelf, changes: dict[str, Any], bucket: str, failure: ObjectFailure
) -> None:
    settings = shelf.settings(**{"object_store_timeout": 0.5} | changes)
    client = build_object_client(settings, ObjectAddress(bucket=bucket))

    async def attempt() -> None:
        await client.put_object("name", b"body")

    with pytest.raises(ObjectStoreFailed) as raised:
        asyncio.run(attempt())

    assert raised.value.failure is failure
    assert raised.value.__cause__ is None
    assert SECRET not in str(raised.value)


def test_a_wrong_secret_is_reported_as_such(shelf: Shelf, door: ObjectDoor) -> None:
    door.refuse = lambda method, path: 403

    with pytest.raises(ObjectStoreFailed) as raised:
        asyncio.run(shelf.client().put_object("name", b"body"))

    assert raised.value.failure is ObjectFailure.DENIED


def test_an_object_larger_than_asked_for_is_not_loaded(shelf: Shelf) -> None:
    async def scenario() -> None:
        client = shelf.client()
        await client.put_object("name", b"x" * 11)
        await client.load_object("name", max_bytes=10)

    with pytest.raises(ObjectStoreFailed) as raised:
        asyncio.run(scenario())

    assert raised.value.failure is ObjectFailure.DAMAGED


def test_without_an_access_key_nobody_is_asked(shelf: Shelf, door: ObjectDoor) -> None:
    with pytest.raises(Misconfigured, match="AWS_ACCESS_KEY_ID"):
        shelf.run(keep(LARGE), object_store_secret=None)

    assert door.asked == []


def test_the_names_of_amazon_are_read_if_ours_are_not_set(tmp_path: Path) -> None:
    names = {
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret-value",
        "AWS_REGION": "eu-west-1",
        "AWS_ENDPOINT_URL": "https://objects.example",
    }

    settings = load_settings({**names, "HOME": str(tmp_path)})

    assert settings[NetSettings].object_store_key_id == "id"
    assert settings[NetSettings].object_store_secret == "secret-value"
    assert settings[NetSettings].object_store_region == "eu-west-1"
    assert settings[NetSettings].object_store_endpoint == "https://objects.example"
    assert "secret-value" not in repr(settings)


@pytest.mark.parametrize(
    "text",
    ["s3://", "s3://B", "s3://bucket@host/x", "s3://bucket/../x", "s3://bucket/a b", "s3://a/b?c", "s4://bucket/x"],
)  # fmt: skip
def test_an_address_that_could_lead_elsewhere_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_object_address(text)


def test_a_wrong_setting_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_OBJECT_STORE_URL"):
        open_cache_store(
            Settings(data_dir=tmp_path, object_store_url="s3://B/x", **object_settings("http://x"))
        )


def test_nothing_of_the_library_logs_the_access_key(
    shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    shelf.run(keep(LARGE), object_store_secret="very-secret-key-value")

    assert "very-secret-key-value" not in caplog.text
