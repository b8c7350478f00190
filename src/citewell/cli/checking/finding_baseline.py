"""Findings that are known and accepted, so that a check fails only for new ones."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from citewell.cli.checking.checked_draft import CheckedDraft, list_shown_findings
from citewell.cli.checking.finding_words import shorten_text
from citewell.errors import InvalidInput
from citewell.model.draft_findings import DraftFinding

_VERSION = 1
_FINGERPRINT_CHARS = 32
_MAX_TEXT_CHARS = 80  # of the text beside a fingerprint, for people who read the file


def build_fingerprint(finding: DraftFinding) -> str:
    """The same for the same finding after lines were added above it."""
    parts = (
        finding.verdict.value,
        finding.subject,
        " ".join(finding.text.split()),
        finding.citation or finding.reference or "",
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_FINGERPRINT_CHARS]


def read_baseline(path: Path) -> frozenset[str]:
    """The fingerprints of a file that `write_baseline` wrote; raises InvalidInput if it is none."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return frozenset(str(one["fingerprint"]) for one in known["findings"])
    except OSError as error:
        raise InvalidInput(
            f"{path}: {error.strerror or 'the file cannot be read'}. Make it with --write-baseline."
        ) from None
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(
            f"{path} is not a baseline. Make a new one with --write-baseline."
        ) from None


def write_baseline(path: Path, checked: list[CheckedDraft]) -> int:
    """Write the fingerprints of all findings that are not in order, and return their number."""
    rows: dict[str, dict[str, Any]] = {}
    for one in checked:
        for finding in list_shown_findings(one.report):
            fingerprint = build_fingerprint(finding)
            rows[fingerprint] = {
                "fingerprint": fingerprint,
                "verdict": finding.verdict.value,
                "text": shorten_text(finding.text, _MAX_TEXT_CHARS),
            }
    document = {"version": _VERSION, "findings": list(rows.values())}
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return len(rows)


def omit_known_findings(checked: CheckedDraft, known: frozenset[str]) -> CheckedDraft:
    """The draft without the findings that the baseline lists."""
    kept = tuple(one for one in checked.report.findings if build_fingerprint(one) not in known)
    return checked.with_findings(kept, known=len(checked.report.findings) - len(kept))
