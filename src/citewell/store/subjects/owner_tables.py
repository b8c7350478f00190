"""Which tables hold rows of an owner, what they are called in a receipt, and how a copy is purged.

Every table with a column `owner` is listed here, either as erased or as kept with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from citewell.store.sql.database import SqlStatement

if TYPE_CHECKING:
    import sqlite3

KEY_TABLE = "dek"
# Deleted with the owner; rows of other tables that refer to these go with them. Children first.
ERASED_TABLES = (
    "claim",
    "findings",
    "job",
    "thread",
    "ledger",
    "account",
    "session",
    "document",
    "library",
    "consent",
    "memory",
    "contribution",
    "workspace_member",
    "watch_news",
    "watch",
    "user_analytics",
    "api_token",
    "mcp_session",
    "mcp_session_message",
    "audit_owner",
    "owner_name",
    KEY_TABLE,
)
# Kept after an erasure, each without anything that can be read.
KEPT_TABLES = {
    "audit_waiting": "The audit chain covers the row; its personal parts went with the owner's keys.",
    "erasure": "The record that the owner was erased: a keyed hash, a time and counts.",
}

_COUNT_BY_OWNER = "SELECT COUNT(*) FROM {table} WHERE owner = :owner"
_COUNT_BY_PARENT = "SELECT COUNT(*) FROM {table} WHERE {parent} IN (SELECT {key} FROM {parent} WHERE owner = :owner)"
# What a receipt counts: the namespace, and the table, or the table with its parent and the parent's key.
_COUNTED = {
    "sessions": ("session",),
    "session_steps": ("session_step", "session", "id"),
    "jobs": ("job",),
    "threads": ("thread",),
    "messages": ("message", "thread", "id"),
    "reports": ("findings",),
    "sources": ("source", "job", "id"),
    "claims": ("claim",),
    "evidence": ("evidence", "claim", "name"),
    "ledger_entries": ("ledger",),
    "library_documents": ("document",),
    "consents": ("consent",),
    "memories": ("memory",),
    "workspace_contributions": ("contribution",),
    "workspace_memberships": ("workspace_member",),
    "watches": ("watch",),
    "watch_news": ("watch_news",),
    "analytics": ("user_analytics",),
    "api_tokens": ("api_token",),
    "keys": (KEY_TABLE,),
}


def build_owner_counts(tag: str) -> dict[str, SqlStatement]:
    """For each namespace of a receipt the statement that counts the owner's rows."""
    return {
        namespace: SqlStatement(sql=_build_count_sql(*place), params={"owner": tag})
        for namespace, place in _COUNTED.items()
    }


def build_table_erasure(tag: str) -> list[SqlStatement]:
    """The statements that delete the owner's rows from every table, except the keys."""
    return [
        SqlStatement(sql=f"DELETE FROM {table} WHERE owner = :owner", params={"owner": tag})  # noqa: S608 - our own names
        for table in ERASED_TABLES
        if table != KEY_TABLE
    ]


def purge_owner_rows(link: sqlite3.Connection, tag: str) -> None:
    """Delete an owner's rows and keys from a copy of the state, within the connection's transaction."""
    for table in ERASED_TABLES:
        link.execute(f"DELETE FROM {table} WHERE owner = ?", (tag,))  # noqa: S608 - our own names


def _build_count_sql(table: str, parent: str = "", key: str = "") -> str:
    if not parent:
        return _COUNT_BY_OWNER.format(table=table)
    return _COUNT_BY_PARENT.format(table=table, parent=parent, key=key)
