"""Nothing that looks like a credential leaves in a log line, an error or an audit record."""

from __future__ import annotations

import re

_MASK = "***"
_BARE = re.compile(
    r"AIza[\w-]{35}|\bsk-[\w-]{20,}|\bBSA[\w-]{20,}|\btvly-[\w-]{16,}|\bgh[pousr]_\w{20,}|\b[0-9a-fA-F]{64}\b"
)
_LABELLED = re.compile(
    r"(?i)(bearer\s+|(?:api[_-]?key|key|token|secret|password|passwd|access_token|subscription-token)"
    r"[\"']?\s*[=:]\s*[\"']?)([^\s&\"',;}]{6,})"
)
_USERINFO = re.compile(r"(?i)(https?://)[^\s/@:]+:[^\s/@]+@")
_ARTIFACT = re.compile(r"research://artifact/[0-9a-f]{64}")


def masked(text: str) -> str:
    """`text` with every credential-like part replaced; artifact ids are not secrets and stay."""
    kept = _ARTIFACT.findall(text)
    for number, uri in enumerate(kept):
        text = text.replace(uri, f"\x00{number}\x00")
    text = _BARE.sub(_MASK, text)
    text = _LABELLED.sub(lambda match: match[1] + _MASK, text)
    text = _USERINFO.sub(lambda match: match[1] + _MASK + "@", text)
    for number, uri in enumerate(kept):
        text = text.replace(f"\x00{number}\x00", uri)
    return text
