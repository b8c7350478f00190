"""What has changed about a cited work since it was last checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from citewell.model.citation_checks import AuditEntry

RETRACTED, CONCERN, CORRECTED, REINSTATED = "retracted", "concern", "corrected", "reinstated"
LINK_DIED, LINK_BACK, MOVED, PUBLISHED = "link_died", "link_back", "moved", "published"
_KINDS_BY_NOTICE = {
    "retraction": RETRACTED,
    "unconfirmed_retraction": CONCERN,
    "expression_of_concern": CONCERN,
    "correction": CORRECTED,
    "reinstatement": REINSTATED,
}
_CHANGE_TEXTS = {
    RETRACTED: "was retracted",
    CONCERN: "has a notice of concern",
    CORRECTED: "was corrected",
    REINSTATED: "was reinstated",
    LINK_DIED: "can no longer be reached at its address",
    LINK_BACK: "can be reached again",
    MOVED: "has moved to another address",
    PUBLISHED: "was published in a journal",
}


def describe_reference_state(entry: AuditEntry) -> dict[str, Any]:
    """What is known now; what could not be checked is absent."""
    notice = entry.retraction_status
    told = {
        "notice": _KINDS_BY_NOTICE.get(notice.kind) if notice else None,
        "notice_id": (notice.notice_doi or notice.date) if notice else None,
        "is_live": entry.link_live,
        "moved_to": entry.moved_to,
        "published_doi": entry.published_doi,
        "archived_url": entry.archived_url,
    }
    return {key: value for key, value in told.items() if value is not None}


def merge_reference_state(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The newer facts over the older ones: what a registry in trouble did not say is kept."""
    return {**old, **new}


def list_reference_changes(
    old: Mapping[str, Any], new: Mapping[str, Any], entry: AuditEntry
) -> Iterator[dict[str, Any]]:
    """One piece of news for each change; with an empty `old`, all that is wrong already."""
    title = entry.title or entry.doi or entry.url or ""
    cited = {"title": title[:300], "doi": entry.doi, "url": entry.url, "key": entry.key}
    for kind, details in _iterate_changes(old, new, entry):
        told = {"kind": kind, "text": f"“{title[:200]}” {_CHANGE_TEXTS[kind]}.", **cited, **details}
        yield {name: value for name, value in told.items() if value is not None}


def _iterate_changes(
    old: Mapping[str, Any], new: Mapping[str, Any], entry: AuditEntry
) -> Iterator[tuple[str, dict[str, Any]]]:
    notice = new.get("notice")
    if notice and (notice, new.get("notice_id")) != (old.get("notice"), old.get("notice_id")):
        status = entry.retraction_status
        yield (
            notice,
            {
                "date": status.date if status else None,
                "notice_doi": status.notice_doi if status else None,
                "source": status.source if status else None,
            },
        )
    if new.get("is_live") is False and old.get("is_live") is not False:
        yield LINK_DIED, {"reason": entry.link_reason, "archived_url": entry.archived_url}
    if new.get("is_live") and old.get("is_live") is False:
        yield LINK_BACK, {}
    if new.get("moved_to") and new["moved_to"] != old.get("moved_to"):
        yield MOVED, {"moved_to": new["moved_to"]}
    if new.get("published_doi") and new["published_doi"] != old.get("published_doi"):
        yield PUBLISHED, {"published_doi": new["published_doi"]}
