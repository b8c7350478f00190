"""Runs an ONNX entailment model; only in the model's process, where the libraries are loaded with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from citewell.services.encoding.onnx_model import load_onnx_files
from citewell.services.judging.nli_folder import JUDGE_MODEL_SETTING, build_nli_error

_IDS_INPUT, _MASK_INPUT, _TYPES_INPUT = "input_ids", "attention_mask", "token_type_ids"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairScores:
    """For each pair the probability of every label, in the order of the model."""

    rows: tuple[tuple[float, ...], ...]


def classify_text_pairs(
    model_file: str,
    tokenizer_file: str,
    pairs: tuple[tuple[str, str], ...],
    *,
    labels: int,
    max_pieces: int,
) -> PairScores:
    """The probabilities for pairs of a passage and a claim.

    Raises Misconfigured if the model or the libraries cannot be used, or if the model does not
    answer with `labels` numbers.
    """
    model = _load_nli_model(model_file, tokenizer_file, Path(model_file).stat().st_mtime_ns)
    return PairScores(
        rows=tuple(
            model.classify_pair(passage, claim, labels=labels, max_pieces=max_pieces)
            for passage, claim in pairs
        )
    )


class NliModel:
    """A loaded model with its tokenizer."""

    def __init__(self, session: Any, tokenizer: Any) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._inputs = {one.name for one in session.get_inputs()}
        self._output = session.get_outputs()[0].name

    def classify_pair(
        self, passage: str, claim: str, *, labels: int, max_pieces: int
    ) -> tuple[float, ...]:
        import numpy as np

        self._tokenizer.enable_truncation(max_pieces, strategy="longest_first")
        pieces = self._tokenizer.encode(passage, claim)
        given = {
            _IDS_INPUT: np.array([pieces.ids or [0]], dtype=np.int64),
            _MASK_INPUT: np.array([pieces.attention_mask or [1]], dtype=np.int64),
            _TYPES_INPUT: np.array([pieces.type_ids or [0]], dtype=np.int64),
        }
        used = {name: value for name, value in given.items() if name in self._inputs}
        try:
            output = self._session.run([self._output], used)[0]
        except Exception as error:  # noqa: BLE001 - the library raises bare exceptions
            reason = f"it cannot be run on a passage and a claim ({type(error).__name__})"
            raise build_nli_error(None, reason) from None
        if tuple(output.shape) != (1, labels):
            raise build_nli_error(
                None, f"it gives {tuple(output.shape)} numbers instead of {labels} for a pair"
            )
        return _convert_to_shares(output[0].tolist())


def _convert_to_shares(numbers: Sequence[float]) -> tuple[float, ...]:
    """The softmax of a model's numbers."""
    if not all(map(math.isfinite, numbers)):
        raise build_nli_error(None, "it gives no numbers")
    top = max(numbers)
    powers = [math.exp(number - top) for number in numbers]
    return tuple(power / sum(powers) for power in powers)


@lru_cache(maxsize=1)
def _load_nli_model(model_file: str, tokenizer_file: str, _changed_at: int) -> NliModel:
    """The model, which stays loaded for the next task as long as its file is the same."""
    session, tokenizer = load_onnx_files(
        model_file, tokenizer_file, subject="The entailment model", setting=JUDGE_MODEL_SETTING
    )
    return NliModel(session, tokenizer)
