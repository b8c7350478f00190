"""Backups in a real object store: whole or not there, verified, pruned, restored on either engine."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.net.object_client import (
    ObjectAddress,
    ObjectClient,
    ObjectFailure,
    ObjectStoreFailed,
    build_object_client,
)
from citewell.server.state import object_backups
from citewell.server.state.object_backups import (
    ObjectBackup,
    back_up_to_objects,
    restore_from_objects,
    split_backup_address,
)
from citewell.store.failures import StoreError, WrongMasterKey
from tests.clocks import Clock
from tests.contract.states import ENGINES, Kept, kept
from tests.object_servers import (
    BUCKET,
    KEY_ID,
    SECRET,
    ObjectDoor,
    object_settings,
    open_object_door,
    start_object_server,
)

pytestmark = pytest.mark.process
MASTER_KEY = "0c" * 32
PART_BYTES = 64 * 1024  # small, so that a backup of a test has several parts


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with start_object_server(tmp_path_factory.mktemp("objects")) as address:
        yield address


@pytest.fixture
def door(server: str) -> Iterator[ObjectDoor]:
    with open_object_door(server) as opened:
        yield opened


@dataclass
class Vault:
    """One place for backups, and the states that are copied to and from it."""

    folder: Path
    door: ObjectDoor
    place: str
    clock: Clock

    def state(self, name: str = "data", engine: str = "sqlite", **changes: Any) -> Kept:
        settings = {"master_key": MASTER_KEY} | object_settings(self.door.address) | changes
        return kept(engine, self.folder / name).with_settings(**settings)

    def client(self, **changes: Any) -> ObjectClient:
        address = ObjectAddress(bucket=BUCKET, prefix=self.place)
        return build_object_client(self.state(**changes).settings, address)

    def back_up(self, source: Kept, *, keep: int | None = None) -> ObjectBackup:
        self.clock.now += 60
        return source.run(
            lambda state: back_up_to_objects(
                state, self.client(), keep=keep, clock=self.clock, new_id=lambda: uuid.uuid4().hex
            )
        )

    def restore(self, target: Kept, **options: Any) -> ObjectBackup:
        return target.run(lambda state: restore_from_objects(state, self.client(), **options))

    def names(self) -> list[str]:
        async def read() -> list[str]:
            return sorted([one.name async for one in self.client().iterate_objects()])

        return asyncio.run(read())


@pytest.fixture
def vault(tmp_path: Path, door: ObjectDoor, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setattr(object_backups, "PART_BYTES", PART_BYTES)
    return Vault(tmp_path, door, f"backups/{uuid.uuid4().hex}", Clock())


def fill(source: Kept, session: str = "one") -> None:
    source.run(
        lambda state: state.sessions.create_session("someone", session, b"head", [os.urandom(9000)])
    )


def list_sessions(target: Kept) -> list[str]:
    heads = target.run(lambda state: state.sessions.list_heads("someone"))
    return sorted(head.id for head in heads)


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_a_backup_is_restored_on_either_engine(vault: Vault, engine: str) -> None:
    source = vault.state(engine=engine)
    fill(source)

    stored = vault.back_up(source)
    target = vault.state("other", engine)
    restored = vault.restore(target)

    assert stored.summary.counts == restored.summary.counts
    assert stored.summary.counts["sessions"] == 1
    assert len(vault.names()) > 3  # several parts, and a manifest
    assert list_sessions(target) == ["one"]


def test_nothing_in_the_bucket_is_plain(vault: Vault) -> None:
    source = vault.state()
    fill(source)
    vault.back_up(source)

    async def read() -> bytes:
        client = vault.client()
        bodies = [await client.load_object(name, max_bytes=2**30) for name in vault_names]
        return b"".join(body or b"" for body in bodies)

    vault_names = vault.names()
    everything = asyncio.run(read())

    assert b"SQLite format" not in everything
    assert b"CREATE TABLE" not in everything
    assert b"counts" not in everything


def test_the_newest_backup_is_restored_unless_one_is_named(vault: Vault) -> None:
    source = vault.state()
    fill(source)
    first = vault.back_up(source)
    fill(source, "two")
    vault.back_up(source)

    vault.restore(vault.state("newest"))
    vault.restore(vault.state("named"), name=first.name)

    assert list_sessions(vault.state("newest")) == ["one", "two"]
    assert list_sessions(vault.state("named")) == ["one"]
    address = ObjectAddress(bucket=BUCKET, prefix=f"{vault.place}/{first.name}")
    assert split_backup_address(address) == (vault.client().address, first.name)


def test_only_the_newest_are_kept(vault: Vault) -> None:
    source = vault.state()
    fill(source)
    first, second = vault.back_up(source), vault.back_up(source)

    third = vault.back_up(source, keep=2)

    assert third.pruned == (first.name,)
    assert {name.partition("/")[0] for name in vault.names()} == {second.name, third.name}


@pytest.mark.parametrize("refusal", [403, 0, 507])
def test_a_backup_that_failed_in_the_middle_is_none(
    vault: Vault, door: ObjectDoor, refusal: int
) -> None:
    source = vault.state(object_store_timeout=0.3)
    fill(source)
    before = vault.back_up(source, keep=1)
    fill(source, "two")
    door.refuse = lambda method, path: refusal if "part-00002" in path else None

    with pytest.raises(ObjectStoreFailed):
        vault.back_up(source, keep=1)

    door.refuse = lambda method, path: None
    assert vault.restore(vault.state("other")).name == before.name
    assert list_sessions(vault.state("other")) == ["one"]


def test_what_was_broken_off_is_deleted_a_day_later(vault: Vault, door: ObjectDoor) -> None:
    source = vault.state()
    fill(source)
    door.refuse = lambda method, path: 403 if "manifest" in path else None
    with pytest.raises(ObjectStoreFailed):
        vault.back_up(source)
    door.refuse = lambda method, path: None
    left = {name.partition("/")[0] for name in vault.names()}

    soon = vault.back_up(source)
    assert {name.partition("/")[0] for name in vault.names()} == left | {soon.name}
    vault.clock.now += 90_000
    later = vault.back_up(source)

    assert {name.partition("/")[0] for name in vault.names()} == {soon.name, later.name}


def test_a_store_that_loses_a_part_gets_no_manifest(vault: Vault, door: ObjectDoor) -> None:
    """It answers that it stored the part, and did not."""
    source = vault.state()
    fill(source)
    door.refuse = lambda method, path: 200 if method == "PUT" and "part-00001" in path else None

    with pytest.raises(ObjectStoreFailed) as raised:
        vault.back_up(source)

    assert raised.value.failure in {ObjectFailure.DAMAGED, ObjectFailure.UNREACHABLE}
    assert not [name for name in vault.names() if "manifest" in name]


@pytest.mark.parametrize("damage", ["cut", "swapped", "gone"])
def test_a_damaged_backup_changes_nothing(vault: Vault, damage: str) -> None:
    source = vault.state()
    fill(source)
    vault.back_up(source)
    target = vault.state("other")
    fill(target, "mine")
    part, next_part = (name for name in vault.names() if re.search("part-0000[01]", name))

    async def harm() -> None:
        client = vault.client()
        body = await client.load_object(part, max_bytes=2**30) or b""
        if damage == "gone":
            await client.delete_objects([part])
        else:
            await client.put_object(*((part, body[:-1]) if damage == "cut" else (next_part, body)))

    asyncio.run(harm())

    with pytest.raises(StoreError, match="damaged"):
        vault.restore(target, force=True)
    assert list_sessions(target) == ["mine"]


def test_a_backup_of_another_master_key_changes_nothing(vault: Vault) -> None:
    source = vault.state()
    fill(source)
    vault.back_up(source)
    target = vault.state("other", master_key="0d" * 32)

    with pytest.raises(WrongMasterKey):
        vault.restore(target)


def test_a_place_without_backups_says_so(vault: Vault) -> None:
    with pytest.raises(InvalidInput, match="no whole backup"):
        vault.restore(vault.state())


def test_a_missing_backup_is_told_with_those_that_exist(vault: Vault) -> None:
    source = vault.state()
    fill(source)
    stored = vault.back_up(source)

    with pytest.raises(InvalidInput, match=stored.name):
        vault.restore(vault.state("other"), name="20200101T000000Z-00000000")


def run_command(vault: Vault, *arguments: str, name: str = "data") -> subprocess.Popen[str]:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(vault.folder),
        "CITEWELL_DATA_DIR": str(vault.folder / name),
        "CITEWELL_MASTER_KEY": MASTER_KEY,
        "AWS_ENDPOINT_URL": vault.door.address,
        "AWS_ACCESS_KEY_ID": KEY_ID,
        "AWS_SECRET_ACCESS_KEY": SECRET,
    }
    return subprocess.Popen(
        [sys.executable, "-m", "citewell", *arguments],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_backup_killed_in_the_middle_is_none(vault: Vault, door: ObjectDoor) -> None:
    fill(vault.state())
    place = f"s3://{BUCKET}/{vault.place}"
    door.stall_on = lambda method, path: method == "PUT" and "manifest" in path

    with run_command(vault, "backup", place) as killed:
        assert door.stalled.wait(30)
        killed.send_signal(signal.SIGKILL)
        killed.communicate(timeout=30)

    door.stall_on = lambda method, path: False
    door.resumed.set()
    assert [name for name in vault.names() if "part-" in name]
    with run_command(vault, "restore", place, name="other") as restored:
        told, _ = restored.communicate(timeout=60)
    assert "no whole backup" in told
    assert restored.returncode == 2


def test_the_command_line_backs_up_and_restores(vault: Vault) -> None:
    fill(vault.state())
    place = f"s3://{BUCKET}/{vault.place}"

    with run_command(vault, "backup", place, "--keep", "1") as stored:
        told, _ = stored.communicate(timeout=60)
    with run_command(vault, "restore", place, name="other") as restored:
        again, _ = restored.communicate(timeout=60)

    assert stored.returncode == restored.returncode == 0, told + again
    assert "1 sessions" in told
    assert list_sessions(vault.state("other")) == ["one"]
    assert SECRET not in told + again
