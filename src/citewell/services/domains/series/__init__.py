"""Statistical series and their observations."""
