"""Texts with sound and faulty citations, what is true of each, and how well check_draft tells them apart."""
