"""Builds claims from the statements of many sources, each with its evidence and confidence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from citewell.core.values.citation_checks import MISSING_PAGE_STATES, PAGE_GONE
from citewell.core.values.research import ClaimEvidence, ClaimRelation, ResearchClaim, ValueTable
from citewell.evidence import statement_kinds
from citewell.evidence.judging.claim_judge import LEXICAL_NAME
from citewell.evidence.signs import (
    claim_support,
    repeated_texts,
    sentence_clusters,
    sentence_features,
)
from citewell.evidence.signs.sentence_clusters import SentenceCorpus
from citewell.evidence.signs.sentence_features import SentenceFeatures, build_sentence_features
from citewell.jobs.step_values import LOCAL_PROVIDER
from citewell.research.claims import disagreements, source_kinds
from citewell.research.claims.disagreements import StatementConflict
from citewell.research.claims.source_kinds import PLAIN_WEIGHT, SourceBacking

_NO_DATE = "~"  # sorts after every date
_MIN_COPIED_SPACES = 4  # shorter words may be the same by chance
_BACKING_RELATIONS = frozenset((ClaimRelation.SUPPORTS, ClaimRelation.MENTIONS))
_OPPOSING_RELATIONS = frozenset((ClaimRelation.CONTRADICTS,))
READ_STATE = "read"
_UNREAD_STATES = frozenset(
    ("unchecked", "unreachable", PAGE_GONE)
)  # not read, so they still count a little


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedStatement:
    """One sentence, and the passage of a source that should support it.

    A sentence that cites several sources is given once for each. For a verbatim quotation
    `snippet` contains the sentence and `support` is 1.
    """

    text: str
    provider: str
    source: str  # src_N, empty when nothing is cited
    owner: str = ""  # whose source it is: see source_kinds.identify_source_owner
    # Q of the confidence formula: see source_kinds.weigh_source
    source_weight: float = PLAIN_WEIGHT
    source_kind: str = ""  # see source_kinds.classify_source
    support: float = source_kinds.UNCHECKED_SUPPORT  # s of the confidence formula
    relation: ClaimRelation = ClaimRelation.SUPPORTS
    snippet: str = ""
    start: int = 0
    end: int = 0
    source_state: str = READ_STATE  # of the source: read, unreachable, refused, dead, gone, probably_never_existed, unchecked
    facet: str | None = None
    published: str | None = None
    missing_numbers: tuple[str, ...] = ()  # numbers of the sentence that the source does not give
    relevance: float = 0.0  # to the question, from 0 to 1
    origin: str = ""  # the document it is from; sentences of one document are never grouped
    judge: str = LEXICAL_NAME  # who found the relation
    is_copy: bool = False  # it repeats the words of another source, so it supports nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSet:
    """Claims with their evidence, the tables of differing values, and the contradictions."""

    claims: tuple[ResearchClaim, ...]
    evidence: tuple[ClaimEvidence, ...]
    tables: tuple[ValueTable, ...]
    conflicts: tuple[tuple[str, str], ...]  # pairs of claim ids where one denies the other

    def keep_first_claims(self, count: int) -> ClaimSet:
        """The first claims, which are the most relevant, and those that contradict them."""
        first = {claim.id for claim in self.claims[:count]}
        ids = first.union(*(pair for pair in self.conflicts if first & set(pair)))
        return ClaimSet(
            claims=tuple(claim for claim in self.claims if claim.id in ids),
            evidence=tuple(item for item in self.evidence if item.claim_id in ids),
            tables=self.tables,
            conflicts=tuple(pair for pair in self.conflicts if set(pair) <= ids),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClaimDraft:
    """A claim in the making: its representative sentence and all statements for or against it."""

    id: str
    bag: SentenceFeatures
    statements: tuple[SourcedStatement, ...]
    opposing: tuple[SourcedStatement, ...] = ()
    differing: tuple[SourcedStatement, ...] = ()


def build_claims(
    statements: Iterable[SourcedStatement], *, language: str | None = None, salt: str = ""
) -> ClaimSet:
    """Group statements that say the same into claims, the most relevant first.

    The result does not depend on the order of the statements. `salt`, such as the job's id, makes
    the ids of claims and evidence differ between jobs.
    """
    rows = sorted(
        statements,
        key=lambda row: (-round(row.relevance, 6), row.text, row.provider, row.source, row.start),
    )
    drafts = _group_into_drafts(rows, language, salt)
    conflicts = disagreements.find_conflicts(
        [draft.bag for draft in drafts],
        [draft.statements[0].origin or draft.statements[0].source for draft in drafts],
    )
    drafts = _add_opposition(drafts, conflicts)
    tables = disagreements.build_value_tables(
        _collect_valued_statements(drafts),
        [conflict for conflict in conflicts if conflict.unit is not None],
    )
    evidence = tuple(row for draft in drafts for row in _list_claim_evidence(draft, salt))
    return ClaimSet(
        claims=tuple(_build_claim(draft) for draft in drafts),
        evidence=evidence,
        tables=tables,
        conflicts=tuple(
            (drafts[conflict.first].id, drafts[conflict.second].id)
            for conflict in conflicts
            if conflict.unit is None
        ),
    )


def _group_into_drafts(
    rows: Sequence[SourcedStatement], language: str | None, salt: str
) -> list[_ClaimDraft]:
    """One draft for each group of sentences with the same meaning."""
    by_text: dict[str, list[SourcedStatement]] = {}
    for row in rows:
        by_text.setdefault(" ".join(row.text.split()), []).append(row)
    texts = list(by_text)
    corpus = SentenceCorpus([build_sentence_features(text, language=language) for text in texts])
    origins = [by_text[text][0].origin or by_text[text][0].source for text in texts]
    interest = [max(row.relevance for row in by_text[text]) for text in texts]
    found = sentence_clusters.cluster_sentences(corpus, origins, interest_scores=interest)
    ordered = sorted(found, key=lambda group: min(group.members))
    return [
        _build_claim_draft(
            corpus, [(place, by_text[texts[place]]) for place in group.members], salt
        )
        for group in ordered
    ]


def _build_claim_draft(
    corpus: SentenceCorpus, members: Sequence[tuple[int, list[SourcedStatement]]], salt: str
) -> _ClaimDraft:
    middle = corpus.sentences[members[0][0]]
    written = tuple(
        row
        if place == members[0][0]
        else _weigh_against_claim(row, middle, corpus.sentences[place])
        for place, rows in members
        for row in rows
    )
    return _ClaimDraft(
        id=_build_hash_id("clm", salt, middle.text), bag=middle, statements=_mark_copies(written)
    )


def _mark_copies(rows: Sequence[SourcedStatement]) -> tuple[SourcedStatement, ...]:
    """The statements, those last that repeat another owner's words; the earliest is the original."""
    words = [" ".join(row.snippet.split()) for row in rows]
    runs = [repeated_texts.hash_shingles(text) for text in words]

    def repeats(place: int, other: int) -> bool:
        if rows[place].owner == rows[other].owner:
            return False
        short, long = sorted((words[place], words[other]), key=len)
        if short.count(" ") < _MIN_COPIED_SPACES:
            return False
        return short in long or repeated_texts.is_copied_text(runs[place], runs[other])

    originals: list[int] = []
    for place in sorted(range(len(rows)), key=lambda at: rows[at].published or _NO_DATE):
        if not any(repeats(place, other) for other in originals):
            originals.append(place)
    copies = sorted(set(range(len(rows))).difference(originals))
    own = (rows[place] for place in sorted(originals))
    return (*own, *(replace(rows[place], is_copy=True) for place in copies))


