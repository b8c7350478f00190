"""An entailment model: its files in a folder, and its run in a process that loads the libraries."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from citewell.core.errors import Misconfigured
from citewell.evidence.encoding.encoders import MAX_MODEL_BYTES, TOKENIZER_FILE
from citewell.evidence.encoding.onnx_model import load_onnx_files
from citewell.evidence.settings import JUDGE_MODEL_SETTING

MAX_PIECES = 512  # of claim and passage together; what models of this kind were trained to read
_MIN_PIECES = 16
_CONFIG_FILE = "config.json"
_MAX_CONFIG_BYTES = 2**20
# Quantized models first: they are several times smaller, and nearly as good.
_MODEL_FILES = (
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "model.onnx",
    "onnx/model.onnx",
)

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
        self._inputs = {tensor.name for tensor in session.get_inputs()}
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


# Finds the files of an entailment model in a folder, and what its answers mean.


class EntailmentLabel(StrEnum):
    """What an entailment model can say of a passage and a claim."""

    ENTAILMENT = "entailment"
    CONTRADICTION = "contradiction"
    NEUTRAL = "neutral"


# As published models spell them, in lower case and without anything but letters.
_LABEL_SPELLINGS = {
    EntailmentLabel.ENTAILMENT: "entailment entail entails entailed supports support supported",
    EntailmentLabel.CONTRADICTION: (
        "contradiction contradict contradicts contradictory contradicted refutes refute refuted"
    ),
    EntailmentLabel.NEUTRAL: (
        "neutral notentailment nonentailment notenoughinfo nei unknown unrelated"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NliFolder:
    """The files of one model, and the meaning of its outputs in their order."""

    model_file: Path
    tokenizer_file: Path
    labels: tuple[EntailmentLabel, ...]
    max_pieces: int

    @property
    def model_bytes(self) -> int:
        return self.model_file.stat().st_size


def open_nli_folder(folder: Path) -> NliFolder:
    """The model in `folder`; raises Misconfigured if a file is missing or says nothing usable."""
    try:
        model = _find_entailment_model(folder)
        config = _load_model_config(folder)
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or f"its {_CONFIG_FILE} cannot be read"
        raise build_nli_error(folder, reason) from None
    positions = config.get("max_position_embeddings")
    return NliFolder(
        model_file=model,
        tokenizer_file=folder / TOKENIZER_FILE,
        labels=_read_model_labels(folder, config.get("id2label")),
        max_pieces=min(MAX_PIECES, positions)
        if type(positions) is int and positions >= _MIN_PIECES
        else MAX_PIECES,
    )


def build_nli_error(folder: Path | None, reason: str) -> Misconfigured:
    """The error for a folder that cannot be used, with what to do about it."""
    place = f" in {folder}" if folder is not None else ""
    return Misconfigured(
        f"The entailment model{place} cannot be used: {reason}.",
        action="inform_user",
        settings=(JUDGE_MODEL_SETTING,),
        remedy=f"{JUDGE_MODEL_SETTING}=<a folder with model.onnx, tokenizer.json and config.json>",
    )


def _find_entailment_model(folder: Path) -> Path:
    if not folder.is_dir():
        raise build_nli_error(folder, "there is no such folder")
    found = next((path for name in _MODEL_FILES if (path := folder / name).is_file()), None)
    if found is None:
        raise build_nli_error(folder, "it has no model.onnx")
    if found.stat().st_size > MAX_MODEL_BYTES:
        raise build_nli_error(folder, "its model is larger than 2 GB")
    for name in (TOKENIZER_FILE, _CONFIG_FILE):
        if not (folder / name).is_file():
            raise build_nli_error(folder, f"it has no {name}")
    return found


def _load_model_config(folder: Path) -> dict[str, Any]:
    path = folder / _CONFIG_FILE
    if path.stat().st_size > _MAX_CONFIG_BYTES:
        raise ValueError
    config = json.loads(path.read_text(encoding="utf-8"))
    return config if isinstance(config, dict) else {}


def _read_model_labels(folder: Path, labels: object) -> tuple[EntailmentLabel, ...]:
    """The labels in the order of the outputs; there must be one that means entailment."""
    names = labels if isinstance(labels, dict) else {}
    found = [_find_label_place(names.get(str(place))) for place in range(len(names))]
    known = [label for label in found if label is not None]
    if len(known) != len(found) or known.count(EntailmentLabel.ENTAILMENT) != 1 or len(known) < 2:
        given = ", ".join(str(name)[:40] for name in names.values()) or "nothing"
        raise build_nli_error(
            folder,
            f"id2label of its {_CONFIG_FILE} must name entailment, contradiction and neutral, and"
            f" says {given[:200]}",
        )
    return tuple(known)


def _find_label_place(name: object) -> EntailmentLabel | None:
    plain = "".join(letter for letter in str(name).lower() if letter.isalpha())
    return next(
        (label for label, words in _LABEL_SPELLINGS.items() if plain in words.split()), None
    )
