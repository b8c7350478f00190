"""Renders HTML as markdown; the entry point is `markdown_writer.render_markdown`."""
