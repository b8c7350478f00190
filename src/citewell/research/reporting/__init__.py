"""The report as markdown or HTML, and the follow-on questions."""
