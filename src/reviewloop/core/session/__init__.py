"""A session: its events, and the history they fold into."""
