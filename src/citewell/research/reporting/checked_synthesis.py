"""Checks every sentence of a model's report against the sources it cites, before it is shown.

A supported sentence stays with the citations that support it. One that another source supports is
cited to that one. One that is refuted, or has another number or name, is cut. One of which words
alone cannot tell stays with its citations, and a remark says what of it is not confirmed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from citewell.evidence.judging.statement_judgement import UNSETTLED_NOTE
from citewell.evidence.signs import nearest_sentences
from citewell.research.claims.cited_statements import LOST_REF, REF_MARK_PATTERN, strip_ref_marks
from citewell.research.claims.sentence_verdicts import (
    SentenceFinding,
    SentenceJudge,
    SentenceVerdict,
)
from citewell.text.language import sentences, word_forms
from citewell.text.passages import markdown_blocks

UNCONFIRMED_MARK = "*(not confirmed by the sources)*"
# What the mark says already.
_OPEN_TAIL_PATTERN = re.compile(
    r"[;.,] (?:and )?(?:whether|which)\b.{1,300} was not confirmed\.\Z", re.IGNORECASE
)
_REASON_MARKUP_PATTERN = re.compile(r"[*_`|\[\]]++")
_MIN_STATEMENT_TERMS = 3  # a shorter sentence states nothing by itself
_REPORTING_REGEX = (
    r"(?:says?|states?|reports?|notes?|finds?|found|shows?|adds?|confirms?|writes?)\b"
)
_MARK_REGEX = r"(?:\[src_\d{1,4}+\]\s{0,3}+(?:(?:,|;|&|and(?=\s{0,3}+\[))\s{0,3}+)?)"
_MARKS_REGEX = rf"{_MARK_REGEX}{{1,12}}+"
_REPORTED_REGEX = rf"(?:both\s|also\s)?{_REPORTING_REGEX}"
_STOP_BEFORE_MARKS_PATTERN = re.compile(
    rf"([.!?。！？][\"”’»)*_]{{0,4}}+)[^\S\n]{{0,4}}+({_MARKS_REGEX})(?!{_REPORTED_REGEX})",
    re.IGNORECASE,
)
_SUBJECT_MARK_PATTERN = re.compile(
    rf"\[src_\d{{1,4}}+\](?=\s{{0,3}}+(?:(?:,|&|and)\s{{0,3}}+)?(?:{_MARKS_REGEX})?{_REPORTED_REGEX})",
    re.IGNORECASE,
)
# "According to [src_1], …" and "[src_1] says that …" are statements with a citation.
_ATTRIBUTION_PATTERN = re.compile(
    rf"\A(?:(?:according to|as per|per|as)\s{{1,3}}+{_MARKS_REGEX}(?:{_REPORTING_REGEX})?[\s,]{{0,4}}+"
    rf"|{_MARKS_REGEX}{_REPORTED_REGEX}\s{{1,3}}+(?:that\s{{1,3}}+)?)",
    re.IGNORECASE,
)
_TRAILING_MARKS_PATTERN = re.compile(r"(?:\s{0,4}+\[src_\d{1,4}+\]){1,20}+")
_MARKUP_PATTERN = re.compile(r"[*`]{1,3}+|(?<!\w)_{1,3}+|(?<=\w)_{1,3}+(?!\w)")
_SPACE_BEFORE_STOP_PATTERN = re.compile(r"(?<!\s)[^\S\n]++([.,;:!?。，])")
_SPACES_PATTERN = re.compile(r"[^\S\n]{2,}+")
_EMPTY_BRACKETS_PATTERN = re.compile(r"\(\s{0,3}+[,;]{0,3}+\s{0,3}+\)|\[\s{0,3}+\]")
_OPEN_ENDS = (":", "：", "?", "？", "؟")
# Words for what a report says of itself or of its sources rather than of its subject.
_SOURCE_WORD_PATTERN = re.compile(
    r"\b(?:sources?|passages?|evidence|claims?|quellen?|fuentes?|fonti?|fontes?|bronnen|źród|источник)|来源|資料|出典",
    re.IGNORECASE,
)
_DOUBT_WORD_PATTERN = re.compile(
    r"\b(?:disagree|differ|conflict|contradict|unclear|unknown|missing|limited|silent|lacks?|widersprechen)",
    re.IGNORECASE,
)
_VERDICT_PATTERN = re.compile(r"\A(?:yes|no|ja|nein|oui|non|sí|sim|não|да|нет)\b", re.IGNORECASE)
_OPENING_PATTERN = re.compile(
    r"\A(?:this (?:report|section|answer|summary|overview)|the following|below|here (?:is|are))\b",
    re.IGNORECASE,
)
_MAX_OPENING_TERMS = 8
_TABLE_RULE_PATTERN = re.compile(r"\|[\s:|-]++")


@dataclass(slots=True, kw_only=True)
class CheckCounts:
    """How the statements of a report fared."""

    statements: int = 0
    supported: int = 0  # or in another language than their sources, with no number missing
    cut: int = 0
    marked: int = 0
    recited: int = 0  # cited to another source than the model named, or to one where it named none
    uncompared: int = 0  # in another language than their sources
    cut_reasons: dict[str, None] = field(default_factory=dict)  # each once, in order

    @property
    def standing(self) -> int:
        """The statements that were not cut, marked or not."""
        return self.statements - self.cut

    @property
    def share(self) -> float:
        return self.standing / self.statements if self.statements else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str  # without citations
    refs: tuple[str, ...]
    is_miscited: bool = False  # it cites something that is no source
    run_refs: tuple[str, ...] = ()  # of the next citation in the same block


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    text: str | None  # None: cut
    is_statement: bool = True


@dataclass(slots=True, kw_only=True)
class SynthesisCheck:
    """The check of one report; its citations must be [src_N] of known sources.

    With `marks_only` nothing is cut, and of the sentences without a citation none is marked.
    """

    judge: SentenceJudge
    marks_only: bool = False
    counts: CheckCounts = field(default_factory=CheckCounts)

    def check_text(self, text: str) -> str:
        """The report with what stands of it, and nothing else."""
        kept = [
            checked
            for block in markdown_blocks.split_written_blocks(text)
            if (checked := self._check_block(block)) is not None
        ]
        return markdown_blocks.join_written_blocks(markdown_blocks.drop_empty_sections(kept))

    def _check_block(
        self, block: markdown_blocks.WrittenBlock
    ) -> markdown_blocks.WrittenBlock | None:
        if block.kind is markdown_blocks.WrittenKind.RULE:
            return block
        if block.kind is markdown_blocks.WrittenKind.HEADING:
            return self._check_heading(block)
        if block.kind is markdown_blocks.WrittenKind.TABLE:
            return self._check_table(block)
        if block.kind is markdown_blocks.WrittenKind.CODE:
            return self._check_code(block)
        decisions = [
            self._decide_sentence(sentence) for sentence in _split_cited_sentences(block.text)
        ]
        # A few words between statements stand only as long as one of these does.
        if any(decision.is_statement for decision in decisions) and all(
            decision.text is None for decision in decisions if decision.is_statement
        ):
            return None
        text = " ".join(decision.text for decision in decisions if decision.text)
        return replace(block, text=text) if text else None

    def _check_heading(
        self, block: markdown_blocks.WrittenBlock
    ) -> markdown_blocks.WrittenBlock | None:
        text = _tidy_text(strip_ref_marks(block.text))
        plain = _MARKUP_PATTERN.sub("", text)
        if self.marks_only or not self.judge.states_fact(plain):
            return replace(block, text=text) if text else None
        if not self.judge.has_all_facts(plain):
            self._count_statement(cut=1)
            return None
        return replace(block, text=text) if text else None

    def _check_table(
        self, block: markdown_blocks.WrittenBlock
    ) -> markdown_blocks.WrittenBlock | None:
        rows = block.text.splitlines()
        head = 2 if len(rows) > 1 and _TABLE_RULE_PATTERN.fullmatch(rows[1]) else 0
        kept = [row for row in map(self._check_row, rows[head:]) if row is not None]
        if not kept:
            return None
        top = [_tidy_text(strip_ref_marks(row)) for row in rows[:head]]
        return replace(block, text="\n".join([*top, *kept]))

    def _check_row(self, row: str) -> str | None:
        cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
        text = "; ".join(filter(None, (_tidy_text(strip_ref_marks(cell)) for cell in cells)))
        cited = dict.fromkeys(REF_MARK_PATTERN.findall(row))
        refs = tuple(ref for ref in cited if ref != LOST_REF)
        found = self._find_support(_Sentence(text=text, refs=refs))
        if found is None:
            return None
        marks, note = found
        plain = [_tidy_text(strip_ref_marks(cell)) for cell in cells]
        plain[-1] = " ".join(filter(None, (plain[-1], note, marks)))
        return "| " + " | ".join(plain) + " |"

    def _check_code(
        self, block: markdown_blocks.WrittenBlock
    ) -> markdown_blocks.WrittenBlock | None:
        """Code stands if a source has it; what it says is not compared word by word."""
        if self.marks_only:
            return block
        lines = strip_ref_marks(block.text).splitlines()[1:]
        body = [
            line.strip()
            for line in lines
            if line.strip() and line.strip()[:3] not in {"```", "~~~"}
        ]
        if body and self.judge.has_lines(body):
            self._count_statement(supported=1)
            return replace(block, text=strip_ref_marks(block.text))
        self._count_statement(cut=1)
        return None

    def _decide_sentence(self, sentence: _Sentence) -> _Decision:
        text = _tidy_text(sentence.text)
        if not text:
            return _Decision(text=None, is_statement=False)
        if (
            sentence.is_miscited
            and not self.marks_only
            and len(word_forms.list_terms(text)) < _MIN_STATEMENT_TERMS
        ):
            return _Decision(text=None, is_statement=False)
        if not sentence.refs and not sentence.is_miscited and self._is_connecting(text):
            return _Decision(text=text, is_statement=False)
        found = self._find_support(replace(sentence, text=text))
        if found is None:
            return _Decision(text=None)
        return _Decision(text=" ".join(filter(None, (text, found[1], found[0]))))

    def _find_support(self, sentence: _Sentence) -> tuple[str, str] | None:
        """The citations of a sentence and the remark after it; None if it is to be cut."""
        if self.marks_only and not sentence.refs:
            return "", ""
        plain = _MARKUP_PATTERN.sub("", sentence.text)
        asked = sentence.refs or sentence.run_refs
        findings = {ref: self.judge.judge_citation(plain, ref) for ref in asked}
        good = [ref for ref in asked if findings[ref].verdict is SentenceVerdict.SUPPORTED]
        if not good and len(asked) > 1:
            good = self.judge.find_joined_sources(plain, asked)
        if good:
            self._count_statement(supported=1)
            return _format_marks(good), ""
        other = self.judge.find_supporting_source(plain, except_for=asked)
        if other is not None:
            self._count_statement(supported=1, recited=1)
            return _format_marks([other]), ""
        return self._keep_unsupported(plain, sentence, findings)

    def _keep_unsupported(
        self, plain: str, sentence: _Sentence, findings: dict[str, SentenceFinding]
    ) -> tuple[str, str] | None:
        unread = [
            ref for ref in sentence.refs if findings[ref].verdict is SentenceVerdict.UNCHECKED
        ]
        if unread and all(map(self.judge.has_text, unread)):  # only the language differs
            self._count_statement(supported=1, uncompared=1)
            return _format_marks(unread), ""
        objections = self._list_objections(plain, findings)
        is_refused = all(each.verdict is SentenceVerdict.REFUSED for each in objections)
        if not sentence.refs and not sentence.is_miscited and not self.judge.states_fact(plain):
            is_refused = False
        if is_refused and not self.marks_only:
            self._count_statement(cut=1)
            self.counts.cut_reasons |= dict.fromkeys(each.reason for each in objections[:1])
            return None
        self._count_statement(marked=1)
        cited = [ref for ref in sentence.refs if self.marks_only or self.judge.has_text(ref)]
        return _format_marks(cited), _format_doubts(objections)

    def _list_objections(
        self, plain: str, findings: dict[str, SentenceFinding]
    ) -> list[SentenceFinding]:
        """What speaks against a sentence, what its sources have in the place of something first."""
        objections = list(findings.values())
        if len(objections) > 1 and all(
            each.verdict is SentenceVerdict.REFUSED and not each.is_located for each in objections
        ):
            return [
                self.judge.judge_together(plain, tuple(findings))
            ]  # one may have what another lacks
        return sorted(
            objections,
            key=lambda each: each.verdict is not SentenceVerdict.REFUSED or not each.is_located,
        )

    def _is_connecting(self, text: str) -> bool:
        """Whether an uncited sentence leads on, or speaks of the sources, and states no fact."""
        plain = _MARKUP_PATTERN.sub("", text)
        if self.judge.states_fact(plain):
            return False
        terms = word_forms.list_terms(plain)
        if _VERDICT_PATTERN.match(plain):  # "Yes." leads on, "Yes, it is safe." states something
            return not word_forms.list_terms(_VERDICT_PATTERN.sub("", plain))
        if len(terms) < _MIN_STATEMENT_TERMS or plain.endswith(_OPEN_ENDS):
            return True
        if _OPENING_PATTERN.match(plain) and len(terms) <= _MAX_OPENING_TERMS:
            return True
        doubts = nearest_sentences.is_negated_statement(plain) or _DOUBT_WORD_PATTERN.search(plain)
        return bool(_SOURCE_WORD_PATTERN.search(plain)) and bool(doubts)

    def _count_statement(
        self,
        *,
        supported: int = 0,
        cut: int = 0,
        marked: int = 0,
        recited: int = 0,
        uncompared: int = 0,
    ) -> None:
        self.counts.statements += 1
        self.counts.supported += supported
        self.counts.cut += cut
        self.counts.marked += marked
        self.counts.recited += recited
        self.counts.uncompared += uncompared


def _split_cited_sentences(text: str) -> list[_Sentence]:
    """The sentences of a block; a citation after a full stop belongs to the sentence before it."""
    text = _STOP_BEFORE_MARKS_PATTERN.sub(r" \2\1 ", text)
    # A citation that is the subject of its sentence begins it like a name; any other is a space.
    named = _SUBJECT_MARK_PATTERN.sub(lambda mark: "S" * len(mark[0]), text)
    masked = REF_MARK_PATTERN.sub(lambda mark: " " * len(mark[0]), named)
    found: list[_Sentence] = []
    at = 0
    for _, end in sentences.find_sentence_spans(masked):
        marks = _TRAILING_MARKS_PATTERN.match(named, end)
        behind = marks.end() if marks else end
        found.append(_read_sentence(text[at:behind]))
        at = behind
    return _add_run_citations(found)


def _read_sentence(raw: str) -> _Sentence:
    cited = dict.fromkeys(REF_MARK_PATTERN.findall(raw))
    refs = tuple(ref for ref in cited if ref != LOST_REF)
    text = _ATTRIBUTION_PATTERN.sub("", raw.strip())
    plain = strip_ref_marks(text).strip(" ,;")
    if text != raw.strip() and plain:
        plain = plain[0].upper() + plain[1:]
    return _Sentence(text=plain, refs=refs, is_miscited=LOST_REF in cited)


def _add_run_citations(found: Sequence[_Sentence]) -> list[_Sentence]:
    """Sentences without a citation may rest on the next one in their block."""
    ahead: tuple[str, ...] = ()
    made = []
    for match in reversed(found):
        ahead = match.refs or ahead
        made.append(match if match.refs else replace(match, run_refs=ahead))
    return made[::-1]


def _format_marks(refs: Sequence[str]) -> str:
    return " ".join(f"[{ref}]" for ref in refs)


def _format_doubts(doubts: Sequence[SentenceFinding]) -> str:
    """The mark of a sentence, with the first reason for it if there is one worth reading."""
    reasons = (each.reason for each in doubts if each.reason not in {"", UNSETTLED_NOTE})
    reason = _OPEN_TAIL_PATTERN.sub("", next(reasons, "")).rstrip(".")
    plain = _REASON_MARKUP_PATTERN.sub("", reason)
    if not plain:
        return UNCONFIRMED_MARK
    if plain.startswith(("The ", "A ", "No ", "None ")):
        plain = plain[0].lower() + plain[1:]
    return f"*(not confirmed: {plain})*"


def _tidy_text(text: str) -> str:
    """The text without what removed citations leave behind."""
    plain = _EMPTY_BRACKETS_PATTERN.sub("", text)
    return _SPACES_PATTERN.sub(" ", _SPACE_BEFORE_STOP_PATTERN.sub(r"\1", plain)).strip()
