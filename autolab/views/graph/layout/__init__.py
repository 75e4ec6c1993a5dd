"""Layout of a graph: `boxes.layout` positions the boxes, with the help of the other modules."""
