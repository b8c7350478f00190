"""Suggests questions that a person would ask next, from what the answer left open or did not use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import FollowOnTopic
from citewell.research.claims import source_kinds
from citewell.research.claims.claim_building import ClaimSet
from citewell.research.pages.answer_passages import ChosenAnswer
from citewell.research.pages.page_analysis import PageAnalysis
from citewell.research.pages.question_coverage import AnswerState, QuestionCoverage
from citewell.research.planning import private_material
from citewell.research.planning.thread_context import complete_question
from citewell.research.reporting.question_phrasing import (
    VALUE_JOINTS,
    find_asked_subject,
    find_heading_aspect,
    lower_heading,
    lower_title_case,
    names_action,
    names_section,
    phrase_question,
    turn_into_question,
)
from citewell.text.language import scripts, word_forms
from citewell.text.passages.page_units import list_passage_terms

MAX_FOLLOW_ONS = 6
_MIN_FOLLOW_ONS = 2  # fewer are filled up with a general one
_MAX_OF_A_KIND = 2
_MAX_TOPIC_CHARS = 160
_BEST_WINDOWS = 12  # of each part, whose pages and names lead on
_MIN_PAGE_SHARE = 0.6  # of the best score, for a page whose headings may be suggested
_MIN_NAME_OWNERS = 2  # that mention a name before it is suggested
_MIN_NAME_CHARS = 4  # shorter ones are units and the like
_MIN_NAME_MENTIONS = 3  # of a name of one word
_MAX_REPEATED_SHARE = 0.8  # of a suggestion's words that the question may hold
_MIN_TELLING_SHARE = 0.6  # of the weight of the question's weightiest word
_SURE_SCORE = 0.58  # of a window that answers the question directly
_MIN_HEADING_WORDS = 3  # of a heading that is a question
_NAME_PATTERN = re.compile(
    r"(?<![.!?:•\]]\s)(?<!\A)\b[A-ZÀ-ÖØ-Þ][\w’'-]+(?:\s[A-ZÀ-ÖØ-Þ][\w’'-]+){0,3}"
)
_NOUN_CAPITAL_CODES = frozenset(("de", "lb"))
_CALENDAR_PATTERN = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|English|I|It|The|This|Figure|Table)\b.*"
)


class FollowOnSuggestions:
    """The suggestions of one report."""

    def __init__(
        self, found: PageAnalysis, built: ClaimSet, chosen: ChosenAnswer, coverage: QuestionCoverage
    ) -> None:
        self._found = found
        self._built = built
        self._chosen = chosen
        self._coverage = coverage
        self._language = found.plan.language or _find_page_language(found)
        self._subject = find_asked_subject(found)
        self._telling = self._list_telling_stems()

    def list_suggestions(self) -> tuple[FollowOnTopic, ...]:
        """At most six suggestions with their reasons, and at most two of each kind."""
        kinds = [self._suggest_missing(), self._suggest_disputes()]
        if self._coverage.state is AnswerState.ANSWERED:
            kinds += [self._suggest_headings(), self._suggest_names(), self._suggest_sections()]
        found: dict[str, FollowOnTopic] = {}
        for kind in kinds:
            fresh = [item for item in kind if self._is_new(item.topic) and item.topic not in found]
            found |= {item.topic: item for item in fresh[:_MAX_OF_A_KIND]}
        is_answered = self._coverage.state is AnswerState.ANSWERED
        if len(found) < _MIN_FOLLOW_ONS and is_answered and self._subject:
            topic = phrase_question("more", self._subject, language=self._language)
            why = "The pages may say more than this answer quotes."
            found[topic] = FollowOnTopic(topic=topic, rationale=why)
        return tuple(found.values())[:MAX_FOLLOW_ONS]

    def _is_new(self, topic: str) -> bool:
        """Whether a suggestion asks something else than the question did."""
        if len(topic) > _MAX_TOPIC_CHARS:
            return False
        query = " ".join(self._found.plan.query.split())
        if self._coverage.state is not AnswerState.ANSWERED:
            return topic.lower() != query.lower()
        asked = set(list_passage_terms(query, language=self._language))
        wanted = set(list_passage_terms(topic, language=self._language))
        return bool(wanted) and len(wanted & asked) < _MAX_REPEATED_SHARE * len(wanted)

    def _suggest_missing(self) -> Iterator[FollowOnTopic]:
        """Parts of the question without an answer, and names that no page mentions."""
        query = self._found.plan.query
        if self._coverage.state is AnswerState.SUBJECT_MISSING:
            if scripts.UNSPACED_CHARACTER_PATTERN.search(query):
                return  # what is missing there are pairs of letters, not words
            for name in self._coverage.missing_names:
                kind = "identity" if name[:1].isupper() else "definition"
                yield FollowOnTopic(
                    topic=phrase_question(kind, name, language=self._language),
                    rationale=f"No page that was read mentions {name}.",
                )
            return
        if self._coverage.state is AnswerState.NOTHING_FOUND:
            terms = self._found.index.weigh_words(query, language=self._language)
            if terms:
                rarest = max(terms, key=lambda term: term.weight)
                yield FollowOnTopic(
                    topic=phrase_question("known", rarest.word, language=self._language),
                    rationale="Nothing was found on the whole question.",
                )
            return
        for at in self._coverage.missing_parts if len(self._found.parts) > 1 else ():
            part = complete_question(self._found.parts[at].text, [query]).text.strip()
            yield FollowOnTopic(
                topic=f"{part[:1].upper()}{part[1:].rstrip('?')}?",
                rationale="No passage was found for this part of the question.",
            )

    def _suggest_disputes(self) -> Iterator[FollowOnTopic]:
        subject = self._subject or ""
        for table in self._built.tables:
            values = tuple(dict.fromkeys(" ".join(row.value.split()) for row in table.rows))[:2]
            if len(values) == 2 and subject:
                joint = VALUE_JOINTS.get((self._language or "en")[:2], " / ")
                joined = joint.join(values)  # “78 °C or 80 °C”
                topic = phrase_question(
                    "difference", subject, language=self._language, values=joined
                )
                yield FollowOnTopic(topic=topic, rationale="Sources give different values.")
        if self._built.conflicts and subject:
            yield FollowOnTopic(
                topic=phrase_question("dispute", subject, language=self._language),
                rationale="Sources contradict each other on this.",
            )

    def _suggest_headings(self) -> Iterator[FollowOnTopic]:
        """Headings and titles of the best pages that ask something, or name a common aspect."""
        for page, heading in self._iterate_unused_headings():
            topic = self._ask_heading(heading, page)
            if topic:
                yield FollowOnTopic(topic=topic, rationale=self._explain_heading(page))

    def _suggest_sections(self) -> Iterator[FollowOnTopic]:
        """Other headings of the page that the answer quotes first: “What about storage?”."""
        for page, heading in self._iterate_unused_headings():
            indexed = self._found.index.pages[page]
            spoken = indexed.language or self._language
            text = " ".join(unit.text for unit in indexed.units)
            if (
                self._is_leading_page(page)
                and find_heading_aspect(heading) is None
                and names_section(heading, language=spoken)
                and not names_action(heading, text)
            ):
                named = lower_heading(heading, text, language=spoken)
                topic = phrase_question("section", named, language=spoken)
                yield FollowOnTopic(topic=topic, rationale=self._explain_heading(page))

    def _is_leading_page(self, page: int) -> bool:
        """Whether the answer quotes this page first, and the page is surely about the question."""
        first = next((item.window for item in self._chosen.answer), None)
        if first is None or first.page != page:
            return False
        title = self._found.index.pages[page].title
        return first.score >= _SURE_SCORE or self._shares_asked_word(title)

    def _shares_asked_word(self, text: str) -> bool:
        """Whether a text holds one of the telling words of the question."""
        return bool(self._telling & set(list_passage_terms(text, language=self._language)))

    def _list_telling_stems(self) -> set[str]:
        query = self._found.plan.query
        terms = self._found.index.weigh_words(query, language=self._language)
        least = _MIN_TELLING_SHARE * max((term.weight for term in terms), default=0.0)
        words = " ".join(term.word for term in terms if term.weight >= least)
        return set(list_passage_terms(words, language=self._language))

    def _explain_heading(self, page: int) -> str:
        title = " ".join(self._found.index.pages[page].title.split())
        return f"“{title}” has more on this than the answer quotes."

    def _iterate_unused_headings(self) -> Iterator[tuple[int, str]]:
        """The title and headings of the best pages, without those above the answer's quotations."""
        used = {
            " ".join(heading.split())
            for item in self._chosen.answer
            for unit in self._found.list_window_units(item.window)
            for heading in (*unit.headings, self._found.index.pages[item.window.page].title)
        }
        for page in self._list_best_pages():
            indexed = self._found.index.pages[page]
            above = (heading for unit in indexed.units for heading in unit.headings)
            for heading in dict.fromkeys(
                " ".join(item.split()) for item in (indexed.title, *above)
            ):
                if heading not in used:
                    yield page, heading

    def _list_best_pages(self) -> list[int]:
        """Public pages near the question, best first; words of the library are never suggested."""
        pages: dict[int, None] = {}
        for windows in self._found.windows:
            for window in windows[:_BEST_WINDOWS]:
                is_near = window.score >= _MIN_PAGE_SHARE * windows[0].score
                if is_near and not private_material.is_private_page(self._found.pages[window.page]):
                    pages[window.page] = None
        return list(pages)

    def _ask_heading(self, heading: str, page: int) -> str | None:
        indexed = self._found.index.pages[page]
        asked = turn_into_question(heading)
        if asked:
            if not (self._shares_asked_word(asked) or self._is_leading_page(page)):
                return None
            asked = self._choose_clear_question(asked)
            if asked and (indexed.language or "en")[:2] == "en":
                asked = lower_title_case(asked, " ".join(unit.text for unit in indexed.units))
            return asked
        aspect = find_heading_aspect(heading)
        if aspect is None or not self._subject:
            return None
        words = set(list_passage_terms(self._subject, language=self._language))
        if not words & set(list_passage_terms(indexed.title, language=indexed.language)):
            return None  # the title of the page does not name the subject
        return phrase_question(aspect, self._subject, language=self._language)

    def _choose_clear_question(self, asked: str) -> str | None:
        """What stands after a colon if that is clear alone, else the whole; None if neither is."""
        head, _, tail = asked.rpartition(": ")
        tail = tail[:1].upper() + tail[1:]
        if head and turn_into_question(tail) and not complete_question(tail, [head]).added:
            asked = tail
        is_clear = not complete_question(asked, [self._found.plan.query]).added
        return asked if is_clear and len(asked.split()) >= _MIN_HEADING_WORDS else None

    def _suggest_names(self) -> Iterator[FollowOnTopic]:
        """Names that the best passages of several owners bring up and the question does not."""
        if not self._subject or (self._language or "en")[:2] in _NOUN_CAPITAL_CODES:
            return
        owners: dict[str, set[str]] = {}
        counts: Counter[str] = Counter()
        for page, text in self._iterate_best_texts():
            owner = source_kinds.identify_source_owner(self._found.pages[page].url)
            for name in {match[0] for match in _NAME_PATTERN.finditer(text)}:
                owners.setdefault(name, set()).add(owner)
                counts[name] += 1
        plain = word_forms.list_stopwords(self._language)
        asked = set(list_passage_terms(self._found.plan.query, language=self._language))
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            words = set(list_passage_terms(name, language=self._language))
            if len(owners[name]) < _MIN_NAME_OWNERS or not words or words & asked:
                continue
            if len(name) < _MIN_NAME_CHARS or (" " not in name and count < _MIN_NAME_MENTIONS):
                continue
            if name.lower() in plain or _CALENDAR_PATTERN.fullmatch(name):
                continue
            yield FollowOnTopic(
                topic=phrase_question("name", self._subject, language=self._language, name=name),
                rationale=f"{count} {pluralize(count, 'passage')} of {len(owners[name])} {pluralize(len(owners[name]), 'site')} {pluralize(count, 'mentions', 'mention')} {name}.",
            )

    def _iterate_best_texts(self) -> Iterator[tuple[int, str]]:
        near = set(self._list_best_pages())
        seen: set[tuple[int, int]] = set()
        for windows in self._found.windows:
            for window in windows[:_BEST_WINDOWS]:
                for place, unit in enumerate(self._found.list_window_units(window), window.first):
                    if window.page in near and (window.page, place) not in seen:
                        seen.add((window.page, place))
                        yield window.page, unit.text


def _find_page_language(found: PageAnalysis) -> str | None:
    """The language of the best page, for a question too short to tell its own."""
    first = next((windows[0] for windows in found.windows if windows), None)
    return found.index.pages[first.page].language if first else None
