"""The sentences of a text that are nearest to a claim or a query, and those that stand for the text; no verdict on a claim."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from math import log

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.data_tables import load_table
from citewell.text.language import sentences, word_forms
from citewell.text.language.scripts import UNSPACED_LANGUAGES
from citewell.text.language.word_forms import extract_terms

# Phrases that contain a negating word but do not negate.
_NON_NEGATING_PATTERN = compile_on_use(
    r"\bnot only\b|\bwhether or not\b|\bno doubt\b|\bnot least\b|\bno longer than\b|\bnot to mention\b"
    r"|\bno\. ?\d|\bno (?:less|fewer|more) than\b|\bnothing but\b|\bnot until\b|\bnot just\b"
    r"|\bnicht nur\b|\bnon seulement\b|\bno solo\b|\bno sólo\b|\bnon solo\b|\bnão só\b|\bниче(?:го|м) не\b"
    r"|\bне только\b|\bniet alleen\b|不仅|不但|不僅|だけでなく|\bwithout (?:a )?doubt\b|\bnot surprising\w*",
    re.IGNORECASE,
)
# Negation is part of the verb, so it is unknown which word is negated.
_VERB_NEGATION_LANGUAGES = UNSPACED_LANGUAGES | {"tr"}
_CLAUSE_BREAK_PATTERN = compile_on_use(r"[;:.!?]|, ")
_NEGATION_REACH_WORDS = 2  # content words after a negating word that it negates

# Added to the weight of shared terms; a word of stance only decides between sentences that share alike.
_NUMBER_BONUS, _STANCE_BONUS = 1.5, 0.3
_CONFIRMING_PATTERN = compile_on_use(
    r"\b(?:confirm\w*|prov(?:es|ed|en)|demonstrat\w+|support(?:s|ed)|evidence that)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTerms:
    """The terms and numbers of a claim, extracted once to compare it with many texts."""

    terms: frozenset[str]
    numbers: frozenset[str]
    language: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)  # more for a rare term; 1 if unknown


@lru_cache(maxsize=64)
def build_claim_terms(text: str, *, language: str | None = None) -> ClaimTerms:
    found = extract_terms(text, language=language)
    return ClaimTerms(
        terms=found,
        numbers=frozenset(term for term in found if term[0].isdigit()),
        language=language,
    )


def weigh_claim_terms(asked: ClaimTerms, texts: Iterable[str]) -> ClaimTerms:
    """The claim with its terms weighed by how few sentences of the texts have them."""
    split = [sentence for text in texts for sentence in sentences.split_sentences(text)]
    found = Counter(
        term
        for sentence in split
        for term in extract_terms(sentence, language=asked.language) & asked.terms
    )
    return replace(asked, weights={term: log(1 + len(split) / found[term]) for term in found})


def find_nearest_sentence(asked: ClaimTerms, text: str) -> str:
    """The sentence of `text` nearest to the claim; empty if no sentence shares a term with it."""
    best, height = "", 0.0
    for sentence in sentences.split_sentences(text):
        score = _score_claim_sentence(asked, sentence)
        if score > height:
            best, height = sentence, score
    return best


def find_nearest_sentences(
    asked: ClaimTerms, text: str, *, max_sentences: int = 5
) -> tuple[str, tuple[str, ...]]:
    """The sentence nearest to the claim, and the nearest `max_sentences` in text order.

    Sentences that score less than half of the best are left out.
    """
    weighed = weigh_claim_terms(asked, [text])
    scored = [
        (_score_claim_sentence(weighed, sentence), sentence)
        for sentence in sentences.split_sentences(text)
    ]
    height = max((score for score, _ in scored), default=0.0)
    if not height:
        return "", ()
    by_score = sorted(range(len(scored)), key=lambda place: -scored[place][0])
    chosen = sorted(place for place in by_score[:max_sentences] if scored[place][0] >= height / 2)
    nearest = tuple(dict.fromkeys(scored[place][1] for place in chosen))
    return scored[by_score[0]][1], nearest


def _score_claim_sentence(asked: ClaimTerms, sentence: str) -> float:
    found = extract_terms(sentence, language=asked.language)
    shared = found & asked.terms
    if not shared:
        return 0.0
    score = sum(asked.weights.get(term, 1.0) for term in shared)
    if has_refutation_cue(sentence, language=asked.language) or _CONFIRMING_PATTERN.search(
        sentence
    ):
        score += _STANCE_BONUS
    if asked.numbers & found:
        score += _NUMBER_BONUS
    return score


# Detects negated and refuting statements by their words, in many languages.


def count_negations(text: str, *, language: str | None = None) -> int:
    """The number of negating words in the text."""
    return len(
        _compile_negation_pattern((language or "en")[:2]).findall(
            _NON_NEGATING_PATTERN.sub(" ", text)
        )
    )


def is_negated_statement(text: str, *, language: str | None = None) -> bool:
    """Whether the statement is negated; two negations cancel each other."""
    return count_negations(text, language=language) % 2 == 1


def remove_mere_emphasis(text: str) -> str:
    """An English text without phrases such as "not only" that negate nothing."""
    lower = text.lower()
    return _NON_NEGATING_PATTERN.sub(" ", text) if "no" in lower or "without" in lower else text


def has_negated_terms(text: str, terms: AbstractSet[str], *, language: str | None = None) -> bool:
    """Whether the text negates one of these stems; negations of other words do not count."""
    code = (language or "en")[:2]
    plain = _NON_NEGATING_PATTERN.sub(" ", text)
    found = _compile_negation_pattern(code).finditer(plain)
    if code in _VERB_NEGATION_LANGUAGES:
        return sum(1 for _ in found) % 2 == 1
    return sum(_has_negated_neighbour(plain, match, terms, language) for match in found) % 2 == 1


def has_refutation_cue(sentence: str, *, language: str | None) -> bool:
    """Whether the sentence contains a refuting word; False for languages without a list."""
    pattern = _compile_refutation_pattern((language or "en")[:2])
    return bool(pattern and pattern.search(sentence))


def _has_negated_neighbour(
    text: str, match: re.Match[str], terms: AbstractSet[str], language: str | None
) -> bool:
    """Whether a stem follows the negating word or, if the clause ends there, stands before it."""
    behind = _CLAUSE_BREAK_PATTERN.split(text[match.end() :], maxsplit=1)[0]
    stems = word_forms.list_terms(behind, language=language)[:_NEGATION_REACH_WORDS]
    if not stems:
        stems = word_forms.list_terms(
            _CLAUSE_BREAK_PATTERN.split(text[: match.start()])[-1], language=language
        )[-1:]
    return any(stem in terms for stem in stems)


@cache
def _compile_negation_pattern(language: str) -> re.Pattern[str]:
    listed = load_table(__package__, "negation_words")["languages"]
    return _compile_word_pattern(listed.get(language, listed["en"]), "negating", language)


@cache
def _compile_refutation_pattern(language: str) -> re.Pattern[str] | None:
    words = load_table(__package__, "negation_words")["languages"].get(language, {})
    is_known = "both" in words or "refuting" in words
    return _compile_word_pattern(words, "refuting", language) if is_known else None


def _compile_word_pattern(
    words: Mapping[str, Sequence[str]], kind: str, language: str
) -> re.Pattern[str]:
    """Finds whole words; in Chinese, Japanese and Korean it finds them anywhere."""
    regex = "|".join([*words.get("both", ()), *words.get(kind, ())])
    if language in UNSPACED_LANGUAGES:
        return re.compile(regex)
    return re.compile(rf"(?<!\w)(?:{regex})(?!\w)", re.IGNORECASE)


_NON_PROSE_LINE_PATTERN = compile_on_use(r"^[^\S\n]*+(?:\||#{1,6}\s|!\[).*$", re.MULTILINE)
_MARKDOWN_LINK_PATTERN = compile_on_use(
    r"!?\[([^\[\]\n]*+)\]\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+){0,20}\)"
)
# Blank lines before a list mark are tried once, from their first; the line end before them is kept.
_MARKDOWN_MARKS_PATTERN = compile_on_use(
    r"\*\*|__|`+|(?:(?:\A|(?<!\s)([^\S\n]*+\n))\s*+|^)(?:[-*+>]|\d+[.)])\s+", re.MULTILINE
)
_MAX_SUMMARISED_CHARS = 60_000  # characters; later text adds little
_MAX_SUMMARY_CANDIDATES = 400  # sentences

_MAX_EXCERPT_SOURCE_CHARS = 400_000  # characters
_MAX_WORD_OCCURRENCES = 500  # occurrences of one word that are considered
_MAX_ENDING_CHARS = 3  # letters that may differ at the end of a word
_WHITESPACE_PATTERN = compile_on_use(r"\s+")


def extract_query_excerpt(text: str, query_words: Collection[str], *, width: int = 300) -> str:
    """About `width` characters around most of the words; the start of the text if none occurs.

    `query_words` come from `tokens.split_words`; their endings may differ from the text's.
    """
    looked = text[:_MAX_EXCERPT_SOURCE_CHARS]
    return _cut_excerpt_window(looked, _find_densest_start(looked, query_words, width), width)


def _find_densest_start(text: str, wanted: Collection[str], width: int) -> int:
    """The start of the stretch of about `width` characters with the most different words."""
    roots = {
        word[: max(_MAX_ENDING_CHARS, len(word) - _MAX_ENDING_CHARS)] if len(word) > 4 else word
        for word in wanted
    }
    low = text.lower()
    places = sorted((place, root) for root in roots for place in _find_root_positions(low, root))
    held: deque[tuple[int, str]] = deque()
    counts: Counter[str] = Counter()
    best, start = 0, 0
    for place, root in places:
        held.append((place, root))
        counts[root] += 1
        while held[0][0] < place - width * 2 // 3:
            counts[held.popleft()[1]] -= 1
        found = sum(count > 0 for count in counts.values())
        if found > best:
            best, start = found, held[0][0]
    return start


def _find_root_positions(text: str, root: str) -> Iterator[int]:
    """The offsets at which a word starts with this root; in scripts without spaces, any offset."""
    place = text.find(root) if root else -1
    for _ in range(_MAX_WORD_OCCURRENCES):
        if place < 0:
            return
        if not (root.isascii() and place and text[place - 1].isalnum()):
            yield place
        place = text.find(root, place + 1)


def _cut_excerpt_window(text: str, start: int, width: int) -> str:
    begin = max(0, start - width // 6)
    if begin:
        space = text.find(" ", begin, start)
        begin = space + 1 if space >= 0 else begin
    piece = text[begin : begin + width]
    end = begin + width
    if end < len(text) and (cut := piece.rfind(" ")) > width // 2:
        piece, end = piece[:cut], begin + cut
    shown = _WHITESPACE_PATTERN.sub(" ", piece).strip()
    return f"{'… ' if begin else ''}{shown}{' …' if end < len(text) else ''}"


# Summarises a text by its most representative sentences.


def summarise_markdown(markdown: str, *, max_chars: int = 500) -> str:
    """At most `max_chars` characters: the sentences that share most terms with the text, in order."""
    # The distinct sentences of at least five words; fragments and menu items are shorter.
    split = sentences.split_sentences(extract_running_text(markdown[:_MAX_SUMMARISED_CHARS]))[
        :_MAX_SUMMARY_CANDIDATES
    ]
    found = [
        sentence
        for sentence in dict.fromkeys(split)
        if len(list(word_forms.split_words(sentence))) >= 5
    ]
    if not found:
        return extract_running_text(markdown)[:max_chars].strip()
    chosen: list[int] = []
    room = max_chars
    for place in _rank_by_shared_terms(found):
        if len(found[place]) + 1 <= room:
            chosen.append(place)
            room -= len(found[place]) + 1
    if not chosen:
        return _shorten_sentence(found[0], max_chars)
    # The sentences joined by spaces, except after the full stop of a script without spaces.
    return re.sub(r"(?<=[。！？｡]) ", "", " ".join([found[place] for place in sorted(chosen)]))


def extract_running_text(markdown: str) -> str:
    """The running text without code, tables, headings, images and markup; links as their labels."""
    text = _NON_PROSE_LINE_PATTERN.sub("", _drop_code_blocks(markdown))
    return _MARKDOWN_MARKS_PATTERN.sub(r"\1", _MARKDOWN_LINK_PATTERN.sub(r"\1", text)).strip()


def _drop_code_blocks(markdown: str) -> str:
    """The text outside code fences; of an unclosed fence only its own line is dropped."""
    parts = re.split(r"^(?:```|~~~).*$", markdown, flags=re.MULTILINE)
    if len(parts) % 2 == 0:
        parts.append("")
        return "\n".join([*parts[0:-2:2], parts[-2]])
    return "\n".join(parts[0::2])


def _rank_by_shared_terms(found: list[str]) -> list[int]:
    """Indexes ordered by how many terms a sentence shares with the others; early ones are favoured."""
    bags = [word_forms.extract_terms(sentence) for sentence in found]
    weight = Counter(term for bag in bags for term in bag)

    def worth(place: int) -> float:
        bag = bags[place]
        shared = sum(weight[term] - 1 for term in bag) / (len(bag) + 3)
        return shared + 2.0 / (1 + place)

    return sorted(range(len(found)), key=lambda place: (-worth(place), place))


def _shorten_sentence(sentence: str, limit: int) -> str:
    if len(sentence) <= limit:
        return sentence
    start = sentence[: limit - 1]
    return start[: start.rfind(" ") if " " in start[limit // 2 :] else len(start)].rstrip() + "…"
