"""Find the main content of a web page: `extract.extract` is the way in."""
