"""The settings of the room `store`."""

from __future__ import annotations

from pathlib import Path

from citewell.core import environment
from citewell.core.config import (
    Setting,
    SettingsSection,
    address_with,
    choice_of,
    count_from,
    parse_bool,
    parse_duration,
    parse_path,
    parse_text,
    text_matching,
)

STATE_FILE = "state.db"  # in the data folder

_parse_postgres_address = address_with(
    "postgresql", "postgres", example="postgresql://user:password@host:5432/citewell"
)


def _parse_object_store_address(value: object) -> str:
    address_with("s3", example="s3://bucket/prefix")(value)
    return text_matching(r"^[sS]3://[^?#@]+$")(value)


class StoreSettings(SettingsSection):
    data_dir = Setting("CITEWELL_DATA_DIR", None, "Where state and cache live.", parse_path)
    cache_dir = Setting(
        "CACHE_DIR", None, "Where the cache lives, if not in the data directory.", parse_path
    )
    cache_enabled = Setting("CITEWELL_CACHE", True, "Keep answers for reuse.", parse_bool)
    cache_max_memory_mb = Setting(
        "CACHE_MAX_MEMORY_MB", 64, "Memory for the cache's first tier.", count_from(0)
    )
    cache_max_disk_mb = Setting(
        "CITEWELL_CACHE_MAX_DISK_MB",
        512,
        "Disk for the cache's second tier; the least recently used goes first.",
        count_from(0),
    )
    cache_key = Setting(
        "CACHE_ENCRYPTION_KEY",
        None,
        "64 hex digits; the cache is encrypted with it. Without it a key file in the data directory is used.",
        parse_text,
        secret=True,
    )
    cache_key_previous = Setting(
        "CACHE_ENCRYPTION_KEY_PREV",
        None,
        "The key before the last rotation, still accepted for reading.",
        parse_text,
        secret=True,
    )
    cache_isolation = Setting(
        "CACHE_ISOLATION",
        None,
        "`tenant` keeps each tenant's cached answers apart, `shared` does not. When not set: `tenant` if callers authenticate, else `shared`.",
        choice_of("shared", "tenant"),
    )
    artifact_ttl = Setting(
        "CITEWELL_ARTIFACT_TTL", 1800.0, "How long a linked result can be fetched.", parse_duration
    )
    database_url = Setting(
        "CITEWELL_DATABASE_URL",
        None,
        "postgresql://… keeps state and cache in PostgreSQL (14 or newer) instead of files, for several instances.",
        _parse_postgres_address,
        secret=True,
    )
    database_direct_url = Setting(
        "CITEWELL_DATABASE_DIRECT_URL",
        None,
        "The same database without a connection pooler in between, if CITEWELL_DATABASE_URL names one such as PgBouncer; used for notifications, migrations and the job engine.",
        _parse_postgres_address,
        secret=True,
    )
    database_connections = Setting(
        "CITEWELL_DATABASE_CONNECTIONS",
        10,
        "The most connections to PostgreSQL that a process opens for the state, and as many for the cache.",
        count_from(1),
    )
    redis_url = Setting(
        "REDIS_URL",
        None,
        "redis://… keeps cache, leases and limits in Redis, shared by all instances.",
        address_with("redis", "rediss", "unix", example="redis://host:6379/0"),
        secret=True,
    )
    object_store_url = Setting(
        "CITEWELL_OBJECT_STORE_URL",
        None,
        "s3://bucket/prefix keeps large linked results in an S3-compatible store, encrypted; needs the extra `s3`.",
        _parse_object_store_address,
    )
    master_key = Setting(
        "CITEWELL_MASTER_KEY",
        None,
        "64 hex digits; wraps the keys that encrypt the state. Without it, a key file in the data directory is used.",
        parse_text,
        secret=True,
    )
    master_key_file = Setting(
        "CITEWELL_MASTER_KEY_FILE",
        None,
        "A file with the master key, such as a mounted secret; further lines hold previous keys.",
        parse_path,
    )
    master_key_previous = Setting(
        "CITEWELL_MASTER_KEY_PREVIOUS",
        None,
        "The master key before the last rotation, still accepted for reading.",
        parse_text,
        secret=True,
    )
    keyring = Setting(
        "CITEWELL_KEYRING",
        False,
        "Keep the master key in the system's keyring instead of a file; needs the keyring library.",
        parse_bool,
    )

    @property
    def data_path(self) -> Path:
        return self.data_dir or environment.find_data_path(self.raw)

    @property
    def cache_path(self) -> Path:
        return self.cache_dir or self.data_path

    @property
    def direct_database_url(self) -> str | None:
        """Where to connect for what a connection pooler does not support; None without PostgreSQL."""
        return self.database_url and (self.database_direct_url or self.database_url)
