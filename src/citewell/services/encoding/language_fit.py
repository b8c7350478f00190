"""Whether an encoder knows a language: it is tried on a few questions, as most models know one or some."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain

from citewell.text.evidence.vector_similarity import measure_cosines
from citewell.text.language.detection import detect_language

_MIN_RIGHT_SHARE = 0.8  # of the questions; by chance it is a sixth
_MAX_SAMPLED_PASSAGES = 20
_MAX_SAMPLE_CHARS = 400  # of one passage

EmbedTexts = Callable[[Sequence[str]], Awaitable[Sequence[bytes]]]


def find_text_languages(question: str, passages: Sequence[str]) -> frozenset[str]:
    """The languages of the question and of the passages; none where they cannot be told."""
    sample = "\n".join(text[:_MAX_SAMPLE_CHARS] for text in passages[:_MAX_SAMPLED_PASSAGES])
    found = (detect_language(question), detect_language(sample))
    return frozenset(language for language in found if language)


async def knows_language(language: str, embed: EmbedTexts) -> bool:
    """Whether the encoder finds the passage that answers, where it shares no word with the question.

    In a language that it was not trained for, its vectors are little better than chance, and would
    spoil what words find. False for a language that we have no questions in.
    """
    probes = _load_probes().get(language, ())
    if not probes:
        return False
    vectors = await embed([*chain.from_iterable(probes)])
    questions, passages = vectors[0::2], vectors[1::2]
    right = sum(
        _find_largest(measure_cosines(question, passages)) == place
        for place, question in enumerate(questions)
    )
    return right >= _MIN_RIGHT_SHARE * len(probes)


def _find_largest(values: Sequence[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


@cache
def _load_probes() -> dict[str, tuple[tuple[str, str], ...]]:
    """Questions with the passages that answer them, by language."""
    listed = files("citewell.services.encoding").joinpath("language_probes.tsv")
    probes: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in listed.read_text(encoding="utf-8").splitlines():
        language, question, passage = line.split("\t")
        probes[language] = (*probes.get(language, ()), (question, passage))
    return probes
