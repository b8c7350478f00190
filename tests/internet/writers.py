"""Stand-ins for models that write from our passages: one keeps to them, one invents.

`write_faithfully` and `write_unfaithfully` take the material that a writing model is given, with its
passages under [src_N] or [N], and return a report. What the second invents can be recognised by
INVENTIONS.
"""

from __future__ import annotations

import re

_PASSAGE = re.compile(r"^\[((?:src_)?\d+)\] [^\n]*\n((?:(?!\n\n).)+)", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“])")
_QUESTION = re.compile(r"^Question: ([^\n]+)", re.MULTILINE)
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")
_MOST = 6  # passages used
INVENTIONS = (
    "98,765",
    "Zanzibar Institute",
    "Professor Quibble",
    "1717",
    "invented.example",
    "[99]",
    "[src_99]",
    "【7†",
    "under no circumstances whatsoever",
)


def write_faithfully(material: str) -> str:
    """A report of sentences of the passages, each cited in one of the ways that models cite in."""
    parts = [f"# {_question(material)}", ""]
    for place, (ref, said) in enumerate(_passages(material)):
        first, *more = said
        parts.append(f"{first} [{ref}]" if place % 2 else f"{first[:-1]} [{ref}].")
        if more:  # one citation for a run of sentences
            parts[-1] = f"{first} {more[0]} [{ref}]"
        parts.append("")
    return "\n".join(parts).strip()


def write_unfaithfully(material: str) -> str:
    """The same report with inventions among its sentences, most of them cited."""
    found = _passages(material)
    if not found:
        return "# Nothing\n\nThe Zanzibar Institute knows it all [99]."
    ref, said = found[0]
    changed = next(
        (
            _FIGURE.sub("98,765", one, count=1)
            for _, held in found
            for one in held
            if _FIGURE.search(one)
        ),
        "It weighs 98,765 tonnes.",
    )
    lies = (
        f"{changed} [{ref}]",
        f"The Zanzibar Institute proved this in 1717 [{ref}].",
        "According to Professor Quibble, nothing of it is true.",
        f"{said[0].rstrip('.')} under no circumstances whatsoever, since 1717 [{ref}].",
        "See [the proof](https://invented.example/proof) and https://invented.example/more [99].",
        "More is known of it elsewhere [src_99] 【7†hidden】.",
    )
    true = write_faithfully(material)
    return f"{true}\n\n## The discovery of 1717\n\n" + "\n\n".join(lies)


def _passages(material: str) -> list[tuple[str, list[str]]]:
    found = []
    for ref, text in _PASSAGE.findall(material):
        said = [
            one
            for line in text.splitlines()
            if not line.startswith("- ")
            for one in _SENTENCE.split(line.strip())
        ]
        whole = [one for one in said if one.endswith(".") and len(one.split()) > 4]
        if whole:
            found.append((ref, whole))
    return found[:_MOST]


def _question(material: str) -> str:
    match = _QUESTION.search(material)
    return match[1] if match else "Report"
