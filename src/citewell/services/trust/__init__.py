"""Checks whether a cited work exists, has been retracted, and says what it is cited for."""
