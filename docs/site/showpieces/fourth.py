"""A fourth derivative

Four times the chain rule, and each derivative is a graph of its own that you can open. Move the point: every formula is
evaluated there, and its derivation is beside it.
"""

import numpy as np

import autolab

view = autolab.derivatives(np.tanh, 0.5, order=4)
