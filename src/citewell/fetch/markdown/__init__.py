"""Write part of a page as markdown: `writer.write` is the way in."""