def _weigh_against_claim(
    row: SourcedStatement, middle: SentenceFeatures, other: SentenceFeatures
) -> SourcedStatement:
    """Lower the support of a differently worded sentence to what its snippet gives the claim."""
    if not row.snippet:
        return row
    found = claim_support.assess_support(
        middle.text, claim_support.SourceText(text=row.snippet, language=middle.language)
    )
    enough = (
        found.score >= claim_support.MIN_SUPPORTED_SCORE
        or sentence_features.measure_mutual_coverage(middle, other)
        >= claim_support.MIN_MUTUAL_COVERAGE
    )
    kept = row.relation if enough or row.relation in _OPPOSING_RELATIONS else ClaimRelation.MENTIONS
    judge = row.judge if kept is row.relation else LEXICAL_NAME
    support = round(min(row.support, found.score), 4)
    return replace(row, support=support, relation=kept, judge=judge)


def _add_opposition(
    drafts: list[_ClaimDraft], conflicts: Sequence[StatementConflict]
) -> list[_ClaimDraft]:
    """The drafts, each with the statements that contradict it or give other values."""
    against: dict[int, list[SourcedStatement]] = {}
    qualified: dict[int, list[SourcedStatement]] = {}
    for conflict in conflicts:
        kept = against if conflict.unit is None else qualified
        for place, other in ((conflict.first, conflict.second), (conflict.second, conflict.first)):
            kept.setdefault(place, []).extend(_keep_quoted_support(drafts[other]))
    return [
        replace(
            draft, opposing=tuple(against.get(place, ())), differing=tuple(qualified.get(place, ()))
        )
        for place, draft in enumerate(drafts)
    ]


def _keep_quoted_support(draft: _ClaimDraft) -> list[SourcedStatement]:
    """The supporting statements that quote a source; without a snippet there is no evidence."""
    return [
        row
        for row in draft.statements
        if row.snippet and row.relation is ClaimRelation.SUPPORTS and not row.is_copy
    ]


