"""A search that is moved on until a limit is met, and what it writes and shows on the way."""
