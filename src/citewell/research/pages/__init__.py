"""The pages of a job: finding and reading them, their kind of source, and what they say to the question."""
