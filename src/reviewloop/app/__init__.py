"""The use cases. Everything a command, a page, a tool call or a worker can ask for is here."""
