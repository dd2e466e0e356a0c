"""The append-only record of events, in a SQLite file or in memory."""
