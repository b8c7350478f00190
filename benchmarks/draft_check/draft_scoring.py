"""Compares what the check of a draft found with what is true of its citations."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from benchmarks.draft_check.draft_gold import (
    EXPECTED_VERDICTS,
    STATEMENT_FAULTS,
    STATEMENT_VERDICTS,
    CitationKind,
    DraftSpecimen,
    GoldCitation,
)
from citewell.drafts.draft import Draft, DraftReference
from citewell.drafts.draft_findings import CHANGE_VERDICTS, DraftFinding, DraftReport, DraftVerdict

MAX_MARK_DISTANCE = 160  # characters between a statement and its mark
_NEAR_MARK_CHARS = 12  # marks that stand beside each other belong together


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCitation:
    """A gold citation where the reader of drafts shows it."""

    gold: GoldCitation
    start: int = -1  # of the fragment in the draft's text; -1 if it was not found
    end: int = -1
    reference_ids: frozenset[str] = frozenset()  # those of the draft that are the gold's
    is_linked: bool = False  # the mark beside the statement leads to one of them


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedFlag:
    """A verdict that asks for a change, and the citations it is about."""

    finding: DraftFinding
    verdict: DraftVerdict
    kinds: tuple[CitationKind, ...]
    is_right: bool
    is_placed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredDraft:
    specimen: DraftSpecimen
    citations: tuple[PlacedCitation, ...]
    told: tuple[frozenset[DraftVerdict], ...]  # verdicts about each citation, in the same order
    flags: tuple[JudgedFlag, ...]


@dataclass(slots=True)
class DraftScore:
    """Figures over many texts."""

    counts: Counter[CitationKind] = field(default_factory=Counter)
    recalled: Counter[CitationKind] = field(default_factory=Counter)  # told for what they are
    flagged: Counter[CitationKind] = field(default_factory=Counter)  # told to be wrong somehow
    contradicted: int = 0  # citations with a sound statement that are called contradicted
    linked: int = 0
    placed: int = 0  # right flags at the right place
    right: int = 0
    flags: int = 0

    @property
    def citations(self) -> int:
        return self.counts.total()

    @property
    def precision(self) -> float:
        return self.right / self.flags if self.flags else 1.0

    def find_recall(self, kinds: Iterable[CitationKind]) -> float:
        chosen = list(kinds)
        total = sum(self.counts[kind] for kind in chosen)
        return sum(self.recalled[kind] for kind in chosen) / total if total else 1.0


def score_draft(specimen: DraftSpecimen, draft: Draft, report: DraftReport) -> ScoredDraft:
    text = _FoldedText(draft.text)
    citations = tuple(_place_citation(gold, draft, text) for gold in specimen.citations)
    told: list[set[DraftVerdict]] = [set() for _ in citations]
    flags: list[JudgedFlag] = []
    for finding in report.findings:
        # A statement with several sources has one finding; `also` tells of the other sources.
        about = [at for at, one in enumerate(citations) if _concerns(finding, one)]
        around = [
            at for at, one in enumerate(citations) if _concerns(finding, one, is_any_reference=True)
        ]
        for at in about:
            told[at].add(finding.verdict)
        for at in around:
            told[at].update(finding.also or ())
        flags += _judge_flags(finding, (finding.verdict,), [citations[at] for at in about], draft)
        flags += _judge_flags(finding, finding.also or (), [citations[at] for at in around], draft)
    return ScoredDraft(
        specimen=specimen,
        citations=citations,
        told=tuple(map(frozenset, told)),
        flags=tuple(flags),
    )


def sum_scores(drafts: Sequence[ScoredDraft]) -> DraftScore:
    score = DraftScore()
    for draft in drafts:
        for citation, told in zip(draft.citations, draft.told, strict=True):
            kind = citation.gold.kind
            score.counts[kind] += 1
            score.recalled[kind] += bool(told & EXPECTED_VERDICTS[kind])
            score.flagged[kind] += bool(told & CHANGE_VERDICTS)
            score.linked += citation.is_linked
            if kind not in STATEMENT_FAULTS:
                score.contradicted += DraftVerdict.CONTRADICTED in told
        score.flags += len(draft.flags)
        score.right += sum(flag.is_right for flag in draft.flags)
        score.placed += sum(flag.is_right and flag.is_placed for flag in draft.flags)
    return score


class _FoldedText:
    """A text as its letters and digits alone, with the places that they come from."""

    def __init__(self, text: str) -> None:
        pairs = [(letter, at) for at, one in enumerate(text) for letter in fold_letters(one)]
        self.letters = "".join(letter for letter, _ in pairs)
        self._places = [at for _, at in pairs]

    def find_span(self, fragment: str) -> tuple[int, int]:
        wanted = fold_letters(fragment)
        at = self.letters.find(wanted) if wanted else -1
        if at < 0:
            return -1, -1
        return self._places[at], self._places[at + len(wanted) - 1] + 1


def fold_letters(text: str) -> str:
    """Letters without marks and digits; those that a PDF font may not have are left out."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in plain if letter.isascii() and letter.isalnum())


