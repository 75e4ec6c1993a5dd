"""The parts of the races whose tables `engine.py` and `compare.py` print, and what all benchmarks share."""
