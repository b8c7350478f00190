"""What a research job is given: the question and its parts, its thread, its providers and its plan."""
