"""Which findings say the same, and one list out of several."""
