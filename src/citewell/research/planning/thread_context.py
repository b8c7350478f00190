"""What a follow-up takes from its thread: the subject of earlier questions, and what was quoted.

Only what the user asked completes a question, never the text of a report, which may quote private
documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from citewell.core.config import Settings
from citewell.core.errors import InvalidInput
from citewell.core.values.argument_types import RESEARCH_SCOPES, ResearchScope
from citewell.core.values.wire_values import WireValue
from citewell.jobs.step_values import parse_assignment
from citewell.research.planning.research_plan import extract_key_phrases
from citewell.research.settings import ResearchSettings
from citewell.routing.provider_catalogue import is_library_routed_alone
from citewell.text.data_tables import load_table
from citewell.text.language import detection, scripts, word_forms

WEB_SCOPE: ResearchScope = "web"
LIBRARY_SCOPE: ResearchScope = "library"  # local only: no request leaves the machine

_MAX_EARLIER_QUESTIONS = 5


class ThreadQuote(WireValue):
    """What the answer of an earlier job of the thread quoted, and from where."""

    job: str
    url: str
    sha256: str | None
    start: int
    end: int
    snippet: str


class ThreadQuotes(WireValue):
    quotes: tuple[ThreadQuote, ...] = ()


def complete_follow_up(
    query: str, earlier: Iterable[Mapping[str, Any]], *, scope: str
) -> FollowedQuestion:
    """The question with the subject of earlier jobs, given by their arguments, the latest first.

    A question that was asked of the library alone completes only one that stays there too.
    """
    questions = [
        work.researched or work.query
        for args in earlier
        if scope == LIBRARY_SCOPE or args.get("scope", LIBRARY_SCOPE) != LIBRARY_SCOPE
        for work in (parse_assignment(args),)
    ]
    return complete_question(query, questions[:_MAX_EARLIER_QUESTIONS])


def list_ancestors(parent: str, jobs: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The arguments of a job and of the jobs that it follows; `jobs` has them by job id."""
    found: dict[str, Mapping[str, Any]] = {}
    name: str | None = parent
    while name is not None and name in jobs and name not in found:
        found[name] = jobs[name]
        name = parse_assignment(jobs[name]).parent
    return list(found.values())


def describe_completion(text: str, added: Sequence[str]) -> str:
    """A note that says how a follow-up question was understood."""
    words = ", ".join(f"“{item}”" for item in added)
    return f"Asked in this thread: read as “{text}”, with {words} from an earlier question."


def describe_left_out(jobs: Sequence[str]) -> str:
    """A note on passages that are not quoted again; `jobs` names for each the job that quoted it."""
    what = "1 passage" if len(jobs) == 1 else f"{len(jobs)} passages"
    verb = "is left out" if len(jobs) == 1 else "are left out"
    return f"{what} quoted earlier in this thread ({format_job_names(jobs)}) {verb}."


def format_job_names(jobs: Sequence[str]) -> str:
    names = list(dict.fromkeys(jobs))
    return f"job{'s' if len(names) > 1 else ''} {', '.join(names)}"


# Where a job may search: the web, the user's library, or both.


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRules:
    """The operator's rules for the scope of research."""

    default: ResearchScope = WEB_SCOPE
    is_local_only: bool = False  # SEARCH_ROUTING names the library alone

    @classmethod
    def from_settings(cls, settings: Settings) -> ScopeRules:
        return cls(
            default=settings[ResearchSettings].research_scope or WEB_SCOPE,
            is_local_only=is_library_routed_alone(settings),
        )

    def choose_scope(self, asked: str | None, *, parent: str | None = None) -> ResearchScope:
        """The scope that the call names, else that of the parent job, else the default.

        Raises InvalidInput for an unknown scope, and for the web where the operator excluded it.
        """
        if asked is not None and asked not in RESEARCH_SCOPES:
            raise InvalidInput(
                f"scope {asked!r} is not known. It takes: {', '.join(RESEARCH_SCOPES)}."
            )
        if not self.is_local_only:
            wanted = asked or parent
            return next((item for item in RESEARCH_SCOPES if item == wanted), self.default)
        if asked not in {None, LIBRARY_SCOPE}:
            raise InvalidInput(
                f"scope {asked} needs the web, and SEARCH_ROUTING names only the library. Leave scope"
                " out, or add a search provider to SEARCH_ROUTING."
            )
        return LIBRARY_SCOPE


