"""Pages for people: the front page, the dashboard and its login, and errors in a browser."""
