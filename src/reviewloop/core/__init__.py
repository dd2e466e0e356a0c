"""The pure core: what a review is, and what happens next. No I/O, clock or randomness."""
