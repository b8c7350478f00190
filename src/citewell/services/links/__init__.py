"""Whether addresses still work, and copies of pages in the Internet Archive."""
