"""The search for the formulas that a backward computes, and those that it should compute."""
