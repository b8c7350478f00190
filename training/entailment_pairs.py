"""Pairs of passage and claim for training the entailment network: open sets, and contradictions made by rule."""

from __future__ import annotations

import gzip
import json
import random
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ENTAILED, CONTRADICTED, NEUTRAL = 0, 1, 2
_GOLD = {"S": ENTAILED, "R": CONTRADICTED, "N": NEUTRAL}
_UNSTATED = "unstated"  # licence: such sets choose thresholds, and are never learned from
_KEPT_APART = frozenset({"wice_dev", "wice_nst", "scifact"})  # they judge the network
_MADE_SETS = frozenset({"vitaminc_real", "fever", "fm2", "snli_more", "mnli", "scitail_dev"})
_NUMBER_PATTERN = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-])")
_NAME_PATTERN = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_WORD_PATTERN = re.compile(r"[A-Za-z]+")
_DENIAL_PATTERN = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|does|did|do)\b(?! not\b)"
)
_STATED_DENIAL_PATTERN = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|does|did|do) not "
)
_OPPOSITES = """increase decrease|increased decreased|increases decreases|increasing decreasing|rise fall|rose fell|raised lowered|
raises lowers|higher lower|more less|more fewer|above below|before after|over under|gain loss|gained lost|grew shrank|larger smaller|
greater smaller|better worse|improved worsened|improves worsens|reduced increased|reduces increases|reduce increase|most least|
majority minority|maximum minimum|longer shorter|older younger|first last|early late|earlier later|always never|all none|every no|
many few|positive negative|with without|support oppose|supports opposes|supported opposed|accepted rejected|accept reject|allow forbid|
allowed forbidden|allows prevents|won lost|wins loses|begin end|began ended|started ended|open closed|opened closed|inside outside|
north south|northern southern|east west|eastern western|male female|men women|man woman|boy girl|buy sell|bought sold|likely unlikely|
same different|safe dangerous|effective ineffective|common rare|strong weak|hot cold|young old|high low|success failure|alive dead|
cause prevent|causes prevents|caused prevented|protects harms|benefit harm|true false|public private|major minor|rich poor|fast slow|
up down|top bottom|left right|black white|day night|summer winter|father mother|son daughter|brother sister|husband wife|king queen|
actor singer|American British|Asia Europe|exceeded missed|at least at most|significant insignificant|confirmed denied|
upregulated downregulated|activates inhibits|promotes inhibits|inhibits enhances|enhanced impaired|present absent"""
_MAX_CONTEXT_WORDS = 90
_MIN_WORD_LETTERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    passage: str
    claim: str
    gold: int
    origin: str


def load_open_pairs(
    truth_file: Path, snli_archive: Path | None = None, *, most_snli: int = 0
) -> list[Pair]:
    """All pairs with an open licence, less the sets that judge the network."""
    pairs = [
        Pair(
            passage=row["source"],
            claim=row["claim"],
            gold=_GOLD[row["gold"]],
            origin=row["set"],
        )
        for row in _read_lines(truth_file)
        if row["licence"] != _UNSTATED and row["set"] not in _KEPT_APART
    ]
    if snli_archive is None:
        return pairs
    known = {pair.claim for pair in pairs}
    further = [pair for pair in _read_snli_archive(snli_archive) if pair.claim not in known]
    random.Random(7).shuffle(further)
    return pairs + further[:most_snli]


def load_judging_pairs(truth_file: Path) -> dict[str, list[Pair]]:
    """The pairs of each set that is never learned from."""
    sets: dict[str, list[Pair]] = defaultdict(list)
    for row in _read_lines(truth_file):
        if row["licence"] == _UNSTATED or row["set"] in _KEPT_APART:
            gold = _GOLD[row["gold"]]
            sets[row["set"]].append(
                Pair(passage=row["source"], claim=row["claim"], gold=gold, origin=row["set"])
            )
    return dict(sets)


