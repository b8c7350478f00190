"""What a question asks: its parts, the registries it is for, and search queries for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from citewell.text.data_tables import load_table, load_words
from citewell.text.language import word_forms
from citewell.text.language.detection import detect_language
from citewell.text.language.scripts import UNSPACED_CHARACTER_PATTERN
from citewell.text.language.word_forms import list_stopwords, stem_word
from citewell.text.passages.term_weights import load_frequencies

MAX_QUERY_WORDS = 8
_TOPIC_SHARE = 0.4  # of the words, if the detail has many
_YEAR_DIGITS = 4  # a shorter number says little by itself
_MAX_WORD_CHARS = 40  # also of a sentence in a script without spaces
_WORD_BREAK_PATTERN = re.compile(r"[\s/|—–…]+")
_CONTRACTION_PATTERN = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_EDGE_CHARS = ".,;:!?¿¡()[]{}<>\"'’‘“”„«»*`_~-#=。、，：；？！「」"

_MAX_QUESTION_CHARS = 2000

_ASKING_WORD_REGEX = (
    r"what|how|why|when|where|who|whom|whose|which|does|do|did|is|are|was|were|can|could|will|should|since when"
    r"|from when|by how|at what|in what|to what|for how|was|wie|warum|wann|wo|wer|welche\w*|wieviel|kann"
    r"|que|quoi|comment|pourquoi|quand|où|qui|quel\w*|combien|qué|cómo|por qué|cuándo|dónde|quién|cuál\w*|cuánt\w*"
    r"|come|perché|quando|dove|chi|quanto|как|почему|когда|где|кто|сколько|какие|какой"
)
_PREPOSITION_REGEX = (
    r"(?:on|in|at|by|from|to|for|with|of|under|since|until|auf|an|mit|von|bis|à|en|de|por|con)"
)
_PART_BORDER_PATTERN = re.compile(
    rf"(?:,\s++|(?<!\s)\s++)(?:and|und|et|y|e|и)\s++(?=(?:{_PREPOSITION_REGEX}\s++)?(?:{_ASKING_WORD_REGEX})\b)|(?<=[?？؟])\s*+(?=\S)|;\s*+(?=(?:{_ASKING_WORD_REGEX})\b)",
    re.IGNORECASE,
)
_HELPING_VERB_PATTERN = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|must|may)\b",
    re.IGNORECASE,
)
_MAX_PARTS = 4
_MIN_FIRST_WORDS = 2
_MAX_SPLIT_CHARS = 2000
_COMPARED_WORDS_REGEX = r"[\w’'.+#-]{1,60}+(?: [\w’'.+#-]{1,60}+){0,3}"
_COMPARED_PATTERN = re.compile(
    r"\bdifferences? (?:is there )?between\s{1,9}+(?P<a>[^?,]{2,80}?)\s{1,9}+and\s{1,9}+(?P<b>[^?,]{2,80})"
    rf"|(?<![\w’'.+#-])(?P<c>{_COMPARED_WORDS_REGEX})\s{{1,9}}+(?:vs\.?|versus|compared (?:to|with))\s{{1,9}}+(?P<d>{_COMPARED_WORDS_REGEX})"
    r"|\A(?P<e>[^?:,]{2,60}?)\s{1,9}+or\s{1,9}+(?P<f>[^?:,]{2,60}?)\s{0,9}+[:,–-]"
    r"|\b(?:does|do|is|are)\s{1,9}+(?P<g>[^?,]{2,60}?)\s{1,9}+differ\w{0,9}+\s{1,9}+from\s{1,9}+(?P<h>[^?,]{2,60})"
    r"|,\s{1,9}+(?P<k>[^?,]{2,60}?)\s{1,9}+or\s{1,9}+(?P<l>[^?,]{2,60})\?"
    r"|\bwhat does (?P<i>[^?,]{2,60}?) have that (?:the )?(?P<j>[^?,]{2,40}?) lacks?",
    re.IGNORECASE,
)
_LIST_PATTERN = re.compile(
    r"\b(?:what|which)\s+(?:are|were)\b|\bwhat (?:kinds?|types?|sorts?)\b|\bwhich (?:[\w-]+ ){0,2}[a-z]{3,}s\b|\bname (?:the|all|some)\b"
    r"|\blist (?:of|the|all)\b|\bdepends? on\b|\bexamples? of\b|\bhow can (?:i|you|one) tell\b|\bsigns? (?:of|that)\b"
    r"|\bwhat (?:[\w-]+ ){0,3}(?:downsides|upsides|advantages|disadvantages|benefits|drawbacks|symptoms|signs|reasons|ingredients|steps|factors|options|features)\b",
    re.IGNORECASE,
)
_STEPS_PATTERN = re.compile(
    r"^\s*how (?:do|can|should|would|to|does one|might)\b|\bsteps? (?:to|for)\b|^\s*(?:wie (?:kann|mache?|soll)|comment|c[óo]mo|come si)\b"
    r"|\bwhat (?:should|can|must) (?:i|you|we|one)\b",
    re.IGNORECASE,
)
_DEFINED_PATTERN = re.compile(
    r"^\s*+(?:what(?:['’]s| is| are)|define|was ist|was sind|qu['’]est-ce qu(?:e|['’])|qué es|cos['’]è)\s++(?:meant by\s++)?(?:an?\s++|the\s++|ein\w*+\s++|un\w*+\s++)?(?P<term>[^?]{2,60}?)\s{0,9}+(?:\bfor)?\s{0,9}+\?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPart:
    """One thing that is asked; `context` is the rest of the question."""

    text: str
    context: str = ""


def split_question_parts(question: str) -> tuple[QuestionPart, ...]:
    """The parts that each begin with an asking word; the whole question if there is only one."""
    plain = " ".join(question.split())[:_MAX_SPLIT_CHARS]
    pieces = [piece.strip(" ,;") for piece in _PART_BORDER_PATTERN.split(plain)]
    asked = [piece for piece in pieces if len(piece.split()) > 1 or len(piece) > 12]
    if not 2 <= len(asked) <= _MAX_PARTS or _is_unfinished(asked[0]):
        return (QuestionPart(text=plain),)
    return tuple(QuestionPart(text=piece, context=plain) for piece in asked)


def _is_unfinished(piece: str) -> bool:
    """Whether a first part lacks what it is about, as "how often" in "how often and how long …"."""
    if piece.endswith("?") or _HELPING_VERB_PATTERN.search(piece):
        return False
    words = [word for word in piece.split() if word.lower() not in word_forms.list_stopwords("en")]
    return piece.isascii() and len(words) < _MIN_FIRST_WORDS


def find_compared_subjects(question: str) -> tuple[str, str] | None:
    """The two things that a question compares, without articles; None if it compares nothing."""
    match = _COMPARED_PATTERN.search(question[:_MAX_SPLIT_CHARS])
    if match is None:
        return None
    first, second = (group for group in match.groups() if group is not None)
    return _trim_subject(first), _trim_subject(second)


def _trim_subject(text: str) -> str:
    return re.sub(
        r"^(?:the|an?|using|having|between|for)\s+", "", text.strip(), flags=re.IGNORECASE
    )


def list_key_words(question: str) -> list[str]:
    """The words of a question without stop-words, spelt as they are."""
    plain = word_forms.list_stopwords("en")
    words = (word.strip('?!.,;:()"“”') for word in question.split())
    return [word for word in words if word and word.lower() not in plain]


def wants_list(question: str) -> bool:
    return _LIST_PATTERN.search(question) is not None


def wants_steps(question: str) -> bool:
    return _STEPS_PATTERN.search(question) is not None


def build_definition_pattern(question: str) -> re.Pattern[str] | None:
    """A pattern of sentences that say what the asked thing is; None if no meaning is asked."""
    match = _DEFINED_PATTERN.match(question[:_MAX_SPLIT_CHARS])
    if match is None:
        return None
    term = re.escape(match["term"].strip().removesuffix("s"))
    return re.compile(
        rf"\b{term}(?:s|es)?(?!\w)[^.]{{0,40}}\b(?:is|are|refers?|means?|describes?|ist|sind|bezeichnet|est|sont|es|son|è|sono)\b"
        if match["term"][0].isalnum()
        else rf"{term}[^.]{{0,40}}\b(?:is|are|refers?|means?)\b",
        re.IGNORECASE,
    )


# Tells which registries a question is for: trials, courts, filings, statistics or patents.


class QuestionDomain(StrEnum):
    TRIALS = "trials"
    LAW = "law"
    FILINGS = "filings"
    STATISTICS = "statistics"
    PATENTS = "patents"


def find_question_domains(question: str) -> frozenset[QuestionDomain]:
    """The domains whose words the question uses; empty for most questions."""
    text = question[:_MAX_QUESTION_CHARS]
    return frozenset(domain for domain, cue in load_domain_cues().items() if cue.search(text))


@cache
def load_domain_cues() -> dict[QuestionDomain, re.Pattern[str]]:
    """Words that are rarely used outside the domain; one is enough."""
    table = load_table(__package__, "question_cues")
    return {QuestionDomain(name): re.compile("".join(parts)) for name, parts in table.items()}


# Turns sentences about what to find out into search queries of a few content words.


def build_search_query(subject: str, detail: str = "", *, max_words: int = MAX_QUERY_WORDS) -> str:
    """The content words of a subject and of what is sought about it, each once, in their order.

    Of more than `max_words` the rarest are kept, most of them from the detail. Empty if there are none.
    """
    language = detect_language(f"{subject}\n{detail}")
    code = (language or "en")[:2]
    topic = _collect_words(subject, code)
    wanted = {
        stem: word for stem, word in _collect_words(detail, code).items() if stem not in topic
    }
    details = _keep_rarest(wanted, max_words - min(len(topic), round(_TOPIC_SHARE * max_words)))
    return " ".join([*_keep_rarest(topic, max_words - len(details)), *details])


def _collect_words(text: str, language: str) -> dict[str, str]:
    """The content words of a text by stem, as they are written where they first occur."""
    glue = (
        load_words(__package__, "search_queries", "asking_words")
        | list_stopwords("en")
        | list_stopwords(language)
    )
    found: dict[str, str] = {}
    for part in _WORD_BREAK_PATTERN.split(text):
        word = _CONTRACTION_PATTERN.sub("", part.strip(_EDGE_CHARS))[:_MAX_WORD_CHARS]
        is_word = len(word) > 1 or word.isdigit() or bool(UNSPACED_CHARACTER_PATTERN.match(word))
        if is_word and word.lower() not in glue:
            found.setdefault(stem_word(word.lower(), language), word)
    return found


def _keep_rarest(words: dict[str, str], most: int) -> list[str]:
    """At most `most` of the words, those that the fewest pages contain, in their order."""
    if len(words) <= most:
        return list(words.values())
    counts, total = load_frequencies()

    def count_pages(stem: str) -> int:
        return total if stem.isdigit() and len(stem) < _YEAR_DIGITS else counts.get(stem, 1)

    kept = set(sorted(words, key=count_pages)[:most])
    return [word for stem, word in words.items() if stem in kept]
