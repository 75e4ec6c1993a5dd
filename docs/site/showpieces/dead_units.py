"""A dead unit

The bias of the last unit is -8. Its relu is 0 for every example, so no gradient reaches its weights, and no training
step will change them. Drag that bias upwards until the unit comes back to life.
"""

import numpy as np

import autolab
from autolab import functions as F

rng = np.random.default_rng(2)


def layer(x, W, b):
    h = F.relu(x @ W + b)
    loss = F.mean(h * h)
    return loss


view = autolab.explore(layer, x=rng.normal(size=(5, 4)), W=rng.normal(size=(4, 3)), b=np.array([0.0, 0.0, -8.0]))
