"""The walk through a graph, each step with its calculation; and the terms of derivatives."""
