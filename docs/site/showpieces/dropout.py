"""A dropout mask, forward and backward

Half of the elements are dropped, and the others doubled. Backward, the same mask is applied to the gradient: where a
value is dropped, its gradient is 0. The mask stays as it was drawn while you move the values.
"""

import numpy as np

import autolab
from autolab import functions as F


def dropped(x):
    y = F.dropout(x, ratio=0.5, rng=np.random.default_rng(4))
    return y


view = autolab.explore(dropped, x=np.arange(1.0, 13.0).reshape(3, 4))
