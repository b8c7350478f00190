"""Requests and responses over HTTP: client, connections, decoding, redirects, status errors."""
