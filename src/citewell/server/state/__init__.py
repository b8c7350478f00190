"""The state of one server: all stores together, their backup, check and start."""
