"""What the user pointed at."""
