"""Sessions: their events, and the history that the events fold into."""
