"""How far predictions are from targets: losses and metrics."""
