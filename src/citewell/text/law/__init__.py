"""Citations of cases and of texts of law, and names of courts."""
