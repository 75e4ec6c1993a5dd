"""The pieces of the races, of which `engine.py` and `compare.py` print the tables, and what all benchmarks share."""
