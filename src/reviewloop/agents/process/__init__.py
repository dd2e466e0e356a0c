"""Running an agent's program: started confined, bounded, and ended whole."""
