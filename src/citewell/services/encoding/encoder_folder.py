"""Finds the files of an encoder in a folder, in the layouts that models are published in."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from citewell.errors import Misconfigured

TOKENIZER_FILE = "tokenizer.json"
MAX_MODEL_BYTES = 2**31  # the most that one file of the format can hold
# Quantized models first: they are several times smaller and as good for ranking.
_MODEL_FILES = (
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "model.onnx",
    "onnx/model.onnx",
)
_OTHER_MODELS_PATTERN = "onnx/model_*.onnx"
_POOLING_FILE = "1_Pooling/config.json"  # as sentence-transformers writes it
_NAME_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderFolder:
    """The files of one model, and how a vector is made from its output."""

    model_file: Path
    tokenizer_file: Path
    takes_first: bool  # the vector of the first token stands for the text, not the mean of all
    name: str  # changes with the content of the files

    @property
    def model_bytes(self) -> int:
        return self.model_file.stat().st_size


def open_encoder_folder(folder: Path) -> EncoderFolder:
    """The encoder in `folder`; raises Misconfigured if a file is missing or cannot be read."""
    try:
        model = _find_model_file(folder)
        tokenizer = folder / TOKENIZER_FILE
        takes_first = _prefers_first_token(folder)
        name = _build_content_name(model, tokenizer, takes_first=takes_first)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "a file in it is damaged"
        raise build_folder_error(folder, reason) from None
    return EncoderFolder(
        model_file=model, tokenizer_file=tokenizer, takes_first=takes_first, name=name
    )


def build_folder_error(folder: Path, reason: str) -> Misconfigured:
    """The error for a folder that cannot be used, with what to do about it."""
    return Misconfigured(
        f"The encoder in {folder} cannot be used: {reason}.",
        action="inform_user",
        settings=("CITEWELL_ENCODER",),
        remedy="CITEWELL_ENCODER=<a folder with model.onnx and tokenizer.json>",
    )


def _find_model_file(folder: Path) -> Path:
    named = (folder / name for name in _MODEL_FILES)
    others = sorted(folder.glob(_OTHER_MODELS_PATTERN))
    found = next((path for path in (*named, *others) if path.is_file()), None)
    if found is None:
        raise build_folder_error(folder, "it has no model.onnx")
    if found.stat().st_size > MAX_MODEL_BYTES:
        raise build_folder_error(folder, "its model is larger than 2 GB")
    if not (folder / TOKENIZER_FILE).is_file():
        raise build_folder_error(folder, f"it has no {TOKENIZER_FILE}")
    return found


def _prefers_first_token(folder: Path) -> bool:
    path = folder / _POOLING_FILE
    if not path.is_file():
        return False
    said = json.loads(path.read_text(encoding="utf-8"))
    return isinstance(said, dict) and said.get("pooling_mode_cls_token") is True


def _build_content_name(model: Path, tokenizer: Path, *, takes_first: bool) -> str:
    digest = hashlib.sha256(b"first" if takes_first else b"mean")
    for path in (model, tokenizer):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"onnx-{digest.hexdigest()[:_NAME_DIGITS]}"
