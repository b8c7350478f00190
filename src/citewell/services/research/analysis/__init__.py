"""Which sentences of the pages speak to the question, and what is still missing."""
