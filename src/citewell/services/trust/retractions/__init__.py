"""Brings retraction notices together: of the papers of one answer, and in the table on this machine."""
