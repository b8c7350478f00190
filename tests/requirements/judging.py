"""Judges of claims: lexical, a model, an entailment model."""

HELD = {
    "judge.model_quote": "A judgement of a model counts only with a quote that is in the source, but for white space and the shapes of quotation marks.",
    "judge.model_injection": "An instruction in a source is not shown to a model that judges it, and is no evidence.",
    "judge.falls_back": "A judge that fails, or answers anything but a judgement, leaves it to the words of the source, and the result says so.",
    "judge.private_text": "Text of the library goes to no judge on another machine.",
    "judge.nli": "An entailment model judges by its labels as its config.json names them, and its quote is a window of sentences of the source.",
    "judge.nli_broken": "A folder that holds no usable entailment model is told as a wrong setting that names it, and doctor says so.",
    "judge.named": "verify_citation, audit_bibliography, answer and get_claim_evidence say which judge found a relation.",
    "judge.paid": "A model that costs something judges within the balance of whoever asked, and its cost is in the ledger.",
    "judge.contradiction": "An entry whose source contradicts its claim, with the words that do so, is flagged mischaracterized.",
}

OPEN: dict[int, dict[str, str]] = {}
