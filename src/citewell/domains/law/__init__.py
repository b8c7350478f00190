"""Search for decisions and texts of law, and the check of citations of them."""
