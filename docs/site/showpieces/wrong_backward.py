"""A wrong backward, and what the check finds

The backward of this function forgets the inner derivative, 2. `check_gradients` measures the gradient, names the
mistake and shows both formulas; choose an element to see where its numbers come from.
"""

import numpy as np

import autolab


@autolab.elementwise(x=lambda g, y: g * y)
def growth(xp, x):
    return xp.exp(2 * x)


report = autolab.check_gradients(growth, np.array([0.3, -1.2, 0.8]))
view = report.explore()
