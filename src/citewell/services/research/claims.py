"""Statements of many sources and providers as claims, each with its evidence and its confidence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from citewell.model.research import Claim, Evidence, Relation, ValueTable
from citewell.services.research import confidence, disagreement
from citewell.services.research.confidence import Backing
from citewell.services.research.disagreement import Conflict
from citewell.services.research.kinds import PLAIN
from citewell.text import cluster, similar, statements, support
from citewell.text.bags import Bag, bag
from citewell.text.rank import Corpus

_BACKING = frozenset((Relation.SUPPORTS, Relation.MENTIONS))
_OPPOSING = frozenset((Relation.CONTRADICTS,))
CHECKED = "read"
_UNREAD = frozenset(("unchecked", "unreachable"))  # nobody could look: what they say may be so


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence that somebody says, and the place in a source that is to bear it out.

    A sentence that cites several sources is given once for each. For a verbatim quotation `snippet`
    is the sentence itself and `support` is 1.
    """

    text: str
    provider: str
    source: str  # src_N, empty when nothing is cited
    owner: str = ""  # whose source it is: see kinds.owner
    worth: float = PLAIN  # q of the confidence formula: see kinds.worth
    support: float = confidence.UNCHECKED  # s of the confidence formula
    relation: Relation = Relation.SUPPORTS
    snippet: str = ""
    start: int = 0
    end: int = 0
    state: str = CHECKED  # read, unreachable, refused, never_existed, unchecked: of the source
    facet: str | None = None
    published: str | None = None
    missing: tuple[str, ...] = ()  # numbers of the sentence that the source does not give
    interest: float = 0.0  # how near it is to the question
    origin: str = ""  # the document that says it: sentences of one are never one claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]
    tables: tuple[ValueTable, ...]
    conflicts: tuple[tuple[str, str], ...]  # ids of claims of which one denies the other


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A claim being made: the sentence that stands for it, and everything said for or against it."""

    id: str
    bag: Bag
    said: tuple[Statement, ...]
    against: tuple[Statement, ...] = ()
    qualified: tuple[Statement, ...] = ()


def build(said: Iterable[Statement], *, language: str | None = None, salt: str = "") -> Built:
    """Claims in the order of interest. The same statements give the same bytes, in any order.

    `salt`, such as the job's id, keeps the ids of two jobs apart.
    """
    rows = sorted(said, key=_order)
    drafts = _drafts(rows, language, salt)
    conflicts = disagreement.conflicts(
        [draft.bag for draft in drafts],
        [draft.said[0].origin or draft.said[0].source for draft in drafts],
    )
    drafts = _opposed(drafts, conflicts)
    tables = disagreement.tables(
        _valued(drafts), [one for one in conflicts if one.unit is not None]
    )
    evidence = tuple(row for draft in drafts for row in _evidence(draft, salt))
    return Built(
        claims=tuple(_claim(draft) for draft in drafts),
        evidence=evidence,
        tables=tables,
        conflicts=tuple(
            (drafts[one.first].id, drafts[one.second].id) for one in conflicts if one.unit is None
        ),
    )


def _order(one: Statement) -> tuple[float, str, str, str, int]:
    return (-round(one.interest, 6), one.text, one.provider, one.source, one.start)


def _drafts(rows: Sequence[Statement], language: str | None, salt: str) -> list[_Draft]:
    """One draft for each group of sentences that say the same."""
    by_text: dict[str, list[Statement]] = {}
    for row in rows:
        by_text.setdefault(" ".join(row.text.split()), []).append(row)
    texts = list(by_text)
    corpus = Corpus([bag(text, language=language) for text in texts])
    origins = [by_text[text][0].origin or by_text[text][0].source for text in texts]
    interest = [max(row.interest for row in by_text[text]) for text in texts]
    found = cluster.groups(corpus, origins, interest=interest)
    ordered = sorted(found, key=lambda group: min(group.members))
    return [
        _draft(corpus, [(place, by_text[texts[place]]) for place in group.members], salt)
        for group in ordered
    ]


def _draft(corpus: Corpus, members: Sequence[tuple[int, list[Statement]]], salt: str) -> _Draft:
    middle = corpus.sentences[members[0][0]]
    said = tuple(
        row if place == members[0][0] else _weighed(row, middle, corpus.sentences[place])
        for place, rows in members
        for row in rows
    )
    return _Draft(id=_id("clm", salt, middle.text), bag=middle, said=said)


def _weighed(row: Statement, middle: Bag, other: Bag) -> Statement:
    """A sentence worded otherwise bears out the claim only as far as it says the same."""
    if not row.snippet:
        return row
    found = support.assess(middle.text, support.Text(text=row.snippet, language=middle.language))
    enough = found.score >= support.SUPPORTED or similar.both_ways(middle, other) >= support.TOPICAL
    kept = row.relation if enough or row.relation in _OPPOSING else Relation.MENTIONS
    return replace(row, support=round(min(row.support, found.score), 4), relation=kept)


def _opposed(drafts: list[_Draft], conflicts: Sequence[Conflict]) -> list[_Draft]:
    """The drafts, each with what others say against it or in other numbers."""
    against: dict[int, list[Statement]] = {}
    qualified: dict[int, list[Statement]] = {}
    for one in conflicts:
        kept = against if one.unit is None else qualified
        for place, other in ((one.first, one.second), (one.second, one.first)):
            kept.setdefault(place, []).extend(_speaking(drafts[other]))
    return [
        replace(
            draft,
            against=tuple(against.get(place, ())),
            qualified=tuple(qualified.get(place, ())),
        )
        for place, draft in enumerate(drafts)
    ]


def _speaking(draft: _Draft) -> list[Statement]:
    """What a source itself says; a sentence of a report without a snippet is nobody's evidence."""
    return [row for row in draft.said if row.snippet and row.relation is Relation.SUPPORTS]


