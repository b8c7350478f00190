"""What a source says to a statement of a draft or of a report."""
