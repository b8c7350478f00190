"""What kind of source a page is, how it is cited, and what is known of its host."""
