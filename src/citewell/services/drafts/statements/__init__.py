"""What each source of a draft says to each of its statements."""
