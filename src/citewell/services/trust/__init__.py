"""Whether what is cited exists, stands, and says what it is cited for."""
