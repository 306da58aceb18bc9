"""Users' own algorithms: the search, and a job of it in a thread."""
