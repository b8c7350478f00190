"""The one door to the network: every byte in or out passes the guard."""
