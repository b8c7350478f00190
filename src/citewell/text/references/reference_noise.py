"""Blanks out what stands between the fields of a reference: links, identifiers and access notes."""

from __future__ import annotations

import re

LINK_PATTERN = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_IDENTIFIER_NOISE_PATTERN = re.compile(
    r"\bdoi:?\s{0,2}10\.\S+|\b10\.\d{4,9}/\S+|\b(?:pmid|pmcid):?\s{0,2}\w+|\bPMC\d{4,9}\b"
    r"|(?:,\s)?\barxiv:\s?\d{4}\.\d{4,5}(?:v\d+)?(?:\s?\[[\w.-]+\])?|\bisbn(?:-1[03])?:?\s{0,2}[\dxX -]{10,20}"
    r"|\s?\[(?:online|internet|[JMCDRSP](?:/OL)?|EB/OL|cited[^\]]{0,30}|accessed[^\]]{0,30})\]|\bavailable(?: (?:at|from|online)\b:?|:)"
    r"|\(?\b(?:last )?accessed:?(?:\son)?\s(?:\d{1,2}\s)?[^\W\d_]{3,9}\.?\s(?:\d{1,2},?\s)?\d{4}\)?(?:\.|$)?|\bretrieved\s(?:[^.]{4,30}?,?\s)?from\b:?|\bretrieved\s{0,2}$|\bdoi:\s?$",
    re.IGNORECASE,
)


def blank_reference_noise(text: str) -> str:
    """The reference with spaces in place of links, identifiers and access notes; as long as before."""
    for pattern in (LINK_PATTERN, _IDENTIFIER_NOISE_PATTERN):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return text
