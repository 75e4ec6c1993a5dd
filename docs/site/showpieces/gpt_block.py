"""A block of a GPT

Three tokens of four numbers go through causal attention and a small network, each added to its input. Links are groups:
open one to see its steps, and drag a number of `x` or of a weight.
"""

import numpy as np

import autolab
from autolab import functions as F
from autolab import links as L

autolab.config.rng = np.random.default_rng(0)
block = L.TransformerEncoderLayer(4, heads=2, hidden=8, activation=F.gelu, norm_first=True, causal=True)

view = autolab.explore(block, np.random.default_rng(1).normal(size=(1, 3, 4)))
