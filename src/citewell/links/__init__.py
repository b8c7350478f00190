"""Whether addresses still work, and copies of pages in the Internet Archive."""

# What other rooms may import.
API = ("link_checks",)
