"""The evaluation of the check of legal citations: real cases, and citations that are invented or altered."""
