"""Whether a passage says what a statement says: comparison, signs of doubt, judges and encoders."""

# What other rooms may import.
API = (
    "comparison.absent_terms",
    "comparison.statement_names",
    "encoding.encoders",
    "encoding.passage_similarity",
    "judging.claim_judge",
    "judging.claim_judging",
    "judging.model_judge",
    "judging.source_opinions",
    "judging.statement_judgement",
    "settings",
    "signs.claim_support",
    "signs.grounding_signs",
    "signs.nearest_sentences",
    "signs.repeated_texts",
    "signs.sentence_clusters",
    "signs.sentence_features",
    "signs.source_quality",
    "statement_kinds",
)
