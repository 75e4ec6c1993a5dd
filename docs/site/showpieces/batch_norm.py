"""Batch normalization ties examples together

Every column gets mean 0 and variance 1. Drag one number of `x`, and all numbers of its column in `y` move: each
example has a gradient with respect to every other one.
"""

import numpy as np

import autolab
from autolab import functions as F


def normalized(x, gamma, beta):
    y = F.batch_norm(x, gamma, beta)
    loss = F.sum(y**3)
    return loss


x = np.array([[1.0, 4.0], [2.0, 1.0], [4.0, 2.0], [3.0, 7.0]])
view = autolab.explore(normalized, x=x, gamma=np.ones(2), beta=np.zeros(2))
