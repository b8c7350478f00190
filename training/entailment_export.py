"""Writes the trained entailment network as the data package that is installed: ONNX with 8-bit weights.

Run: python training/entailment_export.py MODEL WORK PACKAGE

MODEL is the folder of all-MiniLM-L6-v2, WORK that with the trained weights, PACKAGE the folder of the
package's data, `judge/src/citewell_judge` in this repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
from pathlib import Path

import torch
from entailment import CHECKPOINT, MAX_PIECES, build_batch, load_network
from onnxruntime.quantization import QuantType, quantize_dynamic

_INPUTS = ["input_ids", "attention_mask", "token_type_ids"]
_LABELS = {"0": "entailment", "1": "contradiction", "2": "neutral"}
_MODEL_FILE = "model_quantized.onnx"
_OPSET = 17


def export_network(options: argparse.Namespace) -> None:
    network = load_network(options)
    example = build_batch(
        [([101, 2023, 102, 2008, 102], [0, 0, 0, 1, 1]), ([101, 102, 102], [0, 0, 1])]
    )
    axes = {name: {0: "pairs", 1: "pieces"} for name in _INPUTS}
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "model.onnx"
        torch.onnx.export(
            network, example, str(whole), input_names=_INPUTS, output_names=["logits"],
            dynamic_axes=axes, opset_version=_OPSET, dynamo=False,
        )  # fmt: skip
        quantize_dynamic(
            whole, options.package / _MODEL_FILE, per_channel=True, weight_type=QuantType.QInt8
        )
    shutil.copy(options.model / "tokenizer.json", options.package / "tokenizer.json")
    config = {
        "id2label": _LABELS,
        "max_position_embeddings": MAX_PIECES,
        "calibration": "citewell",
        "weights_sha256": _hash_file(options.work / CHECKPOINT),
    }
    (options.package / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    for file in sorted(options.package.iterdir()):
        if file.is_file():
            print(file.name, file.stat().st_size, _hash_file(file))


def _hash_file(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for place in ("model", "work", "package"):
        parser.add_argument(place, type=Path)
    export_network(parser.parse_args())


if __name__ == "__main__":
    main()