# Completes a question that only makes sense after an earlier one, by rules.


# Languages without blanks: one pattern says whether a question points back.
UNSPACED_REFERENCE_PATTERN = re.compile(
    r"它|他们|她们|这个|那个|这些|那些|那里|那儿|那边|这种|那种|呢[?？]?\Z|それ|そこ|あそこ|これ|その|この|彼ら|彼女|^では|は[?？]\Z"
)

_MAX_RULED_CHARS = 600  # a longer question explains itself
_MAX_ADDED_PHRASES = 2
_MAX_PHRASE_WORDS = 5
_MAX_SLOT_WORDS = 6  # of the part of an earlier question that a new one replaces
_WORD_PATTERN = re.compile(r"[^\W_][\w’'-]*")
_NAME_PATTERN = re.compile(
    r"(?<![.?!:]\s)(?<!\A)(?<!\A[¿¡])\b[A-ZÀ-ÖØ-Þ][\w’'-]*+(?:\s+(?:(?:of|de|del|la|von|van)\s+)?(?:[A-ZÀ-ÖØ-Þ][\w’'-]*+|\d[\w.]*+))*+"
)
_FIRST_NAME_PATTERN = re.compile(r"\A[A-ZÀ-ÖØ-Þ][\w’'-]*+(?:\s+[A-ZÀ-ÖØ-Þ\d][\w’'-]*+)++")
_CLOSING_PATTERN = re.compile(r"(?<![\s?？؟.!])[\s?？؟.!]++\Z")
# "pompe à chaleur", "bomba de calor": two nouns that are one term.
_JOINED_NOUNS_PATTERN = re.compile(
    r"\b[^\W\d_]{4,}\s+(?:à|de|du|des|del|di|da|do)\s+[^\W\d_]{4,}", re.IGNORECASE
)
_JOINING_CODES = frozenset(("fr", "es", "it", "pt", "ca"))
_NOUN_CAPITAL_CODES = frozenset(("de", "lb"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedQuestion:
    """A question as it is researched; `added` are the words taken from an earlier question."""

    text: str
    added: tuple[str, ...] = ()


def complete_question(asked: str, earlier: Sequence[str]) -> FollowedQuestion:
    """The question with the subject of `earlier` ones (the latest first) if it has none itself."""
    plain = " ".join(asked.split())
    alone = FollowedQuestion(text=asked)
    if not earlier or len(plain) > _MAX_RULED_CHARS:
        return alone
    if scripts.UNSPACED_CHARACTER_PATTERN.search(plain):
        return _complete_unspaced(plain, earlier) or alone
    code = _guess_language(plain, earlier)
    listed = load_referring_words()
    words = listed.get(code, listed["en"])
    if not _points_back(plain, words, code):
        return alone
    for question in earlier:
        filled = _fill_earlier_slot(plain, " ".join(question.split()), words)
        if filled:
            return filled
        added = _choose_subjects(plain, question, words, code)
        if added:
            return FollowedQuestion(text=_insert_subjects(plain, added, words), added=added)
    return alone


def _guess_language(plain: str, earlier: Sequence[str]) -> str:
    """The language of a short question: detected, or by its commonest words, or the earlier one's."""
    found = detection.detect_language(plain) if len(plain) > 30 else None
    before = next((code for item in earlier if (code := detection.detect_language(item))), None)
    if found is None:
        words = [word.lower() for word in _WORD_PATTERN.findall(plain)]
        counts = {
            code: sum(word in word_forms.list_stopwords(code) for word in words)
            + (code == before) * 0.5
            for code in load_referring_words()
        }
        best = max(counts, key=lambda code: counts[code])
        found = best if counts[best] >= 1 else before
    return (found or before or "en")[:2]


def _complete_unspaced(plain: str, earlier: Sequence[str]) -> FollowedQuestion | None:
    if not UNSPACED_REFERENCE_PATTERN.search(plain):
        return None
    before = _CLOSING_PATTERN.sub("", " ".join(earlier[0].split())[:_MAX_RULED_CHARS])
    if not word_forms.extract_terms(before) - word_forms.extract_terms(plain):
        return None
    return FollowedQuestion(text=f"{before} {plain}", added=(before,))


def _points_back(plain: str, words: ReferringWords, code: str) -> bool:
    if words.opening.match(plain):
        return True
    bare = words.expletive.sub(" ", plain)
    if not _list_own_words(bare, code):
        return True
    if any(
        not _has_place_before(bare[: match.start()], words) for match in words.place.finditer(bare)
    ):
        return True
    if any(
        not _list_own_words(bare[: match.start()], code) for match in words.owned.finditer(bare)
    ):
        return True
    if any(
        not _list_own_words(bare[: match.end()], code) for match in words.pointed.finditer(bare)
    ):
        return True
    return any(
        not _is_bound_inside(bare, match, words, code) for match in words.thing.finditer(bare)
    )


def _list_own_words(text: str, code: str) -> list[str]:
    """Words that can name a subject: neither stop words nor what can be asked of anything."""
    plain = word_forms.list_stopwords(code) | word_forms.list_stopwords("en") | load_aspect_words()
    found = [word.lower() for word in _WORD_PATTERN.findall(text)]
    return [word for word in found if word not in plain and (len(word) > 2 or word.isdigit())]


def _has_place_before(text: str, words: ReferringWords) -> bool:
    """Whether a name stands after a preposition: "the flight to Iceland"."""
    return any(
        before[-1].lower() in words.prepositions
        for match in _NAME_PATTERN.finditer(text)
        if (before := text[: match.start()].split())
    )


def _is_bound_inside(text: str, match: re.Match[str], words: ReferringWords, code: str) -> bool:
    """Whether a pronoun has its noun in the same question, in the clause before its own."""
    before = text[: match.start()]
    borders = [
        item
        for item in words.border.finditer(before)
        if _list_own_words(before[: item.start()], code)
    ]
    if borders:
        return True
    # French repeats its subject: "Les abeilles sont-elles utiles ?"
    return before.endswith("-") and bool(_list_own_words(before, code))


def _fill_earlier_slot(plain: str, question: str, words: ReferringWords) -> FollowedQuestion | None:
    """Such as “And in Korea?” after “Should I tip in Japan?”: “Should I tip in Korea?”."""
    opened = words.opening.match(plain)
    if not opened:
        return None
    rest = _CLOSING_PATTERN.sub("", plain[opened.end() :]).split()
    if not 2 <= len(rest) <= _MAX_SLOT_WORDS or rest[0].lower() not in words.prepositions:
        return None
    asked = _CLOSING_PATTERN.sub("", question).split()
    slots = [
        at
        for at, word in enumerate(asked)
        if word.lower() == rest[0].lower() and at + 1 < len(asked)
    ]
    if not slots:
        return None
    at = slots[-1]
    end = at + 1
    while (
        end < len(asked)
        and asked[end].lower() not in words.prepositions
        and end - at <= _MAX_SLOT_WORDS
    ):
        end += 1
    kept = (*asked[:at], *asked[end:])
    text = " ".join((*asked[:at], *rest, *asked[end:])) + "?"
    return FollowedQuestion(text=text, added=(" ".join(kept),))


def _choose_subjects(
    plain: str, question: str, words: ReferringWords, code: str
) -> tuple[str, ...]:
    """What to add: a place for "there", names, or the main phrase of the earlier question."""
    question = " ".join(question.split())
    spoken = (detection.detect_language(question) or code)[:2]
    names = _list_names(question, spoken)
    phrases = [
        phrase
        for phrase in _list_phrases(question, spoken)
        if not any(name in phrase or phrase in name for name in names)
    ]
    # The first phrase without a name in it; of single words, the first two.
    phrases = phrases[: 1 if phrases and " " in phrases[0] else _MAX_ADDED_PHRASES]
    bare = words.expletive.sub(" ", plain)
    if words.place.search(bare):
        wanted = _list_places(question, names, words) or names or phrases
    elif _list_own_words(bare, code) and not any(
        pattern.search(bare) for pattern in (words.thing, words.owned, words.pointed)
    ):
        wanted = names or phrases
    else:
        wanted = [*phrases, *names]
    held = word_forms.extract_terms(plain, language=code)
    fresh = [item for item in wanted if not word_forms.extract_terms(item, language=code) <= held]
    return tuple(dict.fromkeys(fresh))[:_MAX_ADDED_PHRASES]


def _list_names(question: str, code: str) -> list[str]:
    if code in _NOUN_CAPITAL_CODES:
        return []  # every noun has a capital there
    plain = word_forms.list_stopwords(code)
    first = _FIRST_NAME_PATTERN.match(question)
    found = [match[0] for match in _NAME_PATTERN.finditer(question)]
    if first and first[0].split()[0].lower() not in plain:
        found.insert(0, first[0])
    return [name for name in dict.fromkeys(found) if name.lower() not in plain and len(name) > 1]


def _list_places(question: str, names: Sequence[str], words: ReferringWords) -> list[str]:
    """Names, or in German nouns, that stand after a preposition."""
    found = []
    spelled = question.split()
    for at, word in enumerate(spelled[1:], start=1):
        bare = _CLOSING_PATTERN.sub("", word).strip(",;:")
        named = next((name for name in names if name.split()[0] == bare), None)
        is_noun = not names and bare[:1].isupper()
        if (named or is_noun) and spelled[at - 1].lower() in words.prepositions:
            found.append(named or bare)
    return found


def _list_phrases(question: str, code: str) -> list[str]:
    """The phrases of a question without what can be asked of anything, in their order of weight."""
    found = []
    joined = [match[0] for match in _JOINED_NOUNS_PATTERN.finditer(question)]
    for phrase in (
        *(joined if code in _JOINING_CODES else ()),
        *extract_key_phrases(question, language=code),
    ):
        kept = phrase.split()
        while kept and kept[0].lower() in load_aspect_words():
            kept = kept[1:]
        while kept and kept[-1].lower() in load_aspect_words():
            kept = kept[:-1]
        if code in _NOUN_CAPITAL_CODES:
            # German phrases without verbs at their ends: up to the last noun.
            nouns = [at for at, word in enumerate(kept) if word[:1].isupper()]
            kept = list(kept[: nouns[-1] + 1]) if nouns else []
        if kept and _list_own_words(" ".join(kept), code):
            found.append(" ".join(kept[:_MAX_PHRASE_WORDS]))
    return list(dict.fromkeys(found))


def _insert_subjects(plain: str, added: Sequence[str], words: ReferringWords) -> str:
    """The question with the subjects in the place of what points back, or at its end."""
    opened = words.opening.match(plain)
    rest = plain[opened.end() :] if opened and plain[opened.end() :].strip(" ?!.") else plain
    body = _CLOSING_PATTERN.sub("", rest)
    joined = ", ".join(added)
    place = words.place.search(body)
    if place:
        body = f"{body[: place.start()]}{words.place_preposition} {joined}{body[place.end() :]}"
    else:
        body = f"{body} ({joined})"
    return f"{body[:1].upper()}{body[1:]}?"


# Words of a question that point back to an earlier one, by language.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferringWords:
    """The patterns of one language."""

    opening: re.Pattern[str]  # "and …", "what about …", without anything after it
    place: re.Pattern[str]  # "there"
    thing: re.Pattern[str]  # "it", "they", "that" where it stands for a noun
    owned: re.Pattern[str]  # "its", "their"
    pointed: re.Pattern[str]  # "this method", "these drugs"
    border: re.Pattern[str]  # words that begin a new clause
    expletive: re.Pattern[str]  # "is there", "it takes … to": points to nothing
    prepositions: frozenset[str]
    place_preposition: str  # "in"


@cache
def load_referring_words() -> Mapping[str, ReferringWords]:
    """The patterns by language."""
    table = load_table(__package__, "referring_words")
    time_noun = rf"(?:{'|'.join(table['time_nouns'])})\b"
    return {code: _compile_words(words, time_noun) for code, words in table["languages"].items()}


@cache
def load_aspect_words() -> frozenset[str]:
    """What can be asked of anything: a question with only these words has no subject of its own."""
    return frozenset(load_table(__package__, "referring_words")["aspects"])


def _compile_words(words: Mapping[str, Any], time_noun: str) -> ReferringWords:
    patterns = {
        name: re.compile("|".join(words[name]).replace("<time noun>", time_noun), re.IGNORECASE)
        for name in words.keys() - {"prepositions", "place_preposition"}
    }
    return ReferringWords(
        prepositions=frozenset(words["prepositions"]),
        place_preposition=words["place_preposition"],
        **patterns,
    )
