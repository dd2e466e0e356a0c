"""What the user pointed at: the only place that decides it."""
