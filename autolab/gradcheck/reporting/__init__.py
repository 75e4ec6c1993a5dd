"""What a check found, as data and text, and how much of it is revealed."""
