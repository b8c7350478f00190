"""What the doctor says about the object store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from citewell.core.config import Settings
from citewell.server.commands.diagnosis.installation_checks import InstallationCheck
from citewell.server.commands.doctor import check_object_store
from tests.object_servers import (
    BUCKET,
    SECRET,
    ObjectDoor,
    object_settings,
    open_object_door,
    start_object_server,
)

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with start_object_server(tmp_path_factory.mktemp("objects")) as address:
        yield address


@pytest.fixture
def door(server: str) -> Iterator[ObjectDoor]:
    with open_object_door(server) as opened:
        yield opened


def examine(
    door: ObjectDoor, *, offline: bool = False, bucket: str = BUCKET, **changes: Any
) -> InstallationCheck:
    settings = Settings(
        object_store_url=f"s3://{bucket}/citewell", **object_settings(door.address, **changes)
    )
    (found,) = asyncio.run(check_object_store(settings, offline=offline))
    return found


def test_without_an_object_store_nothing_is_said() -> None:
    assert asyncio.run(check_object_store(Settings(), offline=False)) == ()


def test_a_store_that_works_is_left_as_it_was(door: ObjectDoor) -> None:
    found = examine(door)

    assert (found.state, "can be written" in found.detail) == ("ok", True)
    assert [method for method, _ in door.asked] == ["PUT", "GET", "POST"]


def test_offline_asks_nobody(door: ObjectDoor) -> None:
    found = examine(door, offline=True)

    assert (found.state, "not tried" in found.detail, door.asked) == ("ok", True, [])


def test_a_bucket_that_is_not_there_is_named_as_the_cause(door: ObjectDoor) -> None:
    found = examine(door, bucket="another-bucket")

    assert (found.state, "no bucket of this name" in found.detail) == ("failed", True)


@pytest.mark.parametrize("refused", ["PUT", "GET", "POST"])
def test_a_key_that_may_not_do_all_of_it_fails(door: ObjectDoor, refused: str) -> None:
    door.refuse = lambda method, _path: 403 if method == refused else None

    found = examine(door)

    assert (found.state, "AWS_ACCESS_KEY_ID" in found.detail) == ("failed", True)
    assert SECRET not in found.detail


def test_a_store_that_is_away_fails_and_says_what_to_check(door: ObjectDoor) -> None:
    door.refuse = lambda _method, _path: 0

    found = examine(door, object_store_timeout=0.3)

    assert (found.state, "CITEWELL_OBJECT_STORE_ENDPOINT" in found.detail) == ("failed", True)


def test_a_missing_access_key_names_the_settings(door: ObjectDoor) -> None:
    found = examine(door, object_store_key_id=None)

    assert (found.state, "AWS_SECRET_ACCESS_KEY" in found.detail) == ("failed", True)
