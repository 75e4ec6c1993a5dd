"""The engine: arrays in, gradients out. README.md in this folder follows a gradient through it."""

from . import long_graphs  # noqa: F401  # on import it changes how edges are freed in a browser
