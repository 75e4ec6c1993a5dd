"""The graph: its layout, the numbers in it, and the live graph."""
