"""The settings of the room `evidence`."""

from __future__ import annotations

from citewell.core.config import (
    Setting,
    SettingsSection,
    parse_duration,
    parse_text,
    parse_web_address,
)

JUDGE_SETTING, JUDGE_MODEL_SETTING = "CITEWELL_JUDGE", "CITEWELL_JUDGE_MODEL"


class EvidenceSettings(SettingsSection):
    encoder = Setting(
        "CITEWELL_ENCODER",
        "auto",
        "Ranks by meaning: a folder with model.onnx and tokenizer.json (extra `semantic`), the address of an OpenAI-compatible server that has /embeddings, or `off`. `auto` takes what `citewell data encoder` downloaded.",
        parse_text,
    )
    encoder_model = Setting(
        "CITEWELL_ENCODER_MODEL", None, "The embedding model to ask that server for.", parse_text
    )
    encoder_key = Setting(
        "CITEWELL_ENCODER_KEY", None, "Key, where that server wants one.", parse_text, secret=True
    )
    encoder_timeout = Setting(
        "CITEWELL_ENCODER_TIMEOUT",
        30.0,
        "Longest time the passages of one question may take to be encoded; then words alone rank them.",
        parse_duration,
    )
    encoder_download_url = Setting(
        "CITEWELL_ENCODER_DOWNLOAD_URL",
        "https://huggingface.co",
        "Where `citewell data encoder` gets its model.",
        parse_web_address,
    )
    judge = Setting(
        JUDGE_SETTING,
        "lexical",
        "Who judges whether a source supports a claim: `lexical` compares words; `nli` is the entailment model of CITEWELL_JUDGE_MODEL; `model`, or the name of a provider, asks a model that is configured. Whatever the others leave open, words decide.",
        parse_text,
    )
    judge_model = Setting(
        JUDGE_MODEL_SETTING,
        None,
        "A folder with model.onnx, tokenizer.json and config.json of an entailment model (extra `semantic`).",
        parse_text,
    )
    judge_timeout = Setting(
        "CITEWELL_JUDGE_TIMEOUT",
        45.0,
        "Longest time the claims of one call may take to be judged; then words alone decide.",
        parse_duration,
    )
