"""Losses and metrics: how far predictions are from targets."""
