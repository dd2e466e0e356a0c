"""One module for each kind of agent."""
