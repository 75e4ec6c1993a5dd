"""The monitor of a training."""