def _valued(drafts: Sequence[_Draft]) -> list[disagreement.Said]:
    rows = [(draft, (_speaking(draft) or draft.said)[0]) for draft in drafts]
    return [
        disagreement.Said(
            bag=draft.bag,
            source=row.source,
            published=row.published,
            snippet=row.snippet or row.text,
        )
        for draft, row in rows
    ]


def _claim(draft: _Draft) -> Claim:
    backing = [row for row in draft.said if _backs(row)]
    opposing = [*(row for row in draft.said if row.relation in _OPPOSING), *draft.against]
    sure = confidence.confidence(
        (Backing(owner=row.owner, worth=row.worth, support=row.support) for row in backing),
        contradicted=bool(opposing),
    )
    return Claim(
        id=draft.id,
        content=draft.bag.text,
        confidence=sure,
        confidence_level=confidence.level(sure),
        type=statements.kind(draft.bag.text),
        cluster_subject=disagreement.subject([draft.bag]) or None,
        facet=draft.said[0].facet,
        supporting_providers=_names(row.provider for row in backing),
        contradicting_providers=_names(row.provider for row in opposing),
        sources=tuple(dict.fromkeys(row.source for row in (*backing, *draft.said) if row.source)),
        flags=_flags(draft, backing, contradicted=bool(opposing)),
    )


def _backs(row: Statement) -> bool:
    """Whether a citation counts for the claim: a page that was read must bear it out somewhat."""
    if not row.source or row.relation not in _BACKING:
        return False
    if row.state == CHECKED:
        return row.support >= support.UNSUPPORTED
    return row.state in _UNREAD


def _names(providers: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(providers)))


def _flags(draft: _Draft, backing: Sequence[Statement], *, contradicted: bool) -> tuple[str, ...]:
    checked = [row for row in draft.said if row.state == CHECKED and row.source]
    states = {row.state for row in draft.said}
    owners = {row.owner for row in backing if row.state == CHECKED}
    bare = bool(checked) and all(row.support < support.UNSUPPORTED for row in checked)
    flags = {
        "unsupported": bare,
        "number_not_found": bool(checked) and not bare and all(row.missing for row in checked),
        "uncited": not any(row.source for row in draft.said),
        "unreachable": bool(states & {"unreachable", "refused"}),
        "never_existed": "never_existed" in states,
        "single_source": len(owners) == 1,
        "contradicted": contradicted,
        "values_differ": bool(draft.qualified) or _differs(draft),
    }
    return tuple(name for name, holds in flags.items() if holds)


def _differs(draft: _Draft) -> bool:
    return any(row.relation is Relation.QUALIFIES for row in draft.said)


def _evidence(draft: _Draft, salt: str) -> Iterable[Evidence]:
    rows = [(row, row.relation) for row in draft.said]
    rows += [(row, Relation.CONTRADICTS) for row in draft.against]
    rows += [(row, Relation.QUALIFIES) for row in draft.qualified]
    seen: set[str] = set()
    for row, relation in rows:
        name = _id("evd", salt, draft.id, row.provider, row.source, str(row.start), row.snippet)
        if row.snippet and row.source and name not in seen:
            seen.add(name)
            yield Evidence(
                id=name,
                claim_id=draft.id,
                relation=relation,
                snippet=row.snippet,
                start=row.start,
                end=row.end,
                relevance_score=round(row.support, 4),
                discovered_by_provider=row.provider,
                source=row.source,
            )


def _id(prefix: str, *parts: str) -> str:
    told = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return f"{prefix}_{hashlib.sha256(told).hexdigest()[:20]}"