def _collect_valued_statements(
    drafts: Sequence[_ClaimDraft],
) -> list[disagreements.ValuedStatement]:
    rows = [(draft, (_keep_quoted_support(draft) or draft.statements)[0]) for draft in drafts]
    return [
        disagreements.ValuedStatement(
            bag=draft.bag,
            source=row.source,
            published=row.published,
            snippet=row.snippet or row.text,
        )
        for draft, row in rows
    ]


def _build_claim(draft: _ClaimDraft) -> ResearchClaim:
    named = [row for row in draft.statements if _is_backing(row)]
    backing = [row for row in named if not row.is_copy]
    opposing = [
        *(row for row in draft.statements if row.relation in _OPPOSING_RELATIONS),
        *draft.opposing,
    ]
    behind = [_build_backing(row) for row in backing]
    own = (row.relevance for row in draft.statements if row.provider == LOCAL_PROVIDER)
    direct = max(own, default=0.0)
    sure = source_kinds.score_confidence(
        behind, contradicted=bool(opposing), directness=direct or None
    )
    flags = _collect_claim_flags(draft, backing, contradicted=bool(opposing))
    return ResearchClaim(
        id=draft.id,
        content=draft.bag.text,
        confidence=sure,
        confidence_level=source_kinds.name_confidence_level(sure),
        basis=source_kinds.describe_basis(
            behind, contradicted=bool(opposing), values_differ="values_differ" in flags
        ),
        type=statement_kinds.classify_statement(draft.bag.text),
        cluster_subject=disagreements.extract_shared_subject([draft.bag]) or None,
        facet=draft.statements[0].facet,
        supporting_providers=_sort_unique_names(row.provider for row in named),
        contradicting_providers=_sort_unique_names(row.provider for row in opposing),
        sources=tuple(
            dict.fromkeys(
                row.source
                for row in (*backing, *draft.statements)
                if row.source and not row.is_copy
            )
        ),
        flags=flags,
    )


def _build_backing(row: SourcedStatement) -> SourceBacking:
    return SourceBacking(
        owner=row.owner,
        source_weight=row.source_weight,
        support=row.support,
        kind=row.source_kind,
        is_checked=row.source_state == READ_STATE,
    )


def _is_backing(row: SourcedStatement) -> bool:
    """Whether a citation counts for the claim; a page that was read must support it a little."""
    if not row.source or row.relation not in _BACKING_RELATIONS:
        return False
    if row.source_state == READ_STATE:
        return row.support >= claim_support.UNSUPPORTED_BELOW_SCORE
    return row.source_state in _UNREAD_STATES


def _sort_unique_names(providers: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(providers)))


def _collect_claim_flags(
    draft: _ClaimDraft, backing: Sequence[SourcedStatement], *, contradicted: bool
) -> tuple[str, ...]:
    checked = [row for row in draft.statements if row.source_state == READ_STATE and row.source]
    states = {row.source_state for row in draft.statements}
    owners = {row.owner for row in backing if row.source_state == READ_STATE}
    bare = bool(checked) and all(
        row.support < claim_support.UNSUPPORTED_BELOW_SCORE for row in checked
    )
    flags = {
        "unsupported": bare,
        "number_not_found": bool(checked)
        and not bare
        and all(row.missing_numbers for row in checked),
        "uncited": not any(row.source for row in draft.statements),
        "unreachable": bool(states & {"unreachable", "refused"}),
        **{state: state in states for state in MISSING_PAGE_STATES},
        "single_source": len(owners) == 1,
        "contradicted": contradicted,
        "values_differ": bool(draft.differing)
        or any(row.relation is ClaimRelation.QUALIFIES for row in draft.statements),
    }
    return tuple(name for name, holds in flags.items() if holds)


def _list_claim_evidence(draft: _ClaimDraft, salt: str) -> Iterable[ClaimEvidence]:
    rows = [
        (row, ClaimRelation.MENTIONS if row.is_copy else row.relation, row.judge)
        for row in draft.statements
    ]
    rows += [(row, ClaimRelation.CONTRADICTS, LEXICAL_NAME) for row in draft.opposing]
    rows += [(row, ClaimRelation.QUALIFIES, LEXICAL_NAME) for row in draft.differing]
    seen: set[str] = set()
    for row, relation, judge in rows:
        name = _build_hash_id(
            "evd", salt, draft.id, row.provider, row.source, str(row.start), row.snippet
        )
        if row.snippet and row.source and name not in seen:
            seen.add(name)
            yield ClaimEvidence(
                id=name,
                claim_id=draft.id,
                relation=relation,
                snippet=row.snippet,
                start=row.start,
                end=row.end,
                relevance_score=round(row.support, 4),
                discovered_by_provider=row.provider,
                source=row.source,
                judge=judge,
            )


def _build_hash_id(prefix: str, *parts: str) -> str:
    text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return f"{prefix}_{hashlib.sha256(text).hexdigest()[:20]}"
