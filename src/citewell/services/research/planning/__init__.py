"""What a research job is given: the checked question, its providers and its plan."""
