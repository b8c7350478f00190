"""Classifies the statement that a sentence makes, by its words."""

from __future__ import annotations

import re

# The order matters: the first match gives the kind.
_STATEMENT_KIND_REGEXES = (
    ("null_finding", r"\bno (?:significant |clear |statistically significant )?(?:effect|difference|association|evidence|link|relationship|correlation|benefit|change)\b|\bnot (?:significantly )?(?:associated|differ|linked|related|effective)\b|\bdid not (?:find|differ|show|reduce|improve|increase)\b"),
    ("prediction", r"\b(?:will|is expected to|are expected to|is projected to|are projected to|is forecast|is likely to|are likely to|by 20[3-9]\d|predicts?|forecasts?)\b"),
    ("recommendation", r"\b(?:should|ought to|recommends?|recommended|advises?|it is advisable|guidelines? (?:suggest|recommend))\b"),
    ("conditional_hypothesis", r"^\s*(?:if|unless|provided that)\b|\bhypothesi[sz]\w*|\bmight be\b|\bcould be because\b"),
    ("comparison", r"\b(?:more|less|fewer|greater|higher|lower|larger|smaller|better|worse|faster|slower|cheaper|older|younger) than\b|\bcompared (?:with|to)\b|\bwhereas\b|\bunlike\b|\bas \w+ as\b"),
    ("causal_relation", r"\b(?:causes?|caused|leads? to|led to|results? in|resulted in|because of|due to|triggers?|triggered|contributes? to|responsible for|increases? the risk|reduces? the risk|increased the risk|reduced the risk)\b"),
    ("mechanism", r"\b(?:mechanism|by (?:inhibiting|binding|blocking|activating|converting|increasing|reducing|releasing|absorbing)|works by|works through|acts? (?:by|on|as)|mediated by)\b"),
    ("definition", r"^\W{0,3}(?:an?|the)?\s?[\w\s-]{2,60}? (?:is|are) (?:an?|the|any|one of)\b|\brefers to\b|\bis defined as\b|\bis known as\b|\bis called\b"),
    ("quantitative_finding", r"\d"),
)  # fmt: skip
_COMPILED_STATEMENT_PATTERNS = tuple(
    (name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _STATEMENT_KIND_REGEXES
)
_MAX_STATEMENT_CHARS = 1200  # characters; sentences are shorter
DEFAULT_STATEMENT_KIND = "categorical_statement"


def classify_statement(sentence: str) -> str:
    """The kind of statement; "categorical_statement" if no pattern matches (they are English)."""
    looked = sentence[:_MAX_STATEMENT_CHARS]
    return next(
        (name for name, pattern in _COMPILED_STATEMENT_PATTERNS if pattern.search(looked)),
        DEFAULT_STATEMENT_KIND,
    )