def _place_citation(gold: GoldCitation, draft: Draft, text: _FoldedText) -> PlacedCitation:
    start, end = text.find_span(gold.fragment)
    ids = frozenset(one.id for one in draft.references if _has_signature(one, gold.signatures))
    if start < 0:
        return PlacedCitation(gold=gold, reference_ids=ids)
    near = _list_near_references(draft, start, end)
    return PlacedCitation(
        gold=gold, start=start, end=end, reference_ids=ids, is_linked=bool(near & ids)
    )


def _list_near_references(draft: Draft, start: int, end: int) -> set[str]:
    """What the mark nearest to a statement stands for, with the marks that follow it directly."""
    marks = sorted(draft.citations, key=lambda one: one.place.start)
    # Of two marks that are equally near, the one after the statement is its own.
    distances = [
        (max(0, one.place.start - end, start - one.place.end), one.place.start < start)
        for one in marks
    ]
    nearest = min(distances, default=(MAX_MARK_DISTANCE + 1, False))
    if nearest[0] > MAX_MARK_DISTANCE:
        return set()
    at = distances.index(nearest)
    found = set(marks[at].reference_ids)
    for before, after in pairwise(marks[at:]):
        if after.place.start - before.place.end > _NEAR_MARK_CHARS:
            break
        found.update(after.reference_ids)
    return found


def _has_signature(reference: DraftReference, signatures: Sequence[str]) -> bool:
    known = reference.reference
    ids = " ".join(one.value for one in known.ids)
    letters = fold_letters(f"{known.raw} {known.title} {known.url} {ids}")
    return any(fold_letters(one) in letters for one in signatures if one)


def _concerns(
    finding: DraftFinding, citation: PlacedCitation, *, is_any_reference: bool = False
) -> bool:
    """Whether the finding is about the citation: about its reference, or about its statement."""
    is_named = finding.reference_id is not None and not is_any_reference
    if finding.subject == "reference":
        return finding.reference_id in citation.reference_ids
    if finding.place is None or citation.start < 0:
        return False
    overlaps = finding.place.start < citation.end and finding.place.end > citation.start
    is_mark = finding.subject == "citation" and (
        0 <= finding.place.start - citation.end <= _NEAR_MARK_CHARS
    )
    return (overlaps or is_mark) and (
        not is_named or finding.reference_id in citation.reference_ids
    )


def _judge_flags(
    finding: DraftFinding,
    verdicts: Sequence[DraftVerdict],
    about: Sequence[PlacedCitation],
    draft: Draft,
) -> Iterator[JudgedFlag]:
    for verdict in dict.fromkeys(verdicts):
        if verdict in CHANGE_VERDICTS:
            kinds = tuple(one.gold.kind for one in about)
            yield JudgedFlag(
                finding=finding,
                verdict=verdict,
                kinds=kinds,
                is_right=any(_is_right(verdict, kind) for kind in kinds),
                is_placed=_is_placed(finding, about, draft),
            )


def _is_right(verdict: DraftVerdict, kind: CitationKind) -> bool:
    """A flag on the right side of a faulty citation: its reference or its statement."""
    if kind is CitationKind.SOUND:
        return False
    if verdict in STATEMENT_VERDICTS:
        # Another work's DOI leads to another work's text.
        return kind in STATEMENT_FAULTS or kind is CitationKind.NEIGHBOUR_DOI
    return kind not in STATEMENT_FAULTS


def _is_placed(finding: DraftFinding, about: Sequence[PlacedCitation], draft: Draft) -> bool:
    """At the statement, at its mark, at the entry of the reference, or in another file."""
    if finding.place is None:
        places = {one.id: one.place for one in draft.references}
        return finding.reference_id in places and places[finding.reference_id or ""] is None
    start, end = finding.place.start, finding.place.end
    shown = fold_letters(re.sub(r"\s+", " ", draft.text[start:end]))
    return any(
        (one.start >= 0 and start < one.end + MAX_MARK_DISTANCE and end > one.start)
        or any(fold_letters(name) in shown for name in one.gold.signatures if name)
        for one in about
    )
