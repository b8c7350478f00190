"""What an answer says of a citation, in the evaluation's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ACCUSING = frozenset({"not registered", "unmatched", "wrong work", "wrong author", "wrong year"})
LABELS = (
    "not registered", "unmatched", "wrong work", "wrong author", "wrong year", "retracted", "concern", "corrected",
    "reinstated", "dead link", "soft 404", "mischaracterised", "legal",
)  # fmt: skip
CONFIRMED, DOUBTFUL = "confirmed", "doubtful"
_SOFT = frozenset({"soft_404", "home_redirect", "parked"})
_PARTS = {"titleMatch": "wrong work", "authorMatch": "wrong author", "yearMatch": "wrong year"}
_NOTICES = {
    "expression_of_concern": "concern",
    "correction": "corrected",
    "reinstatement": "reinstated",
}


def labels(answer: Mapping[str, Any]) -> frozenset[str]:
    """Everything that an answer of verify_citation, or an entry of audit_bibliography, holds against it."""
    found = {label for field, label in _PARTS.items() if answer.get(field) == "mismatch"}
    if answer.get("existence") == "not_registered":
        found.add("not registered")
    elif answer.get("existence") == "not_found":
        found.add("unmatched")
    if (status := answer.get("retractionStatus")) is not None:
        found.add(
            "retracted" if status["retracted"] else _NOTICES.get(status["kind"], status["kind"])
        )
    if answer.get("linkState") == "dead" or answer.get("linkLive") is False:
        found.add("soft 404" if answer.get("linkReason") in _SOFT else "dead link")
    if answer.get("claimSupport") == "not_addressed":
        found.add("mischaracterised")
    if answer.get("inputType") == "legal":
        found.add("legal")
    return frozenset(found)


def confirmed(answer: Mapping[str, Any]) -> bool:
    """Whether the citation was found for certain."""
    if "verificationStatus" in answer:
        return bool(answer["verificationStatus"] == "confirmed")
    return answer.get("existence") == "found" and not {"unchecked", "mismatch"} & set(
        answer["flags"]
    )


def verdict(answer: Mapping[str, Any]) -> str:
    """The gravest label, or whether it was found when there is none."""
    found = labels(answer)
    grave = next((label for label in LABELS if label in found), None)
    return grave or (CONFIRMED if confirmed(answer) else DOUBTFUL)
