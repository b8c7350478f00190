"""Specification 4: search and fetch for connector clients."""

HELD = {
    "connector.endpoint": "The connector endpoint offers search and fetch and nothing else.",
    "search.query": "search takes one text, query, and nothing else.",
    "search.answer": "search returns an object whose only key is results, and each result has exactly id, title and url.",
    "search.one_item": "search returns one text item: the JSON of the same object.",
    "search.id": "An id stays valid after a restart.",
    "search.registries": "A question about trials, cases, filings, patents or statistics is put to their registries beside the web.",
    "search.empty": "A search that finds nothing returns an empty list.",
    "search.schema": "search publishes the schema of its answer.",
    "search.annotations": "search is read-only, idempotent and open-world.",
    "fetch.id": "fetch takes one text, id, and nothing else.",
    "fetch.answer": "fetch returns id, title, text and url, and metadata where there is some.",
    "fetch.whole_text": "text is the whole document, never a link to it.",
    "fetch.one_item": "fetch returns one text item: the JSON of the same object.",
    "fetch.unknown": "An id that search never returned is refused in plain words.",
    "fetch.schema": "fetch publishes the schema of its answer.",
    "fetch.annotations": "fetch is read-only, idempotent and open-world.",
    "connector.structured_text": "A setting that shortens texts does not apply to search and fetch.",
}  # fmt: skip

OPEN: dict[int, dict[str, str]] = {}
