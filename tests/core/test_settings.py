"""The sections of all rooms: each is found by its place, and no name or field is declared twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from citewell.core.config import Settings, list_settings
from citewell.core.room_modules import PACKAGE_FOLDER
from citewell.core.settings import CoreSettings
from citewell.store.settings import StoreSettings


def test_every_setting_has_a_name_and_a_field_of_its_own() -> None:
    names = Counter(
        name
        for setting in list_settings()
        for name in (setting.name, setting.other_name)
        if name is not None
    )
    fields = Counter(setting.field for setting in list_settings())

    assert [name for name, count in (names | fields).items() if count > 1] == []


def test_a_default_is_a_value_that_could_be_set() -> None:
    for setting in list_settings():
        if setting.default is not None:
            assert setting.parse(setting.default) == setting.default


def test_every_settings_file_is_a_section_of_its_room() -> None:
    rooms = {path.parent.name for path in PACKAGE_FOLDER.glob("*/settings.py")}

    assert {"core", "net", "search", "server", "store"} <= rooms
    assert len(list_settings()) > 150


@pytest.mark.parametrize(
    ("values", "is_sealed"),
    [
        ({}, False),
        ({"profile": "all"}, False),
        ({"profile": "searxng"}, True),
        ({"query_providers": ("brave",)}, True),
    ],
)
def test_queries_are_sealed_by_the_profile_of_spec_3_and_by_a_list_of_providers(
    values: dict[str, object], is_sealed: bool
) -> None:
    assert Settings(raw={}, **values)[CoreSettings].is_sealed is is_sealed


def test_the_cache_is_in_the_data_folder_unless_it_has_a_place_of_its_own(tmp_path: Path) -> None:
    shared = Settings(raw={"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")})
    apart = Settings(data_dir=tmp_path, cache_dir=tmp_path / "cache")

    assert shared[StoreSettings].cache_path == tmp_path / "data" / "citewell"
    assert apart[StoreSettings].cache_path == tmp_path / "cache"


def test_the_direct_address_of_the_database_counts_only_with_a_database() -> None:
    direct = "postgresql://db:5432/citewell"
    pooled = Settings(database_url="postgresql://pool:6432/citewell", database_direct_url=direct)

    assert Settings(database_direct_url=direct)[StoreSettings].direct_database_url is None
    assert pooled[StoreSettings].direct_database_url == direct
