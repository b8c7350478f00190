"""Masks credentials in text that goes to logs, errors and audit records."""

from __future__ import annotations

import re

_MASK_TEXT = "***"
_KNOWN_KEY_PATTERN = re.compile(
    r"AIza[\w-]{35}|\bsk-[\w-]{20,}|\bBSA[\w-]{20,}|\btvly-[\w-]{16,}|\bgh[pousr]_\w{20,}|\b[0-9a-fA-F]{64}\b"
)
_LABELLED_SECRET_PATTERN = re.compile(
    r"(?i)(bearer\s+|(?:api[_-]?key|key|token|secret|password|passwd|access_token|subscription-token)"
    r"[\"']?\s*[=:]\s*[\"']?)([^\s&\"',;}]{6,})"
)
_URL_USERINFO_PATTERN = re.compile(r"(?i)(https?://)[^\s/@:]+:[^\s/@]+@")
_ARTIFACT_URI_PATTERN = re.compile(r"research://artifact/[0-9a-f]{64}")


def mask_secrets(text: str) -> str:
    """`text` with everything that looks like a credential replaced by ***; artifact ids are kept."""
    kept = _ARTIFACT_URI_PATTERN.findall(text)
    for number, uri in enumerate(kept):
        text = text.replace(uri, f"\x00{number}\x00")
    text = _KNOWN_KEY_PATTERN.sub(_MASK_TEXT, text)
    text = _LABELLED_SECRET_PATTERN.sub(lambda match: match[1] + _MASK_TEXT, text)
    text = _URL_USERINFO_PATTERN.sub(lambda match: match[1] + _MASK_TEXT + "@", text)
    for number, uri in enumerate(kept):
        text = text.replace(f"\x00{number}\x00", uri)
    return text