def _read_lines(file: Path) -> Iterator[dict[str, str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _read_snli_archive(archive: Path) -> Iterator[Pair]:
    golds = {"entailment": ENTAILED, "contradiction": CONTRADICTED, "neutral": NEUTRAL}
    with tarfile.open(archive) as packed:
        [name] = [name for name in packed.getnames() if name.endswith("train_subset.jsonl")]
        lines = packed.extractfile(name)
        for line in lines or ():
            row = json.loads(line)
            if row["gold_label"] in golds:
                yield Pair(
                    passage=row["sentence1"],
                    claim=row["sentence2"],
                    gold=golds[row["gold_label"]],
                    origin="snli_more",
                )


class ContradictionMaker:
    """Makes contradicted claims of entailed ones by one change that the passage does not allow."""

    def __init__(self, wordnet: Path, chance: random.Random) -> None:
        self._chance = chance
        self._opposites = _read_antonyms(wordnet)
        self._known = _read_single_parts(wordnet)
        self._parts: dict[str, str] = {}
        self._words_by_part: dict[str, list[str]] = {}
        for couple in _OPPOSITES.replace("\n", "").split("|"):
            first, _, second = couple.partition(" ")
            for word, other in ((first, second), (second, first)):
                self._opposites.setdefault(word, []).insert(0, other)

    def make_pairs(self, pairs: Iterable[Pair], *, most: int) -> list[Pair]:
        entailed = [pair for pair in pairs if pair.gold == ENTAILED and pair.origin in _MADE_SETS]
        self._chance.shuffle(entailed)
        self._learn_words(entailed)
        made: list[Pair] = []
        for pair in entailed:
            changes = [
                self._change_number,
                self._change_number,
                self._change_name,
                self._change_name,
                self._change_opposite,
                self._change_opposite,
                self._change_opposite,
                self._change_denial,
                self._change_roles,
                self._change_word,
                self._change_word,
            ]
            self._chance.shuffle(changes)
            claims = (change(pair) for change in changes)
            claim = next((claim for claim in claims if claim), None)
            if claim and claim != pair.claim:
                made.append(replace(pair, claim=claim, gold=CONTRADICTED, origin="made"))
            if len(made) == most:
                break
        return made

    def _change_number(self, pair: Pair) -> str | None:
        found = list(_NUMBER_PATTERN.finditer(pair.claim))
        found = [match for match in found if match[0] in pair.passage]
        if not found:
            return None
        match = self._chance.choice(found)
        others = [
            other
            for other in _NUMBER_PATTERN.findall(pair.passage)
            if other != match[0] and other not in pair.claim
        ]
        if others and self._chance.random() < 0.5:
            other = str(self._chance.choice(others))
        else:
            other = self._draw_other_number(match[0])
        return pair.claim[: match.start()] + other + pair.claim[match.end() :]

    def _draw_other_number(self, written: str) -> str:
        plain = written.replace(",", "")
        if "." in plain:
            whole, _, part = plain.partition(".")
            return f"{int(whole) + self._chance.choice([1, 2, 5, 10])}.{part}"
        value = int(plain)
        if len(plain) == 4 and plain[:2] in {"18", "19", "20"}:
            return str(value + self._chance.choice([-12, -5, -3, -2, -1, 1, 2, 3, 5]))
        scaled = [value * 2, value * 10, max(value // 2, 1), value + self._chance.randint(1, 9)]
        other = self._chance.choice([one for one in scaled if one != value])
        return f"{other:,}" if "," in written else str(other)

    def _change_name(self, pair: Pair) -> str | None:
        names = [match for match in _NAME_PATTERN.finditer(pair.claim) if match[0] in pair.passage]
        others = [
            name
            for name in _NAME_PATTERN.findall(pair.passage)
            if name not in pair.claim and len(name) > 2
        ]
        if not names or not others:
            return None
        match = self._chance.choice(names)
        other = str(self._chance.choice(others))
        return pair.claim[: match.start()] + other + pair.claim[match.end() :]

    def _change_opposite(self, pair: Pair) -> str | None:
        found = [
            match
            for match in _WORD_PATTERN.finditer(pair.claim)
            if match[0].lower() in self._opposites and match[0].lower() in pair.passage.lower()
        ]
        if not found:
            return None
        match = self._chance.choice(found)
        other = self._chance.choice(self._opposites[match[0].lower()][:3])
        if match[0][:1].isupper():
            other = other.capitalize()
        return pair.claim[: match.start()] + other + pair.claim[match.end() :]

    def _change_word(self, pair: Pair) -> str | None:
        """Another word of the same part of speech in the place of one that the passage has."""
        found = [
            match
            for match in _WORD_PATTERN.finditer(pair.claim)
            if match[0] in self._parts and match[0] in pair.passage
        ]
        if not found:
            return None
        match = self._chance.choice(found)
        part = self._parts[match[0]]
        other = self._chance.choice(self._words_by_part[part])
        if other in pair.passage:
            return None
        return pair.claim[: match.start()] + other + pair.claim[match.end() :]

    def _learn_words(self, pairs: Iterable[Pair]) -> None:
        """The words of the claims that WordNet has in one part of speech alone."""
        words = {word for pair in pairs for word in _WORD_PATTERN.findall(pair.claim)}
        self._parts = {word: self._known[word] for word in words if word in self._known}
        self._words_by_part = defaultdict(list)
        for word in sorted(self._parts):
            self._words_by_part[self._parts[word]].append(word)

    def _change_denial(self, pair: Pair) -> str | None:
        if _STATED_DENIAL_PATTERN.search(pair.claim):
            return _STATED_DENIAL_PATTERN.sub(lambda found: f"{found[1]} ", pair.claim, count=1)
        if self._chance.random() < 0.6:  # or else "not" would always mean a contradiction
            return None
        changed, count = _DENIAL_PATTERN.subn(lambda found: f"{found[1]} not", pair.claim, count=1)
        return changed if count else None

    def _change_roles(self, pair: Pair) -> str | None:
        names = list(dict.fromkeys(_NAME_PATTERN.findall(pair.claim)))
        first = re.match(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)*", pair.claim)
        if first and first[0] in pair.passage:
            names.insert(0, first[0])
        names = [name for name in dict.fromkeys(names) if name in pair.passage]
        if len(names) < 2 or names[0] in names[1] or names[1] in names[0]:
            return None
        return re.sub(
            f"{re.escape(names[0])}|{re.escape(names[1])}",
            lambda found: names[1] if found[0] == names[0] else names[0],
            pair.claim,
        )


def _read_single_parts(wordnet: Path) -> dict[str, str]:
    """Words of at least four letters that belong to one part of speech alone."""
    parts: dict[str, set[str]] = defaultdict(set)
    for part in ("adj", "verb", "noun"):
        for line in (wordnet / f"index.{part}").read_text("utf-8").splitlines():
            word = line.partition(" ")[0]
            if word.isalpha() and len(word) > _MIN_WORD_LETTERS:
                parts[word].add(part)
    return {word: min(found) for word, found in parts.items() if len(found) == 1}


def _read_antonyms(wordnet: Path) -> dict[str, list[str]]:
    """Words with their antonyms by WordNet's pointers."""
    words: dict[tuple[str, str], list[str]] = {}
    pointers: list[tuple[str, tuple[str, str], int]] = []
    for part, letter in (("adj", "a"), ("verb", "v"), ("noun", "n"), ("adv", "r")):
        for line in (wordnet / f"data.{part}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue  # the licence
            fields = line.split(" | ")[0].split()
            count = int(fields[3], 16)
            written = [fields[4 + 2 * at].partition("(")[0].lower() for at in range(count)]
            words[letter, fields[0]] = written
            rest = fields[5 + 2 * count :]
            for kind, offset, part_of_other, places in zip(*[iter(rest)] * 4, strict=False):
                if kind == "!":
                    own, other = divmod(int(places, 16), 256)
                    target = (part_of_other.replace("s", "a"), offset)
                    pointers.append((written[own - 1], target, other - 1))
    found: dict[str, list[str]] = defaultdict(list)
    for word, target, place in pointers:
        opposite = words[target][place]
        if "_" not in word + opposite and opposite not in found[word]:
            found[word].append(opposite)
    return dict(found)


def add_context(pairs: list[Pair], chance: random.Random, *, share: float) -> list[Pair]:
    """Some passages with those of other pairs around them, as in a window of a page."""
    widened = []
    for pair in pairs:
        if chance.random() >= share:
            widened.append(pair)
            continue
        parts = [pair.passage]
        while sum(len(part.split()) for part in parts) < _MAX_CONTEXT_WORDS * chance.random() + 20:
            other = chance.choice(pairs)
            if other.claim != pair.claim and other.passage != pair.passage:
                parts.insert(chance.choice([0, len(parts)]), other.passage)
        widened.append(replace(pair, passage=" ".join(parts)))
    return widened
