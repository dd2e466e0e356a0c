"""What agents are told, one module for each who is."""
