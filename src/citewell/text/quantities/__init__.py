"""Numbers with units that a text states."""
