"""Damages made references as copying, scanning and typing do, and labels their tokens."""

from __future__ import annotations

import random
import re

from reference_gold import Labelled, join_labels, settle_marks, widen_dates
from reference_shapes import Parts

from citewell.citations.references.prose_references import blank_reference_noise
from citewell.citations.references.reference_tagger import split_reference_tokens

STRAIGHT = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "«": '"', "»": '"'})
TAILS = (
    " [PubMed]",
    " [Google Scholar]",
    " [CrossRef]",
    " Cited on p. 12.",
    " (in press)",
    ".",
    " [PMC free article]",
    " Print.",
    " Accessed 3 May 2019.",
    " 17",
    " (in German)",
)
HEADS = ("[{}] ", "{}. ", "({}) ", "{} ", "[{}]. ", "{}) ")
SLIPS = (("rn", "m"), ("l", "1"), ("o", "0"), ("e", "c"), ("fi", "ﬁ"), ("h", "b"), ("i", "l"))


def damage_parts(parts: Parts, rng: random.Random) -> Parts:
    """The parts of a reference, perhaps with a number before it, lost spaces, hyphens or slips."""
    chance = rng.random()
    made = list(parts)
    if rng.random() < 0.25:
        made = [(label, text.translate(STRAIGHT)) for label, text in made]
    if rng.random() < 0.25:
        made = [
            (label, re.sub("[–—]", rng.choice(("-", "--", " - ")) if label == "P" else "-", text))
            for label, text in made
        ]
    if rng.random() < 0.06:
        made = [(label, text.upper() if label == "A" else text) for label, text in made]
    if chance < 0.12:
        made = [(label, _break_words(text, rng)) for label, text in made]
    elif chance < 0.2:
        made = [(label, _lose_spaces(text, rng)) for label, text in made]
    elif chance < 0.26:
        made = [(label, _slip_letters(text, rng)) for label, text in made]
    elif chance < 0.29:
        made = [
            (
                label,
                re.sub(
                    r"([,.;:])",
                    lambda found: found[1] if rng.random() < 0.6 else " " + found[1],
                    text,
                ),
            )
            for label, text in made
        ]
    if rng.random() < 0.12:
        made.insert(0, ("?", rng.choice(HEADS).format(rng.randint(1, 180))))
    if rng.random() < 0.05:
        made.append(("?", rng.choice(TAILS)))
    return made


def _break_words(text: str, rng: random.Random) -> str:
    return re.sub(
        r"([^\W\d_]{3,8})([^\W\d_]{3,9})",
        lambda found: (
            found[0] if rng.random() > 0.12 else f"{found[1]}-{rng.choice((' ', ''))}{found[2]}"
        ),
        text,
    )


def _lose_spaces(text: str, rng: random.Random) -> str:
    return re.sub(r"([,.;:)]) ", lambda found: found[1] if rng.random() < 0.25 else found[0], text)


def _slip_letters(text: str, rng: random.Random) -> str:
    before, after = rng.choice(SLIPS)
    return re.sub(before, lambda _: after if rng.random() < 0.1 else before, text)


def label_parts(source: str, parts: Parts) -> Labelled:
    """The tokens of the reference, each with the label of its first character."""
    raw = re.sub(r"\s", " ", "".join(text for _, text in parts))
    marks = "".join(label * len(text) for label, text in parts)
    clean: list[str] = []
    kept: list[str] = []
    for char, mark in zip(blank_reference_noise(raw), marks, strict=True):
        if char.isspace() and (not clean or clean[-1] == " "):
            continue
        clean.append(" " if char.isspace() else char)
        kept.append(mark)
    text = "".join(clean)
    tokens = split_reference_tokens(text)
    labels = [kept[token.start] for token in tokens]
    widen_dates(tokens, labels)
    join_labels(tokens, labels)
    settle_marks(tokens, labels)
    labels = [label if label not in "?X" else "O" for label in labels]
    return Labelled(source, raw, read_fields(parts), tokens, labels)


def read_fields(parts: Parts) -> dict[str, str]:
    names = {
        "A": "author",
        "T": "title",
        "J": "venue",
        "D": "year",
        "V": "volume",
        "I": "issue",
        "P": "pages",
        "U": "publisher",
        "X": "doi",
    }
    gold: dict[str, str] = {}
    for label, text in parts:
        if label in names and text.strip():
            gold.setdefault(names[label], text.strip())
    if "year" in gold:
        years = [
            year
            for label, text in parts
            if label == "D"
            for year in re.findall(r"(?:1[4-9]|20)\d\d", text)
        ]
        gold["year"] = years[0] if years else ""
    if not re.search(r"10\.\d{4,9}/", gold.get("doi", "")):
        gold.pop("doi", None)
    return {key: value for key, value in gold.items() if value}
