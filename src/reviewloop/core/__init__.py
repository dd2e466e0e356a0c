"""The pure core: the types, the judging and the policy of the review loop. No I/O, clock or randomness."""
