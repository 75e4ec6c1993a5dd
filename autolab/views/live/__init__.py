"""The parts of every live view: it talks with its pages, computes in the background, and can be saved."""
