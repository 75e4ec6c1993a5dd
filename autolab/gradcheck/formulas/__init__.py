"""Searching the formulas that a backward computes and that it should compute."""
