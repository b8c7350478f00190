"""How fast, how often and how persistently one upstream API is asked."""
