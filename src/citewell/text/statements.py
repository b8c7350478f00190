"""What sort of statement a sentence makes, by the words it uses."""

from __future__ import annotations

import re

# In this order: the first that fits names the sentence.
_KINDS = (
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
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _KINDS)
_LOOKED_AT = 1200  # characters; no sentence is longer
PLAIN = "categorical_statement"


def kind(sentence: str) -> str:
    """The name of the kind; a sentence of none, or in a language not known here, is categorical."""
    looked = sentence[:_LOOKED_AT]
    return next((name for name, pattern in _COMPILED if pattern.search(looked)), PLAIN)
