"""Arrays as live heatmaps."""
