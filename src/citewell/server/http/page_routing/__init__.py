"""Serves the pages: their routes, what they show of this server, and the layer for browsers."""
