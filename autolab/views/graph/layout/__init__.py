"""The layout of a graph: `boxes.layout` places the boxes, with the other modules."""
