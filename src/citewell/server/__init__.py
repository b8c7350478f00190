"""The way of one call in and out: stdio, HTTP, protocol, authentication, limits, pages, and `App`."""

# What other rooms may import.
API = ("app", "call_values", "state.state_store", "stdio.stdio_server")
