"""The monitor that shows a training."""
