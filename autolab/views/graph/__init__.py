"""The graph: where everything is drawn, the numbers in it, and the live graph."""
