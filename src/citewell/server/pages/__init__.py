"""The pages for people: front page, dashboard and errors, with what they show of this server."""
